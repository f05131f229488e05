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
  over: AbortController;
  /** Those who wait for it and have not gone. */
  askers: number;
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

  /**
   * The result of `ask`, or that of somebody who asked for `key` a short time ago. Rejects with the reason of `gone` once that is aborted; what is asked ends
   * when all who wait for it have gone.
   */
  of(key: string, ask: (gone: AbortSignal) => Promise<T>, gone?: AbortSignal): Promise<T> {
    const { clock, keepMs, max } = this.#options;
    const nowMs = clock.monotonicMs();
    // In the order in which they were asked for.
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
