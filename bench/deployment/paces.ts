import { pause } from "./pauses.ts";

/** Of a limit that holds in every second a schedule may use so much: clocks and networks move requests together. */
export const HEADROOM = 0.9;

/** Requests of one kind, of all terminals together, that leave evenly and never faster than a limit allows. */
export class Pace {
  readonly #intervalMs: number;
  #nextAtMs = 0;

  /** `perSecond`: what the relay allows. */
  constructor(perSecond: number) {
    this.#intervalMs = 1_000 / (perSecond * HEADROOM);
  }

  /** Resolves when the caller's turn has come, or at once when the signal aborts. Turns are in the order in which they were asked for. */
  async turn(signal?: AbortSignal): Promise<void> {
    const nowMs = performance.now();
    const atMs = Math.max(nowMs, this.#nextAtMs);
    this.#nextAtMs = atMs + this.#intervalMs;
    if (atMs > nowMs) await pause(atMs - nowMs, signal);
  }
}
