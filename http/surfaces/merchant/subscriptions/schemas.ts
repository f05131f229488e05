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
    "INCOMPLETE: the first payment has not been made yet. TRIALING: nothing has to be paid yet. ACTIVE: paid, or the payment of the cycle is under way. PAST_DUE: a payment has failed. PAUSED: nothing is asked for. CANCELLED: for ever.",
});
export const CollectionWord = words(COLLECTIONS, {
  title: "SubscriptionCollection",
  description: "LINK: the customer pays each cycle by a payment link. CARD: a card on file is charged.",
});
export const DunningFinalActionWord = words(DUNNING_FINAL_ACTIONS, {
  title: "DunningFinalAction",
  description: "What a subscription becomes a day after the last retry. STAY: it stays past due until somebody decides.",
});

const TEXT = {
  ...NO_CONTROL_CHARACTERS,
  minLength: 1,
  maxLength: LINK_TEXT_LENGTH_MAX,
  errorMessage: `must have 1 to ${LINK_TEXT_LENGTH_MAX} characters, and no control characters`,
};

export const PLAN_ID = { pattern: "^plan_[a-z0-9]{24}$", errorMessage: "must be the id of a plan" };

// --- plans ---------------------------------------------------------------------------------------------------------------------------------------------

const AMOUNT = { minimum: 1, maximum: AMOUNT_MINOR_MAX, description: "Minor units of the currency." };
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
        description: `Every so many intervals; at most ${PLAN_COUNTS_MAX.WEEK} weeks, ${PLAN_COUNTS_MAX.MONTH} months or ${PLAN_COUNTS_MAX.YEAR} years.`,
      }),
    ),
    trialDays: Type.Optional(
      Type.Integer({ minimum: 0, maximum: PLAN_TRIAL_DAYS_MAX, default: 0, description: "Days before the first payment." }),
    ),
  },
  { title: "PlanRequest" },
);
/** PATCH /plans/{id}. */
export const ChangePlan = Type.Object(
  { active: Type.Boolean({ description: "Whether there may be new subscriptions to it. Those that it has go on." }) },
  { title: "PlanChange" },
);
const PLAN_TERMS = {
  name: Type.String(),
  amountMinor: Type.Integer(),
  currency: Type.String(),
  interval: PlanIntervalWord,
  count: Type.Integer({ description: "Every so many intervals." }),
  trialDays: Type.Integer(),
};
export const PlanTermsSchema = Type.Object(PLAN_TERMS, { title: "PlanTerms" });
export const Plan = Type.Object(
  {
    id: Type.String(),
    ...PLAN_TERMS,
    active: Type.Boolean({ description: "Whether there may be new subscriptions to it." }),
    used: Type.Boolean({ description: "It has or had subscriptions: it can be deactivated, and not be removed." }),
    createdAt: time("when it was created."),
    updatedAt: time("when it was last changed."),
  },
  { title: "Plan" },
);
/** GET /plans: all of them, newest first. */
export const Plans = Type.Object(
  {
    items: Type.Array(Plan),
    collections: Type.Array(CollectionWord, {
      description: "How payments can be asked for here: CARD only where cards on file can be charged.",
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
      description: `Days after the first failure, increasing: 1 to ${DUNNING_RETRIES_MAX} of them, at most ${DUNNING_DAYS_MAX}.`,
    }),
    finalAction: DunningFinalActionWord,
    mails: Type.Boolean({
      description: "Whether the customer is written to: at the first failure, at each step, and when it is paid after all.",
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
  { atPeriodEnd: Type.Boolean({ description: "When the current period ends, instead of at once." }) },
  { title: "SubscriptionCancellation" },
);
/** Filters of GET /subscriptions, beside PAGE_QUERY. */
export const SUBSCRIPTION_FILTERS = {
  state: Type.Optional(SubscriptionStateWord),
  planId: Type.Optional(Type.String(PLAN_ID)),
  customerEmail: Type.Optional(Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX, description: "Exactly this address." })),
  from: Type.Optional(Type.String({ ...DAY, description: "Created on this day or later, in the installation's time zone." })),
  to: Type.Optional(ToDay),
};

export const ChargeAttemptState = words(["asked", "unknown", "open", "done", "failed"], {
  title: "SubscriptionAttemptState",
  description:
    "asked: nothing was answered yet. unknown: nobody says whether the customer was charged; no other payment is asked for meanwhile. open: the link can be paid.",
});
export const SubscriptionAttempt = Type.Object(
  {
    id: Type.String(),
    means: CollectionWord,
    state: ChargeAttemptState,
    askedAt: time("when it was asked for."),
    endedAt: nullable(time("when it ended.")),
    nextLookAt: nullable(time("when the relay looks at it again; null once it has ended.")),
    code: nullable(Type.String({ description: "Why it failed, as a code of whoever was asked." })),
    message: nullable(Type.String({ description: "The same in words." })),
    hard: Type.Boolean({ description: "Asking again is of no use: another means of payment is needed." }),
    paymentLinkId: nullable(Type.String({ description: "Of GET /payment-links/{id}; null for a card." })),
  },
  { title: "SubscriptionAttempt" },
);
export const SubscriptionCharge = Type.Object(
  {
    cycle: Type.Integer(),
    dueAt: time("when it began to be due."),
    periodFrom: time("the first moment of what is paid for."),
    periodUntil: time("the end of what is paid for."),
    amountMinor: Type.Integer(),
    currency: Type.String(),
    state: words(["OPEN", "PAID", "VOID"], {
      title: "SubscriptionChargeState",
      description: "VOID: given up, because the subscription was paused and went on with a later cycle.",
    }),
    failedAt: nullable(time("the first failure.")),
    paidAt: nullable(time("when it was paid.")),
    late: Type.Boolean({ description: "Paid after the subscription was paused or cancelled." }),
    attempts: Type.Array(SubscriptionAttempt, { description: "In order; all but the last have ended." }),
  },
  { title: "SubscriptionCharge" },
);
const DunningStep = Type.Object({ at: time("when its time comes."), made: Type.Boolean() }, { title: "DunningStep" });
export const SubscriptionDunning = Type.Object(
  {
    failedAt: time("the first failure of the cycle."),
    steps: Type.Array(DunningStep, { description: "The calendar of retries: those that were made and those to come." }),
    means: nullable(CollectionWord),
    finalAction: DunningFinalActionWord,
    finalAt: time("when the final action is taken."),
    stays: Type.Boolean({ description: "The calendar has come to its end, and the subscription stays past due." }),
    mails: Type.Boolean(),
  },
  { title: "SubscriptionDunning" },
);
const SUBSCRIPTION = {
  id: Type.String(),
  url: nullable(
    Type.String({
      description: "The customer's page. Whoever has it may pay and cancel: null for roles that do not see personal data.",
    }),
  ),
  state: SubscriptionStateWord,
  planId: Type.String(),
  plan: PlanTermsSchema,
  customer: Type.Object(
    { name: Type.String(), email: Type.String(), locale: LocaleWord },
    { title: "SubscriptionCustomer", description: "Name and address masked for roles that do not see personal data." },
  ),
  collection: CollectionWord,
  methodId: nullable(Type.String({ description: "The card on file; null for LINK." })),
  createdAt: time("when it was created."),
  createdBy: Type.String({
    description:
      "For people to read: the user's e-mail address (masked for roles that do not see personal data), `Former user`, or `API key`.",
  }),
  creator: words(["user", "former_user", "key", "agent"], { description: "What `createdBy` is." }),
  cycle: Type.Integer({ description: "The number of the current period; 0 for the trial." }),
  periodFrom: time("the beginning of the current period."),
  periodUntil: time("its end."),
  nextDueAt: nullable(time("when the next cycle is asked for, if nothing changes; null where none will be.")),
  unpaid: nullable(
    Type.Object(
      {
        amountMinor: Type.Integer(),
        currency: Type.String(),
        dueAt: time("when it began to be due."),
        code: nullable(Type.String({ description: "Why the last attempt failed; null where none has." })),
        message: nullable(Type.String({ description: "The same in words." })),
        hard: Type.Boolean({ description: "Asking the card again is of no use." }),
      },
      { title: "SubscriptionUnpaid" },
    ),
  ),
  dunning: nullable(SubscriptionDunning),
  nextRetryAt: nullable(time("when the card is charged again by itself; null where the customer has to pay.")),
  retryFrom: nullable(time("from when `retry` is permitted again; null: now.")),
  cancelsAtPeriodEnd: Type.Boolean(),
  cancelledAt: nullable(time("when it was cancelled.")),
  cancelledBy: nullable(
    words(["merchant", "customer", "no_first_payment", "dunning"], { description: "Who wanted it to end, or why it ended." }),
  ),
  pausedAt: nullable(time("when it was paused.")),
  pausedBy: nullable(words(["merchant", "dunning", "deactivated"])),
};
/** GET /subscriptions. */
export const Subscription = Type.Object(SUBSCRIPTION, { title: "Subscription" });
/** GET /subscriptions/{id}, and the answer of every change. */
export const SubscriptionDetail = Type.Object(
  {
    ...SUBSCRIPTION,
    charges: Type.Array(SubscriptionCharge, { description: "Its payments, the latest cycle first." }),
    chargesNext: nullable(Type.Integer({ description: "As `beforeCycle`: those before; null where there are no more." })),
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
