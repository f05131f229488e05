import type { Clock } from "../../engine/kernel/clock.ts";
import { outboxKeyAt } from "../../engine/payments/outbox.ts";

/** Rows come in the order of their keys but for the time that their commits take and the difference of the nodes' clocks. */
const NEAR_MS = 200;
const MARGIN_MS = 15_000;
const MARGIN_EVERY_MS = 5_000;

/** Keys that are remembered as produced: up to this many, then the newest are kept. */
const REMEMBERED_MAX = 200_000;
const REMEMBERED_LEFT = 150_000;

/**
 * How far the outbox has been produced. Produced rows stay in it until ClickHouse has them, so every look goes over some that are to be
 * passed by. What comes later than the margin is found by the sweep (kafka-feed.ts).
 */
export class Cursor {
  readonly #clock: Clock;
  /** In the order in which they were produced, which is nearly their own. */
  readonly #produced = new Set<string>();
  #newestMs: number | null = null;
  /** Keys before it are not looked at again, because they are not remembered. */
  #floor: string | null;
  #marginAtMs: number;

  /** `start`: the cursor of whoever produced before; null begins at the start of the outbox. */
  constructor(clock: Clock, start: string | null) {
    this.#clock = clock;
    this.#floor = start;
    this.#marginAtMs = clock.monotonicMs();
  }

  /** Where the next look begins; null is the start of the outbox. */
  begin(): string | null {
    const nowMs = this.#clock.monotonicMs();
    const far = nowMs - this.#marginAtMs >= MARGIN_EVERY_MS;
    if (far) this.#marginAtMs = nowMs;
    return later(this.#before(far ? MARGIN_MS : NEAR_MS), this.#floor);
  }

  has(key: string): boolean {
    return this.#produced.has(key);
  }

  produced(key: string, writtenAtMs: number): void {
    this.#produced.add(key);
    this.#newestMs = Math.max(this.#newestMs ?? 0, writtenAtMs);
  }

  /** Forgets what no look goes over any more, and the oldest where there are too many. For after each batch. */
  tidy(): void {
    const until = this.#before(MARGIN_MS);
    if (until === null) return;
    this.#floor = later(until, this.#floor);
    let spare = this.#produced.size > REMEMBERED_MAX ? this.#produced.size - REMEMBERED_LEFT : 0;
    for (const key of this.#produced) {
      if (key >= until && spare <= 0) return;
      this.#produced.delete(key);
      if (key >= until) this.#floor = later(`${key}\u0001`, this.#floor);
      spare -= 1;
    }
  }

  /** All rows before this key have been produced, but for such that came late; null where nothing is known. */
  settled(): string | null {
    return later(this.#before(MARGIN_MS), this.#floor);
  }

  #before(ms: number): string | null {
    if (this.#newestMs === null) return null;
    // A row from a clock ahead must not put rows of now behind the cursor.
    return outboxKeyAt(Math.min(this.#newestMs, this.#clock.nowMs()) - ms);
  }
}

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
