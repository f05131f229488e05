import { type Static, Type } from "@sinclair/typebox";
import { dunningCalendar, isUnpaid, lastFailureOf, meansOf, nextTryAtMs, retryFromMs } from "../../../../engine/subscriptions/rules.ts";
import type {
  ChargeAttempt,
  Collection,
  CycleCharge,
  Dunning,
  SubscriptionCreator,
  SubscriptionCustomer,
  SubscriptionRecord,
} from "../../../../engine/subscriptions/subscription.ts";
import { SUBSCRIPTION_STATES } from "../../../../engine/subscriptions/words.ts";
import { resourceOf, webhookObject } from "../../../endpoint/resource.ts";
import { maskedEmail, maskedName } from "../../parts/masking.ts";
import { CustomerEmail, LocaleWord, words } from "../../parts/schemas.ts";
import { type ActorContext, EXAMPLE_CONTEXT } from "../actor-context.ts";
import { filtersOf } from "../list-filters.ts";
import { SUBSCRIPTION_LIST } from "./list.ts";
import { CollectionWord, DunningFinalActionWord, EXAMPLE_TERMS, PLAN_ID, PLAN_TERMS, PLAN_TEXT, PlanIntervalWord } from "./plan-schemas.ts";

/** The resource of subscriptions, and the JSON of requests. Pages take their types from it. */

