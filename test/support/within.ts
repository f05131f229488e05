import { machineTimers } from "../../infra/node/boot/machine-timers.ts";

/** Longer than anything here takes, also on a machine that ten others use; only a failing test waits so long. What is promised within a time is measured by its test. */
const DEADLINE_MS = 30_000;
const ASK_AGAIN_MS = 10;

/** Rejects with what was awaited when it does not come. By the machine's timers, of which an earlier one of the same process is first also where all are late. */
export function within<T>(what: string, promise: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = machineTimers.set(deadlineMs, () => reject(new Error(`${what}: did not come in ${deadlineMs} ms`)));
    promise.then(resolve, reject).finally(() => timer.clear());
  });
}

/** Runs `check` until it no longer throws; what it threw last is what the test fails with. For what no event can be awaited. */
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

/** What comes is awaited in order. */
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

  /** The next one, or a rejection when none comes in a few seconds. */
  next(): Promise<T> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return within(this.#what, new Promise<T>((resolve) => this.#waiters.push(resolve)));
  }

  /** What has come and was not taken. */
  get waiting(): readonly T[] {
    return this.#items;
  }
}
