import type { BillingAnchor } from "./calendar.ts";
import type { DunningTerms } from "./dunning-policy.ts";
import type { PlanTerms } from "./plan.ts";
import type { COLLECTIONS, SUBSCRIPTION_STATES } from "./words.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A subscription is cancelled if its first payment is not made within this time. */
export const FIRST_PAYMENT_MS = 72 * HOUR_MS;
/**
 * A cycle with a link counts as failed if it is unpaid this long after the creation of the link, at
 * its due time.
 */
export const LINK_OVERDUE_MS = 3 * DAY_MS;
/** The time between the last retry and the final action. */
export const DUNNING_FINAL_AFTER_MS = DAY_MS;
/** The minimum time between two "retry now" of a merchant. */
export const RETRY_GAP_MS = HOUR_MS;
/** Spreads simultaneous due times over this period, by a hash of the id. */
export const SPREAD_MS = 30 * MINUTE_MS;
/** Limits the attempts of one cycle: eight retries and those that somebody requested. */
export const ATTEMPTS_MAX = 40;
/**
 * An attempt is requested within the first time after it is stored, or not at all. After the second
 * time, a check learns its outcome.
 */
export const ASK_WITHIN_MS = 20_000;
export const ASK_LEASE_MS = MINUTE_MS;
/** Operators are notified if the outcome of a charge is unknown for this long. */
export const UNKNOWN_FLAG_MS = DAY_MS;

/**
 * Limits the subscriptions that a merchant creates in an hour and environment. A program that
 * creates more probably repeats itself.
 */
export const SUBSCRIPTIONS_PER_HOUR_MAX = 5_000;

export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

export type Collection = (typeof COLLECTIONS)[number];

/** Personal data: never logged, and masked for roles that may not see it. */
export interface SubscriptionCustomer {
  readonly name: string;
  readonly email: string;
  /** The language of the mails. */
  readonly locale: "it" | "en";
}

export type SubscriptionCreator = { readonly type: "user"; readonly userId: string } | { readonly type: "key" };

export interface Period {
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * An attempt at the payment of a cycle. It is stored before it is requested. No other attempt
 * starts until its outcome is known.
 *
 * - `asked`: stored, without a response so far.
 * - `unknown`: (CARD) it is unknown whether the customer was charged.
 * - `open`: (LINK) the link can be paid.
 * - `done`, `failed`: ended.
 */
export interface ChargeAttempt {
  /** `sub-<subscription's id>-<cycle>-<n>`. The provider executes an id at most once. */
  readonly id: string;
  readonly n: number;
  readonly means: Collection;
  readonly state: "asked" | "unknown" | "open" | "done" | "failed";
  readonly askedAtMs: number;
  /** The last check, and the number of checks so far. */
  readonly lookedAtMs: number;
  readonly looks: number;
  /** The next check; null once it has ended. */
  readonly lookAtMs: number | null;
  readonly endedAtMs: number | null;
  /** The reason of a failure, in a code and words of the provider. No personal data. */
  readonly code: string | null;
  readonly description: string | null;
  /** Another attempt with this means is useless; a different means is needed. */
  readonly hard: boolean;
  readonly link: { readonly id: string; readonly token: string } | null;
  /** The link is being cancelled, so that the card can be charged. */
  readonly closing: boolean;
  /**
   * Whether the outcome was already unknown for long at the last check. Operators are notified
   * while it is unknown.
   */
  readonly flagged: boolean;
  /** (LINK) The payment in the merchant's transactions. */
  readonly uuid?: string;
}

/** The payment of one cycle. */
export interface CycleCharge {
  readonly cycle: number;
  /** The time at which it became due. */
  readonly dueAtMs: number;
  readonly period: Period;
  readonly amountMinor: number;
  readonly currency: string;
  /** VOID: given up, because the subscription was paused and continued with a later cycle. */
  readonly state: "OPEN" | "PAID" | "VOID";
  /** The time of the first failure. */
  readonly failedAtMs: number | null;
  readonly paidAtMs: number | null;
  /** Paid after the subscription was paused or cancelled. */
  readonly late: boolean;
  /** In order; all but the last have ended. */
  readonly attempts: readonly ChargeAttempt[];
}

/** The state of an unpaid cycle under the merchant's policy at the first failure. */
export interface Dunning {
  readonly failedAtMs: number;
  readonly terms: DunningTerms;
  /**
   * The number of completed steps. A step is completed at its time, whatever could be requested or
   * was paid.
   */
  readonly step: number;
  /** The policy has ended, and the subscription stays past due. */
  readonly stays: boolean;
}

export const SUBSCRIPTION_MAILS = ["payment", "failed", "step", "recovered", "cancelled"] as const;
/**
 * Mails to the customer. `payment`: a cycle must be paid. `cancelled`: the subscription has ended,
 * or ends with its period.
 */
export type SubscriptionMail = (typeof SUBSCRIPTION_MAILS)[number];

/**
 * A customer who pays a merchant repeatedly.
 *
 * - INCOMPLETE: the first payment is not made yet.
 * - TRIALING: nothing must be paid yet.
 * - ACTIVE: paid, or the payment of the cycle is in progress.
 * - PAST_DUE: a payment has failed.
 * - PAUSED: no payment is requested, and the time does not count.
 * - CANCELLED: ended permanently.
 */
export interface SubscriptionRecord extends BillingAnchor {
  readonly schema: 1;
  /** `sub_` and 24 letters or digits, derived from the operation that created it. */
  readonly id: string;
  /** 22 random letters or digits. Anybody who knows them sees the customer's page. Never logged. */
  readonly token: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly planId: string;
  /** The terms of the plan when the subscription started. */
  readonly plan: PlanTerms;
  readonly customer: SubscriptionCustomer;
  readonly collection: Collection;
  /** The id of the card on file for `RecurringCharges`; null for LINK. It is not a card number. */
  readonly methodId: string | null;
  readonly createdBy: SubscriptionCreator;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly state: SubscriptionState;
  /** The number of the current period in the calendar; 0 for the trial. */
  readonly cycle: number;
  readonly period: Period;
  /** The latest requested payment; null before the first. */
  readonly charge: CycleCharge | null;
  readonly dunning: Dunning | null;
  readonly cancelsAtPeriodEnd: boolean;
  readonly cancelledAtMs: number | null;
  /**
   * The actor who ended it or requested the end at the period's end, or the reason of an automatic
   * end.
   */
  readonly cancelledBy: "merchant" | "customer" | "no_first_payment" | "dunning" | null;
  readonly pausedAtMs: number | null;
  readonly pausedBy: "merchant" | "dunning" | "deactivated" | null;
  /** The time of the merchant's last "retry now". */
  readonly retriedAtMs: number | null;
  /** The last request that changed it. A repetition gets the same response. */
  readonly operationId: string | null;
  /** A mail that could not be queued, and the time of the next try. */
  readonly mailOwed: { readonly kind: SubscriptionMail; readonly atMs: number } | null;
  /** The number of mails so far. */
  readonly mails: number;
  /** The time at which the relay processes it next; null if never. */
  readonly nextAtMs: number | null;
  /** The number of its webhook events so far. */
  readonly events: number;
  /**
   * The time at which it first became ACTIVE or TRIALING; null before. Records created before this
   * member existed do not have it.
   */
  readonly activeAtMs?: number | null;
}
