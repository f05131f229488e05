import { setTimeout as wait } from "node:timers/promises";

const BACK_OFF_FIRST_MS = 500;
const BACK_OFF_MAX_MS = 30_000;

/** Waits of the terminal, all divided by one speed. */
export class Pace {
  readonly #speed: number;
  readonly #random: () => number;

  constructor(speed: number, random: () => number) {
    this.#speed = speed;
    this.#random = random;
  }

  /** Resolves with false at once when the signal aborts. */
  async sleep(ms: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (ms <= 0) return true;
    return await wait(ms / this.#speed, true, { signal }).catch(() => false);
  }

  /** Half to all of an interval that doubles with each attempt, so that a fleet does not come back at the same moment. */
  backOffMs(attempt: number): number {
    const intervalMs = Math.min(BACK_OFF_MAX_MS, BACK_OFF_FIRST_MS * 2 ** Math.min(attempt, 16));
    return Math.round(intervalMs * (0.5 + this.#random() / 2));
  }
}
