import type { Clock } from "../../engine/kernel/clock.ts";
import { outboxKeyAt } from "../../engine/payments/outbox.ts";

/**
 * How far back a pass over the outbox begins. Delivered rows leave tombstones that a scan has to
 * step over, so most passes begin near the newest row. Rows of other writers may be committed a
 * little later than their key says, so some passes begin further back, and some at the start.
 */
export type WindowKind = "near" | "margin" | "full";

/** Commits take only milliseconds. */
const NEAR_MS = 2_000;

/**
 * A commit that takes longer than this was reported as unavailable. Its row waits for the next full
 * window.
 */
const MARGIN_MS = 15_000;

const MARGIN_EVERY_MS = 5_000;
const FULL_EVERY_MS = 60_000;

/** Remembers what was delivered and decides where the next pass begins. */
export class OutboxWindow {
  readonly #clock: Clock;
  #newestMs: number | null = null;
  #marginAtMs = Number.NEGATIVE_INFINITY;
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wanted(): WindowKind {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#fullAtMs >= FULL_EVERY_MS) return "full";
    return nowMs - this.#marginAtMs >= MARGIN_EVERY_MS ? "margin" : "near";
  }

  /** The key to begin at; null is the start. */
  begin(kind: WindowKind): string | null {
    if (kind === "full") return null;
    return this.#before(kind === "margin" ? MARGIN_MS : NEAR_MS);
  }

  /** All rows of the window up to one written at this time are delivered. */
  delivered(writtenAtMs: number): void {
    this.#newestMs = Math.max(this.#newestMs ?? 0, writtenAtMs);
  }

  end(kind: WindowKind): void {
    const nowMs = this.#clock.monotonicMs();
    if (kind !== "near") this.#marginAtMs = nowMs;
    if (kind === "full") this.#fullAtMs = nowMs;
  }

  deliveredUntil(): string | null {
    return this.#before(MARGIN_MS);
  }

  /**
   * The start must not be after present rows if a clock was set back or the clock of another node
   * is ahead.
   */
  #before(ms: number): string | null {
    if (this.#newestMs === null) return null;
    return outboxKeyAt(Math.min(this.#newestMs, this.#clock.nowMs()) - ms);
  }
}
