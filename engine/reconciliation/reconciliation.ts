import type { MerchantParty } from "../kernel/merchant-scope.ts";
import type { TransactionMethod, TransactionStatus } from "../payments/transaction.ts";

/** Maximum number of uuids of each kind that a closed day names. It counts all of them. */
export const NAMED_MAX = 100;

/**
 * Maximum number of lines of a day, which are the terminals, methods, outcomes and currencies with
 * any payments. A day with more lines is closed with the lines of the merchant as a whole.
 */
export const LINES_MAX = 2_000;

/** Maximum number of corrections that a day lists. Further ones are only counted. */
export const CORRECTIONS_MAX = 500;

export interface CountAndSum {
  readonly count: number;
  /** Minor units. */
  readonly amountMinor: number;
}

/**
 * Payments of a terminal by method, outcome and currency. `terminalId` is null for the payments of
 * all terminals, if there are too many lines by terminal.
 */
export interface PaymentLine extends CountAndSum {
  readonly terminalId: string | null;
  readonly method: TransactionMethod;
  readonly status: TransactionStatus;
  readonly currency: string;
}

/** Payment links created on the day, or refunds requested on it, by state. */
export interface StateLine extends CountAndSum {
  readonly state: string;
  readonly currency: string;
}

export interface NamedPayment {
  readonly uuid: string;
  readonly terminalId: string;
}

/** The count includes all payments of a kind; the first NAMED_MAX are named. */
export interface NamedPayments {
  readonly count: number;
  readonly items: readonly NamedPayment[];
}

/** The figures of a merchant's day. */
export interface DayFigures {
  readonly payments: readonly PaymentLine[];
  /**
   * Refunds of these payments at any time: the number of refunded payments, and the amount. Days
   * that were closed before this member existed do not have it.
   */
  readonly refunded?: readonly PaymentLine[];
  readonly links: readonly StateLine[];
  readonly refunds: readonly StateLine[];
  /** Commands of the day whose payment is unknown. */
  readonly unknown: NamedPayments;
  /** Payments of the day with different results from the terminal. */
  readonly conflicting: NamedPayments;
}

/** The subject of a change after the day was closed: a line of its figures, or a named payment. */
export type CorrectionSubject =
  | {
      readonly of: "payments" | "refunded";
      readonly terminalId: string | null;
      readonly method: TransactionMethod;
      readonly status: TransactionStatus;
      readonly currency: string;
    }
  | { readonly of: "links" | "refunds"; readonly state: string; readonly currency: string }
  /** The uuid is null for all payments of the kind, if there are more than are named. */
  | { readonly of: "unknown" | "conflicting"; readonly uuid: string | null; readonly terminalId: string | null };

export interface Correction {
  readonly subject: CorrectionSubject;
  /** When the relay noticed it. */
  readonly atMs: number;
  /**
   * For a named payment the amount is 0. The count is 1 if the payment is named, and 0 if it is not
   * (any longer).
   */
  readonly before: CountAndSum;
  readonly after: CountAndSum;
}

/** A closed day, which never changes. */
export interface ClosedDay {
  readonly schema: 1;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  /** YYYY-MM-DD in the installation's time zone at that time. */
  readonly day: string;
  readonly timeZone: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly closedAtMs: number;
  readonly figures: DayFigures;
}

/** The totals of a day in one currency. */
export interface DayTotals {
  readonly currency: string;
  readonly approved: number;
  readonly approvedMinor: number;
  readonly declined: number;
  /** Payments of the day that were refunded, and the refunded amount. */
  readonly refunds: number;
  readonly refundedMinor: number;
  readonly netMinor: number;
}

/** A closed day in a list. */
export interface DaySummary {
  readonly day: string;
  /** Null for a day without any activity, about which nothing is stored. */
  readonly closedAtMs: number | null;
  readonly totals: readonly DayTotals[];
  readonly unknown: number;
  readonly conflicting: number;
  readonly corrections: number;
}

export interface ReconciledDay {
  readonly closed: ClosedDay;
  /** The oldest come first, CORRECTIONS_MAX at most. */
  readonly corrections: readonly Correction[];
  readonly correctionCount: number;
}

export interface DaysQuery {
  readonly limit: number;
  readonly before: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * Reads the closed days of merchants. Every method rejects with RelayError `unavailable` when the
 * store cannot answer.
 */
export interface Reconciliation {
  /**
   * `open`: the day is not closed yet. It closes at `closesAtMs`, or soon after that when all its
   * rows exist. Null: the merchant had nothing on the day.
   */
  day(owner: MerchantParty, day: string): Promise<ReconciledDay | { readonly type: "open"; readonly closesAtMs: number } | null>;
  /**
   * Lists the newest days first, from and to these days (included), since the first one with any
   * activity. `activeOnly`: leaves out the days without any. `next` is the `before` of the next
   * page, or null on the last page.
   */
  days(
    owner: MerchantParty,
    query: DaysQuery & { readonly activeOnly: boolean },
  ): Promise<{ items: readonly DaySummary[]; next: string | null }>;
  /**
   * Lists a partner's merchants in the order of their ids, after `after` only. The list is empty
   * until the day is closed for all of them.
   */
  ofPartner(
    partnerId: number,
    day: string,
    query: { readonly limit: number; readonly after: string | null },
  ): Promise<{ items: readonly ReconciledDay[]; next: string | null }>;
}