export const SubscriptionStateWord = words(SUBSCRIPTION_STATES, {
  title: "SubscriptionState",
  description:
    "INCOMPLETE: the first payment has not been made yet. TRIALING: no payment is due yet. ACTIVE: the current cycle is paid, or its payment is in progress. PAST_DUE: a payment has failed. PAUSED: the relay requests no payments. CANCELLED: the subscription has ended for good.",
});
/** POST /subscriptions. */
export const CreateSubscription = Type.Object(
  {
    planId: Type.String(PLAN_ID),
    customer: Type.Object(
      {
        name: Type.String(PLAN_TEXT),
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
/** The filters of GET /subscriptions, without PAGE_QUERY. */
export const SUBSCRIPTION_FILTERS = filtersOf(SUBSCRIPTION_LIST, {
  state: SubscriptionStateWord,
  planId: PLAN_ID,
  customerEmail: { description: "Only subscriptions with exactly this address." },
  from: { description: "Only subscriptions created on this day or later, in the installation's time zone." },
});

const a = resourceOf<ChargeAttempt, SubscriptionContext>();
const attempt = a.resource({
  title: "SubscriptionAttempt",
  members: {
    id: a.text(),
    means: a.value(CollectionWord),
    state: a.value(
      words(["asked", "unknown", "open", "done", "failed"], {
        title: "SubscriptionAttemptState",
        description:
          "asked: no response yet. unknown: it is unknown whether the customer was charged; the relay requests no other payment meanwhile. open: the link can be paid.",
      }),
    ),
    askedAt: a.time("when the payment was requested."),
    endedAt: a.time("when the attempt ended.").orNull(),
    nextLookAt: a
      .time("when the relay checks it again; null after it has ended.")
      .orNull()
      .from(({ lookAtMs }) => lookAtMs),
    code: a.text("Why it failed, as a code of the gateway or the card service.").orNull(),
    message: a
      .text("Why it failed, as a text.")
      .orNull()
      .from(({ description }) => description),
    hard: a.boolean("True if a retry is useless: the customer needs another means of payment."),
    paymentLinkId: a
      .text("Id for GET /payment-links/{id}; null for a card.")
      .orNull()
      .from(({ link }) => link?.id ?? null),
  },
  views: { webhook: [["id", "means", "state", "askedAt", "endedAt", "code", "hard", "paymentLinkId"]] },
});

const c = resourceOf<CycleCharge, SubscriptionContext>();
const charge = c.resource({
  title: "SubscriptionCharge",
  members: {
    cycle: c.integer(),
    dueAt: c.time("when the cycle became due."),
    periodFrom: c.time("the beginning of the paid period.").from(({ period }) => period.fromMs),
    periodUntil: c.time("the end of the paid period.").from(({ period }) => period.untilMs),
    amountMinor: c.integer(),
    currency: c.text(),
    state: c.value(
      words(["OPEN", "PAID", "VOID"], {
        title: "SubscriptionChargeState",
        description: "VOID: no payment is requested any more, because the subscription was paused and resumed with a later cycle.",
      }),
    ),
    failedAt: c.time("the first failure.").orNull(),
    paidAt: c.time("when the cycle was paid.").orNull(),
    late: c.boolean("True if the cycle was paid after the subscription was paused or cancelled."),
    attempts: c.list(attempt, "Attempts in order; all except the last one have ended."),
  },
  views: { webhook: [["cycle", "state", "amountMinor", "currency", "dueAt", "failedAt", "paidAt", "late", "attempts"]] },
});
const unpaid = c.resource({
  title: "SubscriptionUnpaid",
  members: {
    amountMinor: c.integer(),
    currency: c.text(),
    dueAt: c.time("when the unpaid cycle became due."),
    code: c
      .text("Why the last attempt failed; null if none has failed.")
      .orNull()
      .from((found) => lastFailureOf(found)?.code ?? null),
    message: c
      .text("Why it failed, as a text.")
      .orNull()
      .from((found) => lastFailureOf(found)?.description ?? null),
    hard: c.boolean("True if charging the card again is useless.").from((found) => lastFailureOf(found)?.hard ?? false),
  },
});

type DunningShown = Dunning & ReturnType<typeof dunningCalendar> & { readonly means: Collection | null };
const s = resourceOf<DunningShown["steps"][number], SubscriptionContext>();
const d = resourceOf<DunningShown, SubscriptionContext>();
const dunning = d.resource({
  title: "SubscriptionDunning",
  members: {
    failedAt: d.time("the first failure of the cycle."),
    steps: d.list(
      s.resource({ title: "DunningStep", members: { at: s.time("when the retry is due."), made: s.boolean() } }),
      "The retries: those that were made and those to come.",
    ),
    means: d.value(CollectionWord).orNull(),
    finalAction: d.value(DunningFinalActionWord).from(({ terms }) => terms.finalAction),
    finalAt: d.time("when the relay takes the final action."),
    stays: d.boolean("True if all retries were made and the subscription stays past due."),
    mails: d.boolean().from(({ terms }) => terms.mails),
  },
});

const b = resourceOf<SubscriptionCustomer, SubscriptionContext>();
const customer = b.resource({
  title: "SubscriptionCustomer",
  description: "The customer. Name and address are masked for roles that do not see personal data.",
  members: { name: b.text().personal(maskedName), email: b.text().personal(maskedEmail), locale: b.value(LocaleWord) },
});

/** The most payments in one response: four years of a monthly plan. */
export const CHARGES_PAGE = 48;

export interface SubscriptionContext extends ActorContext<SubscriptionCreator> {
  urlOf(token: string): string;
  /** Has one charge more than the response shows if there are more. */
  readonly charges: readonly CycleCharge[];
}

const SHOWN = [
  ["id", "url", "state", "planId", "plan", "customer", "collection", "methodId", "createdAt", "createdBy", "creator", "cycle"],
  ["periodFrom", "periodUntil", "nextDueAt", "unpaid", "dunning", "nextRetryAt", "retryFrom", "cancelsAtPeriodEnd", "cancelledAt"],
  ["cancelledBy", "pausedAt", "pausedBy"],
] as const;
const EXAMPLE_PERIOD = { fromMs: Date.parse("2026-02-28T08:00:00.000Z"), untilMs: Date.parse("2026-03-31T07:00:00.000Z") };
const EXAMPLE_CHARGE: CycleCharge = {
  ...{ cycle: 2, dueAtMs: EXAMPLE_PERIOD.fromMs, period: EXAMPLE_PERIOD, amountMinor: 2_900, currency: "EUR", state: "OPEN" },
  ...{ failedAtMs: Date.parse("2026-02-28T08:12:00.000Z"), paidAtMs: null, late: false },
  attempts: [
    {
      ...{ id: "sub-sub_4f0k2m9x7q1c8v5b3n6z0a2s-2-1", n: 1, means: "CARD", state: "failed", hard: false, link: null, closing: false },
      ...{ askedAtMs: Date.parse("2026-02-28T08:11:59.000Z"), endedAtMs: Date.parse("2026-02-28T08:12:00.000Z"), lookedAtMs: 0, looks: 0 },
      ...{ lookAtMs: null, code: "insufficient_funds", description: "Insufficient funds", flagged: false },
    },
  ],
};

const m = resourceOf<SubscriptionRecord, SubscriptionContext>();
/**
 * Shown by lists, GET /subscriptions/{id}, the responses of changes and the events
 * `subscription.*`.
 */
export const subscription = m.resource({
  title: "SubscriptionDetail",
  itemTitle: "Subscription",
  members: {
    id: m.text(),
    url: m
      .text("Address of the customer's page. Anyone who has it may pay and cancel, so it is null for roles that do not see personal data.")
      .orNull()
      .from(({ token }, { urlOf }) => urlOf(token))
      .personal(() => null),
    state: m.value(SubscriptionStateWord),
    planId: m.text(),
    plan: m.value(Type.Object(PLAN_TERMS, { title: "PlanTerms" })),
    customer: m.nested(customer),
    collection: m.value(CollectionWord),
    methodId: m.text("The card on file; null for LINK.").orNull(),
    createdAt: m.time("when the subscription was created."),
    createdBy: m
      .text(
        "Display name of the creator: the user's e-mail address (masked for roles that do not see personal data), `Former user`, or `API key`.",
      )
      .from(({ createdBy }, { names }) => names(createdBy, true).by)
      .personal((_, { createdBy }, { names }) => names(createdBy, false).by),
    creator: m
      .value(words(["user", "former_user", "key", "agent"], { description: "The kind of `createdBy`." }))
      .from(({ createdBy }, { names }) => names(createdBy).byType),
    cycle: m.integer("The number of the current period; 0 for the trial."),
    periodFrom: m.time("the beginning of the current period.").from(({ period }) => period.fromMs),
    periodUntil: m.time("its end.").from(({ period }) => period.untilMs),
    nextDueAt: m
      .time("when the relay requests the payment of the next cycle, if nothing changes; null if there will be none.")
      .orNull()
      .from(({ state, period, cancelsAtPeriodEnd }) =>
        state === "PAUSED" || state === "CANCELLED" || cancelsAtPeriodEnd ? null : period.untilMs,
      ),
    unpaid: m
      .nested(unpaid)
      .orNull()
      .from((record) => (isUnpaid(record) ? record.charge : null)),
    dunning: m
      .nested(dunning)
      .orNull()
      .from((record) =>
        record.dunning === null ? null : { ...record.dunning, ...dunningCalendar(record.dunning), means: meansOf(record) },
      ),
    nextRetryAt: m.time("when the relay charges the card again automatically; null if the customer must pay.").orNull().from(nextTryAtMs),
    retryFrom: m
      .time("the time from which `retry` is permitted again; null if it is permitted now.")
      .orNull()
      .from((record, { nowMs }) => retryFromMs(record, nowMs)),
    cancelsAtPeriodEnd: m.boolean(),
    cancelledAt: m.time("when the subscription was cancelled.").orNull(),
    cancelledBy: m
      .value(words(["merchant", "customer", "no_first_payment", "dunning"], { description: "Who cancelled it, or why it ended." }))
      .orNull(),
    pausedAt: m.time("when the subscription was paused.").orNull(),
    pausedBy: m.value(words(["merchant", "dunning", "deactivated"])).orNull(),
    charges: m
      .list(charge, "Payments of the subscription, the latest cycle first.")
      .from((_, { charges }) => charges.slice(0, CHARGES_PAGE)),
    chargesNext: m
      .integer("Pass it as `beforeCycle` to get earlier payments; null if there are none.")
      .orNull()
      .from((_, { charges }) => (charges.length > CHARGES_PAGE ? (charges[CHARGES_PAGE - 1]?.cycle ?? null) : null)),
    // Only events have the following members.
    amountMinor: m.integer().from(({ plan: terms }) => terms.amountMinor),
    currency: m.text().from(({ plan: terms }) => terms.currency),
    interval: m.value(PlanIntervalWord).from(({ plan: terms }) => terms.interval),
    count: m.integer().from(({ plan: terms }) => terms.count),
    charge: m.nested(charge).orNull(),
    pastDueSince: m
      .time("when the unpaid cycle failed first.")
      .orNull()
      .from((record) => record.dunning?.failedAtMs ?? null),
  },
  views: {
    full: [...SHOWN, ["charges", "chargesNext"]],
    item: SHOWN,
    // Readers of a delivery must not learn the customer, and must not be able to pay or cancel.
    webhook: [
      ["state", "planId", "amountMinor", "currency", "interval", "count", "collection", "createdAt", "cycle", "periodFrom", "periodUntil"],
      ["charge", "pastDueSince", "cancelsAtPeriodEnd", "cancelledAt", "cancelledBy", "pausedAt", "pausedBy"],
    ],
  },
  example: {
    record: {
      ...{ schema: 1, id: "sub_4f0k2m9x7q1c8v5b3n6z0a2s", token: "7Y2mBqN0cKxE4rTgVdW1aP", merchantId: "SHOP-001", partnerId: 1 },
      ...{ livemode: true, planId: "plan_9x7q1c8v5b3n6z0a2s4f0k2m", plan: EXAMPLE_TERMS, collection: "CARD", methodId: "card_4d7c" },
      customer: { name: "Ada Rossi", email: "ada@example.com", locale: "it" },
      ...{ createdBy: { type: "key" }, createdAtMs: Date.parse("2026-01-31T10:00:00.000Z"), updatedAtMs: 0, state: "PAST_DUE" },
      ...{ anchorDay: 31, anchorMonth: "2026-01", cycle: 2, period: EXAMPLE_PERIOD, charge: EXAMPLE_CHARGE },
      dunning: {
        ...{ failedAtMs: Date.parse("2026-02-28T08:12:00.000Z"), step: 1, stays: false },
        terms: { retryDays: [1, 3], finalAction: "CANCEL", mails: true },
      },
      ...{ cancelsAtPeriodEnd: false, cancelledAtMs: null, cancelledBy: null, pausedAtMs: null, pausedBy: null, retriedAtMs: null },
      ...{ operationId: null, mailOwed: null, mails: 0, nextAtMs: null, events: 0 },
    },
    context: { ...EXAMPLE_CONTEXT, urlOf: (token) => `https://relay.example/s/${token}`, charges: [EXAMPLE_CHARGE] },
  },
});

export const subscriptionObject = (record: SubscriptionRecord) => webhookObject("subscription", subscription, record);

export type SubscriptionJson = Static<typeof subscription.item.schema>;
export type SubscriptionDetailJson = Static<typeof subscription.schema>;
export type SubscriptionChargeJson = Static<typeof charge.schema>;
export type SubscriptionAttemptJson = Static<typeof attempt.schema>;
export type SubscriptionDunningJson = Static<typeof dunning.schema>;
