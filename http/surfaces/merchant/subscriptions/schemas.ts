import { type Static, Type } from "@sinclair/typebox";
import { EMAIL_LENGTH_MAX } from "../../../../engine/accounts/account.ts";
import { AMOUNT_MINOR_MAX, LINK_TEXT_LENGTH_MAX } from "../../../../engine/kernel/limits.ts";
import { NO_CONTROL_CHARACTERS } from "../../../../engine/kernel/well-formed.ts";
import { PLAN_INTERVALS } from "../../../../engine/subscriptions/calendar.ts";
import { DUNNING_DAYS_MAX, DUNNING_FINAL_ACTIONS, DUNNING_RETRIES_MAX } from "../../../../engine/subscriptions/dunning-policy.ts";
import { PLAN_COUNTS_MAX, PLAN_TRIAL_DAYS_MAX } from "../../../../engine/subscriptions/plan.ts";
import { COLLECTIONS, SUBSCRIPTION_STATES } from "../../../../engine/subscriptions/subscription.ts";
import { CustomerEmail, LocaleWord, words } from "../../parts/schemas.ts";
import { DAY } from "../../parts/time.ts";
import { listOf, nullable, ToDay, time } from "../schema-parts.ts";

/** The JSON of plans, subscriptions and dunning, once: endpoints declare it, the portal's pages take their types from it. */

export const PlanIntervalWord = words(PLAN_INTERVALS, { title: "PlanInterval" });
export const SubscriptionStateWord = words(SUBSCRIPTION_STATES, {
  title: "SubscriptionState",
  description:
    "INCOMPLETE: the first payment has not been made yet. TRIALING: no payment is due yet. ACTIVE: the current cycle is paid, or its payment is in progress. PAST_DUE: a payment has failed. PAUSED: the relay requests no payments. CANCELLED: the subscription has ended for good.",
});
export const CollectionWord = words(COLLECTIONS, {
  title: "SubscriptionCollection",
  description: "LINK: the customer pays each cycle by a payment link. CARD: a card on file is charged.",
});
export const DunningFinalActionWord = words(DUNNING_FINAL_ACTIONS, {
  title: "DunningFinalAction",
  description: "What happens to a subscription a day after the last retry. STAY: it stays past due until somebody decides.",
});

const TEXT = {
  ...NO_CONTROL_CHARACTERS,
  minLength: 1,
  maxLength: LINK_TEXT_LENGTH_MAX,
  errorMessage: `must have 1 to ${LINK_TEXT_LENGTH_MAX} characters, and no control characters`,
};

export const PLAN_ID = { pattern: "^plan_[a-z0-9]{24}$", errorMessage: "must be the id of a plan" };

// --- plans ---------------------------------------------------------------------------------------------------------------------------------------------

const AMOUNT = { minimum: 1, maximum: AMOUNT_MINOR_MAX, description: "Amount in minor units of the currency." };
const COUNT_MAX = Math.max(...Object.values(PLAN_COUNTS_MAX));

/** POST /plans. */
export const CreatePlan = Type.Object(
  {
    name: Type.String({ ...TEXT, description: "For customers." }),
    amountMinor: Type.Integer(AMOUNT),
    currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$", default: "EUR" })),
    interval: PlanIntervalWord,
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: COUNT_MAX,
        default: 1,
        description: `Number of intervals between payments; at most ${PLAN_COUNTS_MAX.WEEK} weeks, ${PLAN_COUNTS_MAX.MONTH} months or ${PLAN_COUNTS_MAX.YEAR} years.`,
      }),
    ),
    trialDays: Type.Optional(
      Type.Integer({ minimum: 0, maximum: PLAN_TRIAL_DAYS_MAX, default: 0, description: "Number of days before the first payment." }),
    ),
  },
  { title: "PlanRequest" },
);
/** PATCH /plans/{id}. */
export const ChangePlan = Type.Object(
  { active: Type.Boolean({ description: "Whether the plan accepts new subscriptions. Existing subscriptions continue." }) },
  { title: "PlanChange" },
);
const PLAN_TERMS = {
  name: Type.String(),
  amountMinor: Type.Integer(),
  currency: Type.String(),
  interval: PlanIntervalWord,
  count: Type.Integer({ description: "Number of intervals between payments." }),
  trialDays: Type.Integer(),
};
export const PlanTermsSchema = Type.Object(PLAN_TERMS, { title: "PlanTerms" });
export const Plan = Type.Object(
  {
    id: Type.String(),
    ...PLAN_TERMS,
    active: Type.Boolean({ description: "Whether the plan accepts new subscriptions." }),
    used: Type.Boolean({ description: "True if the plan has or had subscriptions: it can be deactivated, but not deleted." }),
    createdAt: time("when the plan was created."),
    updatedAt: time("when the plan was last changed."),
  },
  { title: "Plan" },
);
/** GET /plans: all of them, newest first. */
export const Plans = Type.Object(
  {
    items: Type.Array(Plan),
    collections: Type.Array(CollectionWord, {
      description: "How payments can be collected here. CARD is present only if cards on file can be charged.",
    }),
  },
  { title: "Plans" },
);

