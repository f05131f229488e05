import { machineTimers } from "../../infra/node/boot/machine-timers.ts";

/**
 * Longer than anything takes here, even on a busy machine. Only a failing test waits for so long.
 * Tests measure promised times themselves.
 */
const DEADLINE_MS = 30_000;
const ASK_AGAIN_MS = 10;

/**
 * Rejects with a message about `what` if the promise is late. It uses the machine's timers, which
 * keep their order within a process even if all of them are late.
 */
export function within<T>(what: string, promise: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = machineTimers.set(deadlineMs, () => reject(new Error(`${what}: did not come in ${deadlineMs} ms`)));
    promise.then(resolve, reject).finally(() => timer.clear());
  });
}

/**
 * Runs `check` until it no longer throws. At the deadline the test fails with the last error. It is
 * for conditions without an event to await.
 */
export async function eventually<T>(check: () => Promise<T> | T, deadlineMs = DEADLINE_MS, askAgainMs = ASK_AGAIN_MS): Promise<T> {
  const giveUpAt = performance.now() + deadlineMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
}

/** Items that are awaited in their order. */
export class Inbox<T> {
  readonly #what: string;
  readonly #items: T[] = [];
  readonly #waiters: ((item: T) => void)[] = [];

  constructor(what: string) {
    this.#what = what;
  }

  add(item: T): void {
    const waiter = this.#waiters.shift();
    if (waiter === undefined) this.#items.push(item);
    else waiter(item);
  }

  /** Resolves with the next item, or rejects at the deadline. */
  next(): Promise<T> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return within(this.#what, new Promise<T>((resolve) => this.#waiters.push(resolve)));
  }

  /** Items that nothing has awaited yet. */
  get waiting(): readonly T[] {
    return this.#items;
  }
}
