import type { Clock } from "./clock.ts";

/** Keys whose values are kept at once; the oldest go first. */
const KEYS_MAX = 1_000;

/** What was looked up just now, by key: those who ask within `forMs` share one look, also while it is under way. One that failed is forgotten at once. */
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
