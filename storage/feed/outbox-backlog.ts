import type { Clock } from "../../engine/kernel/clock.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { OutboxBacklog } from "../../engine/operators/overview.ts";
import { countOutbox, pageOutbox } from "./outbox.ts";

/** Counted exactly up to here: by then somebody has been called, and each look still ends within a fraction of a second. */
const DEPTH_MAX = 100_000;

/** How often a look begins at the start of the outbox, where looks usually begin later. */
const FULL_EVERY_MS = 60_000;

export interface OutboxBacklogOptions {
  kv: Kv;
  clock: Clock;
  /**
   * The key before which all rows were delivered, as far as the feed knows; null: look from the start. In the embedded store a look would step over what
   * was deleted there; in Redis nothing is left of that, and every look begins at the start.
   */
  deliveredUntil(): string | null;
}

/**
 * Looks what lies in the outbox, which a row leaves only when ClickHouse has it: that is how far ClickHouse is behind, whatever is in between and
 * whichever node has the lease. One row is read, the others are counted by their keys. A look rejects where the store does not answer.
 */
export function createOutboxBacklog({ kv, clock, deliveredUntil }: OutboxBacklogOptions): () => Promise<OutboxBacklog> {
  let oldestKey: string | null = null;
  let fullAtMs = Number.NEGATIVE_INFINITY;

  function begin(): string | null {
    const delivered = deliveredUntil();
    if (delivered === null || clock.monotonicMs() - fullAtMs >= FULL_EVERY_MS) return null;
    // One that was committed long after its key says lies before what was delivered.
    return oldestKey !== null && oldestKey < delivered ? oldestKey : delivered;
  }

  return async () => {
    const from = begin();
    const lookedAtMs = clock.monotonicMs();
    const [oldest] = await pageOutbox(kv, from, null, 1);
    // It may be delivered between the two questions; then those behind it are counted.
    const rows = oldest === undefined ? 0 : await countOutbox(kv, oldest.key, DEPTH_MAX + 1);
    oldestKey = oldest?.key ?? null;
    if (from === null) fullAtMs = lookedAtMs;
    const ageMs = oldest === undefined || rows === 0 ? 0 : clock.nowMs() - oldest.writtenAtMs;
    // Another node's clock may be ahead.
    return { depth: Math.min(rows, DEPTH_MAX), capped: rows > DEPTH_MAX, oldestAgeMs: Math.max(0, ageMs) };
  };
}
