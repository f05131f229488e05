/** Why no permit was given. */
export type SemaphoreRefusal = "full" | "late";

export interface SemaphoreOptions {
  running: number;
  waiting: number;
  waitMs: number;
  /** While this returns true no work starts; it is called again by `wake` and when work has ended. */
  yields?: () => boolean;
}

interface Waiter {
  start(): void;
  abandon(refusal: SemaphoreRefusal): void;
}

/** Runs work a few at a time, in order, with a bounded queue and a bounded wait. */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #queue: Waiter[] = [];
  #running = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Runs `work` when there is a permit, or resolves with the reason why there is none. */
  async run<T>(work: () => Promise<T>): Promise<{ type: "done"; value: T } | { type: SemaphoreRefusal }> {
    const refusal = await this.#acquire();
    if (refusal !== null) return { type: refusal };
    try {
      return { type: "done", value: await work() };
    } finally {
      this.#running -= 1;
      this.wake();
    }
  }

  /** Starts the work that may start now. */
  wake(): void {
    while (this.#running < this.#options.running && this.#options.yields?.() !== true) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      next.start();
    }
  }

  #acquire(): Promise<SemaphoreRefusal | null> {
    if (this.#queue.length >= this.#options.waiting) return Promise.resolve("full");
    return new Promise((resolve) => {
      const waiter: Waiter = {
        start: () => {
          clearTimeout(timer);
          this.#running += 1;
          resolve(null);
        },
        abandon: (refusal) => {
          const place = this.#queue.indexOf(waiter);
          if (place >= 0) this.#queue.splice(place, 1);
          resolve(refusal);
        },
      };
      const timer = setTimeout(() => waiter.abandon("late"), this.#options.waitMs);
      this.#queue.push(waiter);
      this.wake();
    });
  }
}
