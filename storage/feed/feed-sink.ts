import type { FeedRow } from "../../engine/domain/feed-row.ts";

/** Where the feed takes rows: ClickHouse itself, or what brings them there. */
export interface FeedSink {
  /**
   * Resolves when all rows are on stable storage there. Rejects with RowsRefused when one of them can never be taken, and with anything
   * else when it may be tried again; then any part of them may have arrived.
   */
  deliver(rows: readonly FeedRow[]): Promise<void>;
}

/** At least one row is such that trying again makes no sense. */
export class RowsRefused extends Error {
  constructor(reason: string, options?: { cause?: unknown }) {
    super(reason, options);
    this.name = "RowsRefused";
  }
}
