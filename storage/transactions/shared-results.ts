import type { Clock } from "../../engine/kernel/clock.ts";

export interface SharedResultsOptions {
  clock: Clock;
  /** The maximum age of a result. */
  keepMs: number;
  /** Limits the stored results. The oldest is dropped. */
  max: number;
}

interface Kept<T> {
  result: Promise<T>;
  atMs: number;
  over: AbortController;
  /** The number of callers that still wait for it. */
  askers: number;
}

/**
 * Shares results between callers that ask for the same key within a time. After a failure, the next
 * caller asks again.
 */
export class SharedResults<T> {
  readonly #options: SharedResultsOptions;
  readonly #kept = new Map<string, Kept<T>>();

  constructor(options: SharedResultsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#kept.size;
  }

  /**
   * Returns the result of `ask`, or a recent result of another caller for `key`. Rejects with the
   * reason of `gone` once that is aborted. The work is aborted when all callers that wait for it
   * have gone.
   */
  of(key: string, ask: (gone: AbortSignal) => Promise<T>, gone?: AbortSignal): Promise<T> {
    const { clock, keepMs, max } = this.#options;
    const nowMs = clock.monotonicMs();
    // The entries are in the order of their requests.
    for (const [oldKey, { atMs }] of this.#kept) {
      if (nowMs - atMs < keepMs && this.#kept.size < max + (this.#kept.has(key) ? 1 : 0)) break;
      this.#kept.delete(oldKey);
    }
    const known = this.#kept.get(key);
    if (known !== undefined) return this.#awaited(key, known, gone);
    const over = new AbortController();
    const kept: Kept<T> = { result: ask(over.signal), atMs: nowMs, over, askers: 0 };
    this.#kept.set(key, kept);
    kept.result.catch(() => this.#forget(key, kept));
    return this.#awaited(key, kept, gone);
  }

  #awaited(key: string, kept: Kept<T>, gone: AbortSignal | undefined): Promise<T> {
    kept.askers += 1;
    if (gone === undefined) return kept.result;
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(gone.reason);
        kept.askers -= 1;
        if (kept.askers > 0) return;
        this.#forget(key, kept);
        kept.over.abort(gone.reason);
      };
      gone.addEventListener("abort", leave);
      kept.result.then(resolve, reject).finally(() => gone.removeEventListener("abort", leave));
      if (gone.aborted) leave();
    });
  }

  #forget(key: string, kept: Kept<T>): void {
    if (this.#kept.get(key) === kept) this.#kept.delete(key);
  }
}
