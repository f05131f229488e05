import type { Transaction, TransactionMethod, TransactionStatus } from "./transaction.ts";

/** How much of a payment was given back, by refunds and reversals that are done: of one that was captured partially never all of it. */
export const REFUND_STATES = ["NONE", "PARTLY_REFUNDED", "REFUNDED"] as const;
export type RefundState = (typeof REFUND_STATES)[number];

/** What a list can be narrowed to: `ANY` is both of the last two. */
export const REFUND_FILTERS = [...REFUND_STATES, "ANY"] as const;

/**
 * What a merchant's list of transactions is narrowed to; an absent member narrows nothing, but for `results`. The merchant is never a part of it: it is the first argument
 * of each method, and comes from the session or the key.
 */
export interface MerchantTransactionFilter {
  /** Payments, if absent (engine/payments/payment.ts); or all other results: checks of cards, receipts, and what a terminal has not named. */
  results?: "payments" | "others" | "all";
  refundState?: (typeof REFUND_FILTERS)[number];
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
  /** Selects what matches `text` as `q` does, or has one of the amounts. */
  wanted?: { text: string | null; amounts: readonly WantedAmount[] };
  /** Selects rows whose uuid differs from this text by one typing error, or has the same beginning. The text is in lower case. */
  near?: string;
}

/** An amount in the currencies with this number of decimals. */
export interface WantedAmount {
  readonly minor: number;
  readonly decimals: number;
}

/** The orders of a list. Equal amounts are ordered by time. */
export const TRANSACTION_ORDERS = ["newest", "oldest", "largest", "smallest"] as const;
export type TransactionOrder = (typeof TRANSACTION_ORDERS)[number];

/** Where a page ended: its last row. */
export interface TransactionKey {
  createdAtMs: number;
  uuid: string;
  terminalId: string;
  /** Present in the orders by amount. */
  amountMinor?: number;
}

export interface MerchantTransactionQuery {
  filter: MerchantTransactionFilter;
  after: TransactionKey | null;
  limit: number;
  /** Default: `newest`. */
  order?: TransactionOrder;
  /** Limits the rows that are searched to about this many of the newest. It does not limit rows that ClickHouse does not have yet. */
  rowsMax?: number;
}

export interface MerchantTransaction {
  transaction: Transaction & { terminalId: string };
  amountDiffers: boolean;
  unsolicited: boolean;
  /** False: it counts nowhere (engine/payments/payment.ts). */
  isPayment: boolean;
  /** What was given back of it until now, whenever that was; 0 for what is no payment by link, since terminals' payments are refunded on the terminal. */
  refundedMinor: number;
}

export function refundStateOf({ transaction, refundedMinor }: Pick<MerchantTransaction, "transaction" | "refundedMinor">): RefundState {
  if (refundedMinor === 0) return "NONE";
  return refundedMinor >= transaction.amountCents ? "REFUNDED" : "PARTLY_REFUNDED";
}

/** What is left of an approved payment; 0 for everything else. */
export function netMinorOf({ transaction, isPayment, refundedMinor }: MerchantTransaction): number {
  return isPayment && transaction.status === "OK" ? transaction.amountCents - refundedMinor : 0;
}

export interface MerchantTransactionPage {
  /** In the requested order. */
  items: readonly MerchantTransaction[];
  /** Null where there is no more. */
  next: TransactionKey | null;
  /** The time back to which `rowsMax` let the rows be searched. Absent: all rows of the range were searched. */
  sinceMs?: number;
}

/** Sums of the payments of one currency, gross: refunds are not subtracted. The approval rate is approved / (approved + declined), without expired links. */
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
 * What a merchant's terminals and links took: ClickHouse's `relay.merchant_transactions`, with the refunds of `relay.merchant_objects`, together with what the feed has not
 * confirmed yet, so that a stored result or refund is listed at once. SCAN, PRINT, CANCEL and administrators' commands are no transactions of a shop.
 * Every method rejects with RelayError `unavailable` where ClickHouse does not answer, or the merchant asks for more at once than it may.
 */
export interface MerchantTransactions {
  page(merchantId: string, query: MerchantTransactionQuery, gone?: AbortSignal): Promise<MerchantTransactionPage>;
  /** Null where the merchant has none of this uuid, payment or not. Of several terminals' with the same uuid the newest. */
  find(merchantId: string, uuid: string, gone?: AbortSignal): Promise<MerchantTransaction | null>;
  /** Sums from and until these times, with hours that begin at `fromMs`. Shared by those who ask within 15 s. */
  sums(merchantId: string, range: { fromMs: number; untilMs: number }, gone?: AbortSignal): Promise<MerchantDay>;
  /** The latest transaction of each terminal that has any within the last 31 days. */
  latestByTerminal(merchantId: string, gone?: AbortSignal): Promise<ReadonlyMap<string, MerchantTransaction>>;
  /** All rows that match, newest first, in batches of bounded size, as they were when it began; read no faster than it is consumed. */
  stream(merchantId: string, filter: MerchantTransactionFilter, gone?: AbortSignal): AsyncIterable<readonly MerchantTransaction[]>;
}
