import type { BillingAnchor } from "./calendar.ts";
import type { DunningTerms } from "./dunning-policy.ts";
import type { PlanTerms } from "./plan.ts";
import type { COLLECTIONS, SUBSCRIPTION_STATES } from "./words.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A subscription whose first payment is not made within this time is cancelled. */
export const FIRST_PAYMENT_MS = 72 * HOUR_MS;
/** A cycle that is paid by link counts as failed when it is unpaid so long after its link was made, which is when it is due. */
export const LINK_OVERDUE_MS = 3 * DAY_MS;
/** Between the last retry and the final action. */
export const DUNNING_FINAL_AFTER_MS = DAY_MS;
/** "Retry now" of a merchant. */
export const RETRY_GAP_MS = HOUR_MS;
/** What is due at the same time is spread over this time, by a hash of the id. */
export const SPREAD_MS = 30 * MINUTE_MS;
/** Attempts at one cycle: eight retries, and those that somebody asked for. */
export const ATTEMPTS_MAX = 40;
/** Whoever stored an attempt asks for it within this time or not at all; after the second one others find out what became of it. */
export const ASK_WITHIN_MS = 20_000;
export const ASK_LEASE_MS = MINUTE_MS;
/** Operators are told when it is not known for so long whether somebody was charged. */
export const UNKNOWN_FLAG_MS = DAY_MS;

/** Subscriptions that a merchant makes in an hour, in one environment; a program that makes more of them repeats itself. */
export const SUBSCRIPTIONS_PER_HOUR_MAX = 5_000;

export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

export type Collection = (typeof COLLECTIONS)[number];

/** Personal data: never logged, and masked for roles that do not see it. */
export interface SubscriptionCustomer {
  readonly name: string;
  readonly email: string;
  /** Of the mails. */
  readonly locale: "it" | "en";
}

export type SubscriptionCreator = { readonly type: "user"; readonly userId: string } | { readonly type: "key" };

export interface Period {
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * One attempt at the payment of a cycle. It is stored before it is asked for, and no other one is begun until what became of it is known.
 *
 *   asked    stored; nothing was answered yet
 *   unknown  (CARD) no answer says whether the customer was charged
 *   open     (LINK) the link can be paid
 *   done, failed
 */
export interface ChargeAttempt {
  /** `sub-<subscription's id>-<cycle>-<n>`: whoever is asked does it once at most for it. */
  readonly id: string;
  readonly n: number;
  readonly means: Collection;
  readonly state: "asked" | "unknown" | "open" | "done" | "failed";
  readonly askedAtMs: number;
  /** When it was looked at the last time, and how often without its end. */
  readonly lookedAtMs: number;
  readonly looks: number;
  /** When it is looked at next; null once it has ended. */
  readonly lookAtMs: number | null;
  readonly endedAtMs: number | null;
  /** Why it failed, in a code and words of whoever was asked; no personal data. */
  readonly code: string | null;
  readonly description: string | null;
  /** Asking again is of no use: another means of payment is needed. */
  readonly hard: boolean;
  readonly link: { readonly id: string; readonly token: string } | null;
  /** Its link is taken back, so that the card can be charged. */
  readonly closing: boolean;
  /** When it was looked at the last time without an answer, it had not been known for long: operators are told while it is not. */
  readonly flagged: boolean;
  /** (LINK) The payment by which it is done, as the merchant's transactions name it. */
  readonly uuid?: string;
}

/** The payment of one cycle. */
export interface CycleCharge {
  readonly cycle: number;
  /** When it began to be due. */
  readonly dueAtMs: number;
  readonly period: Period;
  readonly amountMinor: number;
  readonly currency: string;
  /** VOID: given up, because the subscription was paused and went on with a later cycle. */
  readonly state: "OPEN" | "PAID" | "VOID";
  /** The first failure. */
  readonly failedAtMs: number | null;
  readonly paidAtMs: number | null;
  /** Paid after the subscription was paused or cancelled. */
  readonly late: boolean;
  /** In order; all but the last one have ended. */
  readonly attempts: readonly ChargeAttempt[];
}

/** What is done about the cycle that is not paid, as the merchant's policy was at the first failure. */
export interface Dunning {
  readonly failedAtMs: number;
  readonly terms: DunningTerms;
  /** Steps that were made. They are made when their time comes, whatever was paid or could be asked for. */
  readonly step: number;
  /** The policy has come to its end, and says that the subscription stays. */
  readonly stays: boolean;
}

export const SUBSCRIPTION_MAILS = ["payment", "failed", "step", "recovered"] as const;
/** To the customer. `payment`: a cycle is to be paid. */
export type SubscriptionMail = (typeof SUBSCRIPTION_MAILS)[number];

/**
 * A customer who pays a merchant again and again.
 *
 *   INCOMPLETE  the first payment has not been made yet
 *   TRIALING    nothing has to be paid yet
 *   ACTIVE      paid, or the payment of the cycle is under way
 *   PAST_DUE    a payment has failed
 *   PAUSED      nothing is asked for; the time counts for nothing
 *   CANCELLED   for ever
 */
export interface SubscriptionRecord extends BillingAnchor {
  readonly schema: 1;
  /** `sub_` and 24 letters or digits, derived from the operation that created it. */
  readonly id: string;
  /** 22 letters or digits that nobody can guess: whoever knows them sees the customer's page. Never logged. */
  readonly token: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly planId: string;
  /** As the plan was when the subscription began. */
  readonly plan: PlanTerms;
  readonly customer: SubscriptionCustomer;
  readonly collection: Collection;
  /** The card on file, as `RecurringCharges` names it; null for LINK. No card number. */
  readonly methodId: string | null;
  readonly createdBy: SubscriptionCreator;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly state: SubscriptionState;
  /** Of the current period, by the calendar; 0 for the trial. */
  readonly cycle: number;
  readonly period: Period;
  /** The latest payment that was asked for; null before the first. */
  readonly charge: CycleCharge | null;
  readonly dunning: Dunning | null;
  readonly cancelsAtPeriodEnd: boolean;
  readonly cancelledAtMs: number | null;
  /** Who wanted it to end, at once or at the period's end; or why it ended by itself. */
  readonly cancelledBy: "merchant" | "customer" | "no_first_payment" | "dunning" | null;
  readonly pausedAtMs: number | null;
  readonly pausedBy: "merchant" | "dunning" | "deactivated" | null;
  /** When the merchant last asked for "retry now". */
  readonly retriedAtMs: number | null;
  /** The last request that changed it: the same one again is answered as the first time. */
  readonly operationId: string | null;
  /** A mail for which there was no room, and when it is tried again. */
  readonly mailOwed: { readonly kind: SubscriptionMail; readonly atMs: number } | null;
  /** Mails so far. */
  readonly mails: number;
  /** When the relay looks at it next by itself; null: not any more. */
  readonly nextAtMs: number | null;
  /** Webhook events of it so far. */
  readonly events: number;
  /** When it first became ACTIVE or TRIALING; null while it has not. Absent in those of before it was kept. */
  readonly activeAtMs?: number | null;
}
