import type { Timers } from "../../../engine/kernel/timers.ts";

interface Waiting<T> {
  item: T;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Combines items that arrive in the same turn of the event loop, or while earlier ones are being
 * processed. kafkajs delivers a fetch partition by partition, and ClickHouse should get it as one
 * insert. The size of a fetch limits the number of waiting items.
 */
export class BatchGatherer<T> {
  readonly #timers: Timers;
  readonly #work: (items: readonly T[]) => Promise<void>;
  #waiting: Waiting<T>[] = [];
  #working = false;

  constructor(timers: Timers, work: (items: readonly T[]) => Promise<void>) {
    this.#timers = timers;
    this.#work = work;
  }

  /** Resolves or rejects like the work that contained the item. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#working) return;
      this.#working = true;
      this.#timers.soon(() => void this.#run());
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const taken = this.#waiting;
      this.#waiting = [];
      try {
        await this.#work(taken.map(({ item }) => item));
        for (const { resolve } of taken) resolve();
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
    }
    this.#working = false;
  }
}
