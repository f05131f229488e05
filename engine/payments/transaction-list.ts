import type { Transaction, TransactionMethod, TransactionStatus } from "./transaction.ts";

/** A page of a terminal's transactions, newest first (`GET /api/v1/{terminalId}/transactions`). */
export interface TransactionQuery {
  terminalId: string;
  /** Both ends included, milliseconds UTC; absent means open. */
  fromMs?: number;
  /** First millisecond after the range. */
  untilMs?: number;
  methods: readonly TransactionMethod[];
  status: TransactionStatus;
  /** Only what this sender sent; absent means all. */
  sender?: string;
  limit: number;
  offset: number;
}

/**
 * What ClickHouse holds together with what the feed has not confirmed yet, so that a stored result is listed at once.
 * Rejects with RelayError `unavailable` when ClickHouse cannot be reached.
 */
export interface TransactionList {
  /** Ends, rejecting, once `gone` is aborted. */
  page(query: TransactionQuery, gone?: AbortSignal): Promise<Transaction[]>;
}
