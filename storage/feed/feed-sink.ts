import type { FeedRow } from "../../engine/payments/feed-row.ts";

/** The destination of the feed's rows: ClickHouse, or Kafka on the way to it. */
export interface FeedSink {
  /** Starts an insert. The caller fills and sends it. */
  begin(): FeedInsert;
}

/** An insert in preparation. The caller need not keep the rows that it has added. */
export interface FeedInsert {
  /** @throws RowsRefused if the row is not valid; it is then not part of the insert */
  add(row: FeedRow): void;
  /**
   * Resolves when all rows are on stable storage. Rejects with RowsRefused if one of them can never
   * be accepted, and with another error if the call may be repeated; then any part of the rows may
   * have arrived.
   */
  send(): Promise<void>;
}

/** Delivers these rows; rejects like `add` and `send`. */
export async function deliver(sink: FeedSink, rows: readonly FeedRow[]): Promise<void> {
  const insert = sink.begin();
  for (const row of rows) insert.add(row);
  await insert.send();
}

/** At least one row can never be accepted, so a retry makes no sense. */
export class RowsRefused extends Error {
  constructor(reason: string, options?: { cause?: unknown }) {
    super(reason, options);
    this.name = "RowsRefused";
  }
}
