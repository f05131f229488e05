import type { MerchantParty } from "../kernel/merchant-scope.ts";
import type { TransactionMethod, TransactionStatus } from "../payments/transaction.ts";

/** A day's closing names so many uuids at most, of each kind; it counts them all. */
export const NAMED_MAX = 100;

/** Lines of a day: terminals, methods, outcomes and currencies that had anything. A day with more is closed with those of the merchant as a whole. */
export const LINES_MAX = 2_000;

/** Corrections of a day that are listed; further ones are counted. */
export const CORRECTIONS_MAX = 500;

export interface CountAndSum {
  readonly count: number;
  /** Minor units. */
  readonly amountMinor: number;
}

/** Payments of a terminal, by method, outcome and currency. `terminalId` null: of all terminals, where they are too many for lines of their own. */
export interface PaymentLine extends CountAndSum {
  readonly terminalId: string | null;
  readonly method: TransactionMethod;
  readonly status: TransactionStatus;
  readonly currency: string;
}

/** Payment links made on the day, or refunds asked for on it, by their state. */
export interface StateLine extends CountAndSum {
  readonly state: string;
  readonly currency: string;
}

export interface NamedPayment {
  readonly uuid: string;
  readonly terminalId: string;
}

/** All of a kind are counted, the first NAMED_MAX are named. */
export interface NamedPayments {
  readonly count: number;
  readonly items: readonly NamedPayment[];
}

/** The figures of a merchant's day. */
export interface DayFigures {
  readonly payments: readonly PaymentLine[];
  /** What was given back of these payments, whenever that was: how many of them, and how much. Absent in days that were closed before it was kept. */
  readonly refunded?: readonly PaymentLine[];
  readonly links: readonly StateLine[];
  readonly refunds: readonly StateLine[];
  /** Commands of the day of which nobody knows whether they were paid. */
  readonly unknown: NamedPayments;
  /** Payments of the day of which a terminal has posted different results. */
  readonly conflicting: NamedPayments;
}

/** What has changed after the day was closed: a line of its figures, or a payment that they name. */
export type CorrectionSubject =
  | {
      readonly of: "payments" | "refunded";
      readonly terminalId: string | null;
      readonly method: TransactionMethod;
      readonly status: TransactionStatus;
      readonly currency: string;
    }
  | { readonly of: "links" | "refunds"; readonly state: string; readonly currency: string }
  /** Without a uuid: all of the kind, where they are more than are named. */
  | { readonly of: "unknown" | "conflicting"; readonly uuid: string | null; readonly terminalId: string | null };

export interface Correction {
  readonly subject: CorrectionSubject;
  /** When the relay noticed it. */
  readonly atMs: number;
  /** Of a named payment the count is 1 where it is named and 0 where it is not (any more), and the amount is 0. */
  readonly before: CountAndSum;
  readonly after: CountAndSum;
}

/** A day as it was closed. Never changes. */
export interface ClosedDay {
  readonly schema: 1;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  /** YYYY-MM-DD in the installation's time zone, as it was then. */
  readonly day: string;
  readonly timeZone: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly closedAtMs: number;
  readonly figures: DayFigures;
}

/** What a day comes to in one currency. */
export interface DayTotals {
  readonly currency: string;
  readonly approved: number;
  readonly approvedMinor: number;
  readonly declined: number;
  /** Payments of the day of which something was given back, and what that comes to. */
  readonly refunds: number;
  readonly refundedMinor: number;
  readonly netMinor: number;
}

/** A closed day in a list. */
export interface DaySummary {
  readonly day: string;
  readonly closedAtMs: number;
  readonly totals: readonly DayTotals[];
  readonly unknown: number;
  readonly conflicting: number;
  readonly corrections: number;
}

export interface ReconciledDay {
  readonly closed: ClosedDay;
  /** Oldest first, at most CORRECTIONS_MAX. */
  readonly corrections: readonly Correction[];
  readonly correctionCount: number;
}

/** Days of merchants that are closed. Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface Reconciliation {
  /** `open`: the day is not closed yet; it is at `closesAtMs`, or as soon after that as all its rows are there. Null: the merchant had nothing on it. */
  day(owner: MerchantParty, day: string): Promise<ReconciledDay | { readonly type: "open"; readonly closesAtMs: number } | null>;
  /** Newest first; days from and to these, both included. `next`: the `before` of the next page, null where there is no more. */
  days(
    owner: MerchantParty,
    query: { readonly limit: number; readonly before: string | null; readonly from: string | null; readonly to: string | null },
  ): Promise<{ items: readonly DaySummary[]; next: string | null }>;
  /** Of a partner's merchants, in the order of their ids; those behind `after` only. None before the day is closed for all of them. */
  ofPartner(
    partnerId: number,
    day: string,
    query: { readonly limit: number; readonly after: string | null },
  ): Promise<{ items: readonly ReconciledDay[]; next: string | null }>;
}
