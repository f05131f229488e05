import type { Clock } from "./clock.ts";

/** Keys whose values are stored at once. The oldest are removed first. */
const KEYS_MAX = 1_000;

/**
 * Returns a function that shares recent lookups by key: calls within `forMs` share one lookup, even
 * while it is in progress. A failed lookup is forgotten at once.
 */
export function createRecent<T>(clock: Pick<Clock, "monotonicMs">, forMs: number): (key: string, look: () => Promise<T>) => Promise<T> {
  const known = new Map<string, { atMs: number; found: Promise<T> }>();
  return (key, look) => {
    const last = known.get(key);
    if (last !== undefined && clock.monotonicMs() - last.atMs < forMs) return last.found;
    const begun = { atMs: clock.monotonicMs(), found: look() };
    known.delete(key);
    known.set(key, begun);
    const [oldest] = known.keys();
    if (known.size > KEYS_MAX && oldest !== undefined) known.delete(oldest);
    begun.found.catch(() => {
      if (known.get(key) === begun) known.delete(key);
    });
    return begun.found;
  };
}
