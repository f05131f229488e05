import type { Clock } from "../../engine/kernel/clock.ts";

export interface SharedResultsOptions {
  clock: Clock;
  /** How old a result may be. */
  keepMs: number;
  /** Results at once; the oldest is forgotten. */
  max: number;
}

interface Kept<T> {
  result: Promise<T>;
  atMs: number;
}

/** Results that those share who ask for the same within a time; what failed is asked for again by the next. */
export class SharedResults<T> {
  readonly #options: SharedResultsOptions;
  readonly #kept = new Map<string, Kept<T>>();

  constructor(options: SharedResultsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** The result of `ask`, or that of somebody who asked for `key` a short time ago. */
  of(key: string, ask: () => Promise<T>): Promise<T> {
    const { clock, keepMs, max } = this.#options;
    const nowMs = clock.monotonicMs();
    // In the order in which they were asked for.
    for (const [oldKey, { atMs }] of this.#kept) {
      if (nowMs - atMs < keepMs && this.#kept.size < max + (this.#kept.has(key) ? 1 : 0)) break;
      this.#kept.delete(oldKey);
    }
    const known = this.#kept.get(key);
    if (known !== undefined) return known.result;
    const kept: Kept<T> = { result: ask(), atMs: nowMs };
    this.#kept.set(key, kept);
    kept.result.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
    return kept.result;
  }
}
