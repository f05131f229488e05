import type { Timers } from "../../engine/kernel/timers.ts";

interface Waiting<T> {
  item: T;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Brings together what comes in the same turn of the event loop, or while earlier things are being worked on: kafkajs hands out a fetch
 * partition by partition, and ClickHouse wants it as one insert. How much can wait is bounded by the fetch.
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

  /** Resolves or rejects as the work does that the item was part of. */
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
