import type { Transaction, TransactionMethod, TransactionStatus } from "./transaction.ts";

/**
 * What a merchant's list of transactions is narrowed to; an absent member narrows nothing. The merchant is never a part of it: it is the first argument of each
 * method, and comes from the session or the key.
 */
export interface MerchantTransactionFilter {
  /** First millisecond, and first one after the range. */
  fromMs?: number;
  untilMs?: number;
  status?: TransactionStatus;
  method?: TransactionMethod;
  terminalId?: string;
  /** Minor units, both included. */
  amountMin?: number;
  amountMax?: number;
  currency?: string;
  /** The last four digits of the card. */
  last4?: string;
  authCode?: string;
  /** A uuid or its beginning (4 characters or more), an authorization code, or the last four digits of a card. */
  q?: string;
}

/** Where a page ended: its last row. */
export interface TransactionKey {
  createdAtMs: number;
  uuid: string;
  terminalId: string;
}

export interface MerchantTransaction {
  transaction: Transaction & { terminalId: string };
  amountDiffers: boolean;
  unsolicited: boolean;
}

export interface MerchantTransactionPage {
  /** Newest first. */
  items: readonly MerchantTransaction[];
  /** Null where there is no more. */
  next: TransactionKey | null;
}

/** Sums of one currency. Volume counts OK of CARD, SATISPAY, VOUCHER and PAYBYLINK; the approval rate is approved / (approved + declined), without expired links. */
export interface TransactionSums {
  currency: string;
  volumeMinor: number;
  approved: number;
  declined: number;
}

export interface MerchantDay {
  sums: readonly TransactionSums[];
  /** Sums of each hour of the day that has any, by its first millisecond. */
  hours: readonly (TransactionSums & { startMs: number })[];
  byMethod: readonly (TransactionSums & { method: TransactionMethod })[];
  byTerminal: readonly (TransactionSums & { terminalId: string })[];
}

/**
 * What a merchant's terminals and links took: ClickHouse's `relay.merchant_transactions` together with what the feed has not confirmed yet, so that a stored
 * result is listed at once. SCAN, PRINT, CANCEL and administrators' commands are no transactions of a shop.
 * Every method rejects with RelayError `unavailable` where ClickHouse does not answer, or the merchant asks for more at once than it may.
 */
export interface MerchantTransactions {
  page(
    merchantId: string,
    query: { filter: MerchantTransactionFilter; after: TransactionKey | null; limit: number },
  ): Promise<MerchantTransactionPage>;
  /** Null where the merchant has none of this uuid. Of several terminals' with the same uuid the newest. */
  find(merchantId: string, uuid: string): Promise<MerchantTransaction | null>;
  /** Sums from and until these times, with hours that begin at `fromMs`. Shared by those who ask within 15 s. */
  sums(merchantId: string, range: { fromMs: number; untilMs: number }): Promise<MerchantDay>;
  /** The latest transaction of each terminal that has any within the last 31 days. */
  latestByTerminal(merchantId: string): Promise<ReadonlyMap<string, MerchantTransaction>>;
  /** All rows that match, newest first, in batches of bounded size, as they were when it began; read no faster than it is consumed. */
  stream(merchantId: string, filter: MerchantTransactionFilter): AsyncIterable<readonly MerchantTransaction[]>;
}