// --- dunning -------------------------------------------------------------------------------------------------------------------------------------------

/** GET, PUT /dunning. */
export const DunningPolicy = Type.Object(
  {
    retryDays: Type.Array(Type.Integer({ minimum: 1, maximum: DUNNING_DAYS_MAX }), {
      minItems: 1,
      maxItems: DUNNING_RETRIES_MAX,
      description: `Days after the first failure, in increasing order: 1 to ${DUNNING_RETRIES_MAX} numbers of at most ${DUNNING_DAYS_MAX}.`,
    }),
    finalAction: DunningFinalActionWord,
    mails: Type.Boolean({
      description: "Whether the relay mails the customer: at the first failure, at each retry, and when the cycle is paid after a failure.",
    }),
  },
  // The same in a request, which takes no other members.
  { title: "DunningPolicy", additionalProperties: false },
);

// --- subscriptions -------------------------------------------------------------------------------------------------------------------------------------

/** POST /subscriptions. */
export const CreateSubscription = Type.Object(
  {
    planId: Type.String(PLAN_ID),
    customer: Type.Object(
      {
        name: Type.String(TEXT),
        email: CustomerEmail,
        locale: Type.Optional(LocaleWord),
      },
      { title: "SubscriptionCustomerRequest", additionalProperties: false },
    ),
    collection: Type.Optional(CollectionWord),
    methodId: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9._:-]{1,100}$",
        description: "The card on file, for CARD.",
        errorMessage: "must be the id of a card on file",
      }),
    ),
  },
  { title: "SubscriptionRequest" },
);
/** POST /subscriptions/{id}/cancel. */
export const CancelSubscription = Type.Object(
  { atPeriodEnd: Type.Boolean({ description: "True to cancel at the end of the current period instead of at once." }) },
  { title: "SubscriptionCancellation" },
);
/** Filters of GET /subscriptions, beside PAGE_QUERY. */
export const SUBSCRIPTION_FILTERS = {
  state: Type.Optional(SubscriptionStateWord),
  planId: Type.Optional(Type.String(PLAN_ID)),
  customerEmail: Type.Optional(
    Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX, description: "Only subscriptions with exactly this address." }),
  ),
  from: Type.Optional(
    Type.String({ ...DAY, description: "Only subscriptions created on this day or later, in the installation's time zone." }),
  ),
  to: Type.Optional(ToDay),
};

