import type { Clock } from "../../../engine/kernel/clock.ts";
import { outboxKeyAt } from "../../../engine/payments/outbox.ts";

/**
 * Rows appear almost in the order of their keys. The duration of their commits and the difference
 * between the nodes' clocks can change the order.
 */
const NEAR_MS = 200;
const MARGIN_MS = 15_000;
const MARGIN_EVERY_MS = 5_000;

/**
 * Maximum number of keys that are remembered as produced. Beyond it only the newest are remembered.
 */
const REMEMBERED_MAX = 200_000;
const REMEMBERED_LEFT = 150_000;

/**
 * How far the outbox has been produced. Produced rows stay in the outbox until ClickHouse has them,
 * so every pass has to skip some. Rows that appear later than the margin are found by the sweep
 * (kafka-feed.ts).
 */
export class Cursor {
  readonly #clock: Clock;
  /** The keys in the order in which they were produced, which is nearly their own order. */
  readonly #produced = new Set<string>();
  #newestMs: number | null = null;
  /** No pass reads keys before this one, because they are not remembered. */
  #floor: string | null;
  #marginAtMs: number;

  /** `start`: the cursor of the previous producer; null begins at the start of the outbox. */
  constructor(clock: Clock, start: string | null) {
    this.#clock = clock;
    this.#floor = start;
    this.#marginAtMs = clock.monotonicMs();
  }

  /** Where the next pass begins; null is the start of the outbox. */
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

  /**
   * Forgets keys that no pass reads again, and the oldest ones if there are too many. The caller
   * calls it after each batch.
   */
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

  /** All rows before this key have been produced, except late ones; null if nothing is known. */
  settled(): string | null {
    return later(this.#before(MARGIN_MS), this.#floor);
  }

  #before(ms: number): string | null {
    if (this.#newestMs === null) return null;
    // The clock of another node may be ahead. Its row must not move the cursor past present rows.
    return outboxKeyAt(Math.min(this.#newestMs, this.#clock.nowMs()) - ms);
  }
}

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
