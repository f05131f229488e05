import { type Static, Type } from "@sinclair/typebox";
import { AMOUNT_MINOR_MAX, LINK_TEXT_LENGTH_MAX } from "../../../../engine/kernel/limits.ts";
import { NO_CONTROL_CHARACTERS } from "../../../../engine/kernel/well-formed.ts";
import type { PlanRecord, PlanTerms } from "../../../../engine/subscriptions/plan.ts";
import {
  COLLECTIONS,
  DUNNING_DAYS_MAX,
  DUNNING_FINAL_ACTIONS,
  DUNNING_RETRIES_MAX,
  PLAN_COUNTS_MAX,
  PLAN_INTERVALS,
  PLAN_TRIAL_DAYS_MAX,
} from "../../../../engine/subscriptions/words.ts";
import { resourceOf } from "../../../endpoint/resource.ts";
import { words } from "../../parts/schemas.ts";
import { EXAMPLE_CONTEXT } from "../actor-context.ts";

/** The resource of plans, and the JSON of requests and dunning. Pages take their types from it. */

export const PlanIntervalWord = words(PLAN_INTERVALS, { title: "PlanInterval" });
export const CollectionWord = words(COLLECTIONS, {
  title: "SubscriptionCollection",
  description: "LINK: the customer pays each cycle by a payment link. CARD: a card on file is charged.",
});
export const DunningFinalActionWord = words(DUNNING_FINAL_ACTIONS, {
  title: "DunningFinalAction",
  description: "What happens to a subscription a day after the last retry. STAY: it stays past due until somebody decides.",
});

export const PLAN_TEXT = {
  ...NO_CONTROL_CHARACTERS,
  minLength: 1,
  maxLength: LINK_TEXT_LENGTH_MAX,
  errorMessage: `must have 1 to ${LINK_TEXT_LENGTH_MAX} characters, and no control characters`,
};

export const PLAN_ID = { pattern: "^plan_[a-z0-9]{24}$", errorMessage: "must be the id of a plan" };

export const EXAMPLE_TERMS: PlanTerms = {
  ...{ name: "Gym, monthly", amountMinor: 2_900, currency: "EUR", interval: "MONTH", count: 1, trialDays: 0 },
};
const AMOUNT = { minimum: 1, maximum: AMOUNT_MINOR_MAX, description: "Amount in minor units of the currency." };
const COUNT_MAX = Math.max(...Object.values(PLAN_COUNTS_MAX));

/** POST /plans. */
export const CreatePlan = Type.Object(
  {
    name: Type.String({ ...PLAN_TEXT, description: "For customers." }),
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
export const PLAN_TERMS = {
  name: Type.String(),
  amountMinor: Type.Integer(),
  currency: Type.String(),
  interval: PlanIntervalWord,
  count: Type.Integer({ description: "Number of intervals between payments." }),
  trialDays: Type.Integer(),
};

const p = resourceOf<PlanRecord>();
/** Shown by GET /plans, GET /plans/{id} and the response of every change. */
export const plan = p.resource({
  title: "Plan",
  members: {
    id: p.text(),
    name: p.value(PLAN_TERMS.name).from(({ terms }) => terms.name),
    amountMinor: p.value(PLAN_TERMS.amountMinor).from(({ terms }) => terms.amountMinor),
    currency: p.value(PLAN_TERMS.currency).from(({ terms }) => terms.currency),
    interval: p.value(PLAN_TERMS.interval).from(({ terms }) => terms.interval),
    count: p.value(PLAN_TERMS.count).from(({ terms }) => terms.count),
    trialDays: p.value(PLAN_TERMS.trialDays).from(({ terms }) => terms.trialDays),
    active: p.boolean("Whether the plan accepts new subscriptions."),
    used: p.boolean("True if the plan has or had subscriptions: it can be deactivated, but not deleted."),
    createdAt: p.time("when the plan was created."),
    updatedAt: p.time("when the plan was last changed."),
  },
  example: {
    record: {
      ...{ schema: 1, id: "plan_9x7q1c8v5b3n6z0a2s4f0k2m", merchantId: "SHOP-001", partnerId: 1, livemode: true, active: true },
      ...{ terms: EXAMPLE_TERMS, used: false, createdAtMs: Date.parse("2026-01-31T09:00:00.000Z") },
      updatedAtMs: Date.parse("2026-01-31T09:00:00.000Z"),
    },
    context: EXAMPLE_CONTEXT,
  },
});
/** GET /plans: every plan, newest first. */
export const Plans = Type.Object(
  {
    items: Type.Array(plan.schema),
    collections: Type.Array(CollectionWord, {
      description: "How payments can be collected here. CARD is present only if cards on file can be charged.",
    }),
  },
  { title: "Plans" },
);

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
  // A request has the same members and accepts no others.
  { title: "DunningPolicy", additionalProperties: false },
);

export type PlanJson = Static<typeof plan.schema>;
export type PlansJson = Static<typeof Plans>;
export type DunningPolicyJson = Static<typeof DunningPolicy>;
