import { RelayError } from "./errors.ts";

/** Maximum number of changes of one key that wait in a shard. Further ones are rejected. */
const WAITING_MAX = 256;

/**
 * Runs the work for one key sequentially, so that callers in one shard do not cause conflicts for
 * each other. Throws RelayError `too_busy` if too many wait.
 */
export class KeyedMutex<Key> {
  readonly #last = new Map<Key, Promise<unknown>>();
  readonly #waiting = new Map<Key, number>();

  async runExclusive<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(key) ?? 0;
    if (waiting >= WAITING_MAX) throw new RelayError("too_busy", "Too many changes at once; retry shortly", { retryAfterSeconds: 1 });
    this.#waiting.set(key, waiting + 1);
    const before = this.#last.get(key) ?? Promise.resolve();
    const run = before.then(work, work);
    this.#last.set(key, run);
    try {
      return await run;
    } finally {
      const left = (this.#waiting.get(key) ?? 1) - 1;
      if (left === 0) {
        this.#waiting.delete(key);
        this.#last.delete(key);
      } else {
        this.#waiting.set(key, left);
      }
    }
  }
}
