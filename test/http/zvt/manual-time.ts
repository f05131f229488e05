import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";

/** Clock and timers that move when a test says so. */
export class ManualTime implements Clock, Timers {
  #nowMs = 1_000_000;
  #timers = new Set<{ atMs: number; work: () => void }>();

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  set(ms: number, work: () => void): Timer {
    const timer = { atMs: this.#nowMs + ms, work };
    this.#timers.add(timer);
    return { clear: () => void this.#timers.delete(timer) };
  }

  every(): Timer {
    throw new Error("nothing here is repeated");
  }

  soon(work: () => void): void {
    this.set(0, work);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Moves the time; what is due is called at its time, and promises that are ready go on after each. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = next.atMs;
      next.work();
      await settled();
    }
    this.#nowMs = untilMs;
    await settled();
  }
}

/** All promises that are ready have gone on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A promise that a test resolves. */
export function gate(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
