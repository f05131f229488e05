import type { FeedRow } from "../../engine/payments/feed-row.ts";

/** Where the feed takes rows: ClickHouse itself, or what brings them there. */
export interface FeedSink {
  /** An insert to be filled and sent. */
  begin(): FeedInsert;
}

/** Rows on their way. Those that were added need not be kept by whoever added them. */
export interface FeedInsert {
  /** @throws RowsRefused when the row is not one; it is not among the others then */
  add(row: FeedRow): void;
  /**
   * Resolves when all rows are on stable storage there. Rejects with RowsRefused when one of them can never be taken, and with anything
   * else when it may be called again; then any part of them may have arrived.
   */
  send(): Promise<void>;
}

/** Takes these rows there; rejects as `add` and `send` do. */
export async function deliver(sink: FeedSink, rows: readonly FeedRow[]): Promise<void> {
  const insert = sink.begin();
  for (const row of rows) insert.add(row);
  await insert.send();
}

/** At least one row is such that trying again makes no sense. */
export class RowsRefused extends Error {
  constructor(reason: string, options?: { cause?: unknown }) {
    super(reason, options);
    this.name = "RowsRefused";
  }
}
