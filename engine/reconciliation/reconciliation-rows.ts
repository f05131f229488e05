import type { DayFigures } from "./reconciliation.ts";

export interface DayBounds {
  readonly day: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Reads the rows in ClickHouse from which days are closed. Every method rejects with RelayError
 * `unavailable` when ClickHouse does not answer.
 */
export interface ReconciliationRows {
  /**
   * Tells whether ClickHouse has all rows that were written before a time, or some still wait in
   * the outbox or were refused.
   */
  areThere(untilMs: number): Promise<"all" | "some wait" | "some were refused">;
  /**
   * Returns the merchants that have any rows within a time, in the order of their ids, after
   * `after` only.
   */
  merchants(range: { readonly fromMs: number; readonly untilMs: number }, after: string | null, limit: number): Promise<readonly string[]>;
  /** Returns the times of payments made before `fromMs` and refunded since then. */
  refundedSince(merchantId: string, fromMs: number): Promise<readonly number[]>;
  /**
   * Returns the figures of a merchant's consecutive days, each with LINES_MAX lines at most. Days
   * without any rows may be missing.
   */
  figures(merchantId: string, days: readonly DayBounds[]): Promise<ReadonlyMap<string, DayFigures>>;
}
