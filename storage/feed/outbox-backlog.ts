import type { Clock } from "../../engine/kernel/clock.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { OutboxBacklog } from "../../engine/operators/overview.ts";
import { countOutbox, pageOutbox } from "./outbox.ts";

/**
 * Rows are counted exactly up to this number. An alarm has been raised by then, and each count
 * still takes only a fraction of a second.
 */
const DEPTH_MAX = 100_000;

/** How often a count begins at the start of the outbox; usually it begins later. */
const FULL_EVERY_MS = 60_000;

export interface OutboxBacklogOptions {
  kv: Kv;
  clock: Clock;
  /**
   * All rows before this key were delivered, as far as the feed knows. Null begins at the start. In
   * the embedded store a scan has to step over deleted entries. Redis keeps no trace of them, and
   * every scan begins at the start.
   */
  deliveredUntil(): string | null;
}

/**
 * Measures the outbox. A row leaves it only when ClickHouse has the row, so it shows how far
 * ClickHouse is behind, however rows travel and whichever node has the lease. One row is read, and
 * the others are counted by their keys. A measurement rejects if the store does not answer.
 */
export function createOutboxBacklog({ kv, clock, deliveredUntil }: OutboxBacklogOptions): () => Promise<OutboxBacklog> {
  let oldestKey: string | null = null;
  let fullAtMs = Number.NEGATIVE_INFINITY;

  function begin(): string | null {
    const delivered = deliveredUntil();
    if (delivered === null || clock.monotonicMs() - fullAtMs >= FULL_EVERY_MS) return null;
    // A row that was committed much later than its key says comes before the delivered ones.
    return oldestKey !== null && oldestKey < delivered ? oldestKey : delivered;
  }

  return async () => {
    const from = begin();
    const lookedAtMs = clock.monotonicMs();
    const [oldest] = await pageOutbox(kv, from, null, 1);
    // The row may be delivered between the two requests. Then the rows after it are counted.
    const rows = oldest === undefined ? 0 : await countOutbox(kv, oldest.key, DEPTH_MAX + 1);
    oldestKey = oldest?.key ?? null;
    if (from === null) fullAtMs = lookedAtMs;
    const ageMs = oldest === undefined || rows === 0 ? 0 : clock.nowMs() - oldest.writtenAtMs;
    // The clock of another node may be ahead.
    return { depth: Math.min(rows, DEPTH_MAX), capped: rows > DEPTH_MAX, oldestAgeMs: Math.max(0, ageMs) };
  };
}