export const ChargeAttemptState = words(["asked", "unknown", "open", "done", "failed"], {
  title: "SubscriptionAttemptState",
  description:
    "asked: no response yet. unknown: it is unknown whether the customer was charged; the relay requests no other payment meanwhile. open: the link can be paid.",
});
export const SubscriptionAttempt = Type.Object(
  {
    id: Type.String(),
    means: CollectionWord,
    state: ChargeAttemptState,
    askedAt: time("when the payment was requested."),
    endedAt: nullable(time("when the attempt ended.")),
    nextLookAt: nullable(time("when the relay checks it again; null after it has ended.")),
    code: nullable(Type.String({ description: "Why it failed, as a code of the gateway or the card service." })),
    message: nullable(Type.String({ description: "Why it failed, as a text." })),
    hard: Type.Boolean({ description: "True if a retry is useless: the customer needs another means of payment." }),
    paymentLinkId: nullable(Type.String({ description: "Id for GET /payment-links/{id}; null for a card." })),
  },
  { title: "SubscriptionAttempt" },
);
export const SubscriptionCharge = Type.Object(
  {
    cycle: Type.Integer(),
    dueAt: time("when the cycle became due."),
    periodFrom: time("the beginning of the paid period."),
    periodUntil: time("the end of the paid period."),
    amountMinor: Type.Integer(),
    currency: Type.String(),
    state: words(["OPEN", "PAID", "VOID"], {
      title: "SubscriptionChargeState",
      description: "VOID: no payment is requested any more, because the subscription was paused and resumed with a later cycle.",
    }),
    failedAt: nullable(time("the first failure.")),
    paidAt: nullable(time("when the cycle was paid.")),
    late: Type.Boolean({ description: "True if the cycle was paid after the subscription was paused or cancelled." }),
    attempts: Type.Array(SubscriptionAttempt, { description: "Attempts in order; all except the last one have ended." }),
  },
  { title: "SubscriptionCharge" },
);
const DunningStep = Type.Object({ at: time("when the retry is due."), made: Type.Boolean() }, { title: "DunningStep" });
export const SubscriptionDunning = Type.Object(
  {
    failedAt: time("the first failure of the cycle."),
    steps: Type.Array(DunningStep, { description: "The retries: those that were made and those to come." }),
    means: nullable(CollectionWord),
    finalAction: DunningFinalActionWord,
    finalAt: time("when the relay takes the final action."),
    stays: Type.Boolean({ description: "True if all retries were made and the subscription stays past due." }),
    mails: Type.Boolean(),
  },
  { title: "SubscriptionDunning" },
);
const SUBSCRIPTION = {
  id: Type.String(),
  url: nullable(
    Type.String({
      description:
        "Address of the customer's page. Anyone who has it may pay and cancel, so it is null for roles that do not see personal data.",
    }),
  ),
  state: SubscriptionStateWord,
  planId: Type.String(),
  plan: PlanTermsSchema,
  customer: Type.Object(
    { name: Type.String(), email: Type.String(), locale: LocaleWord },
    { title: "SubscriptionCustomer", description: "The customer. Name and address are masked for roles that do not see personal data." },
  ),
  collection: CollectionWord,
  methodId: nullable(Type.String({ description: "The card on file; null for LINK." })),
  createdAt: time("when the subscription was created."),
  createdBy: Type.String({
    description:
      "Display name of the creator: the user's e-mail address (masked for roles that do not see personal data), `Former user`, or `API key`.",
  }),
  creator: words(["user", "former_user", "key", "agent"], { description: "The kind of `createdBy`." }),
  cycle: Type.Integer({ description: "The number of the current period; 0 for the trial." }),
  periodFrom: time("the beginning of the current period."),
  periodUntil: time("its end."),
  nextDueAt: nullable(time("when the relay requests the payment of the next cycle, if nothing changes; null if there will be none.")),
  unpaid: nullable(
    Type.Object(
      {
        amountMinor: Type.Integer(),
        currency: Type.String(),
        dueAt: time("when the unpaid cycle became due."),
        code: nullable(Type.String({ description: "Why the last attempt failed; null if none has failed." })),
        message: nullable(Type.String({ description: "Why it failed, as a text." })),
        hard: Type.Boolean({ description: "True if charging the card again is useless." }),
      },
      { title: "SubscriptionUnpaid" },
    ),
  ),
  dunning: nullable(SubscriptionDunning),
  nextRetryAt: nullable(time("when the relay charges the card again automatically; null if the customer must pay.")),
  retryFrom: nullable(time("the time from which `retry` is permitted again; null if it is permitted now.")),
  cancelsAtPeriodEnd: Type.Boolean(),
  cancelledAt: nullable(time("when the subscription was cancelled.")),
  cancelledBy: nullable(
    words(["merchant", "customer", "no_first_payment", "dunning"], { description: "Who cancelled it, or why it ended." }),
  ),
  pausedAt: nullable(time("when the subscription was paused.")),
  pausedBy: nullable(words(["merchant", "dunning", "deactivated"])),
};
/** GET /subscriptions. */
export const Subscription = Type.Object(SUBSCRIPTION, { title: "Subscription" });
/** GET /subscriptions/{id}, and the answer of every change. */
export const SubscriptionDetail = Type.Object(
  {
    ...SUBSCRIPTION,
    charges: Type.Array(SubscriptionCharge, { description: "Payments of the subscription, the latest cycle first." }),
    chargesNext: nullable(Type.Integer({ description: "Pass it as `beforeCycle` to get earlier payments; null if there are none." })),
  },
  { title: "SubscriptionDetail" },
);
export const SubscriptionPage = listOf(Subscription);

export type PlanJson = Static<typeof Plan>;
export type PlansJson = Static<typeof Plans>;
export type DunningPolicyJson = Static<typeof DunningPolicy>;
export type SubscriptionJson = Static<typeof Subscription>;
export type SubscriptionDetailJson = Static<typeof SubscriptionDetail>;
export type SubscriptionChargeJson = Static<typeof SubscriptionCharge>;
export type SubscriptionAttemptJson = Static<typeof SubscriptionAttempt>;
export type SubscriptionDunningJson = Static<typeof SubscriptionDunning>;
