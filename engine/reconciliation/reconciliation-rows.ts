import type { DayFigures } from "./reconciliation.ts";

export interface DayBounds {
  readonly day: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What days are closed by: the rows that ClickHouse has. Every method rejects with RelayError `unavailable` where it does not answer. */
export interface ReconciliationRows {
  /** Whether all rows that were written before a time are there: none of them waits in the outbox, or was refused. */
  areThere(untilMs: number): Promise<"all" | "some wait" | "some were refused">;
  /** Merchants, by their ids, that have anything in a time; those behind `after` only. */
  merchants(range: { readonly fromMs: number; readonly untilMs: number }, after: string | null, limit: number): Promise<readonly string[]>;
  /** When payments were made, before a time, of which something was given back since then. */
  refundedSince(merchantId: string, fromMs: number): Promise<readonly number[]>;
  /** The figures of a merchant's days, which follow each other, each of LINES_MAX lines at most; those of a day with nothing may be left out. */
  figures(merchantId: string, days: readonly DayBounds[]): Promise<ReadonlyMap<string, DayFigures>>;
}
