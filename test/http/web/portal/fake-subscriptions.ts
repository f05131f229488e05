import type { DunningPolicyJson, PlanJson, PlansJson } from "../../../../http/surfaces/merchant/subscriptions/plan-schemas.ts";
import type {
  SubscriptionAttemptJson,
  SubscriptionChargeJson,
  SubscriptionDetailJson,
  SubscriptionDunningJson,
} from "../../../../http/surfaces/merchant/subscriptions/schemas.ts";
import type { FakeAnswer, FakeHandler, FakeRequest } from "./fake-relay.ts";

export function planOf(changes: Partial<PlanJson> = {}): PlanJson {
  return {
    id: "plan_aaaaaaaaaaaaaaaaaaaaaa01",
    ...{ name: "Gym, monthly", amountMinor: 2_900, currency: "EUR", interval: "MONTH", count: 1, trialDays: 14 },
    ...{ active: true, used: true, createdAt: "2026-01-10T09:00:00.000Z", updatedAt: "2026-01-10T09:00:00.000Z" },
    ...changes,
  };
}

export const PLAN = {
  monthly: planOf(),
  weekly: planOf({
    ...{ id: "plan_aaaaaaaaaaaaaaaaaaaaaa02", name: "Vegetable box, every other week", amountMinor: 3_450, trialDays: 0 },
    ...{ interval: "WEEK", count: 2, used: false },
  }),
  yearly: planOf({
    ...{ id: "plan_aaaaaaaaaaaaaaaaaaaaaa03", name: "A membership whose name is longer than any column of a list has room for" },
    ...{ amountMinor: 129_900, interval: "YEAR", trialDays: 0, active: false },
  }),
} as const;

export const PLANS: PlansJson = { items: Object.values(PLAN), collections: ["LINK", "CARD"] };
/** Where no card on file can be charged. */
export const PLANS_BY_LINK: PlansJson = { ...PLANS, collections: ["LINK"] };

export const DUNNING: DunningPolicyJson = { retryDays: [1, 3, 5, 7], finalAction: "CANCEL", mails: true };

export function attemptOf(changes: Partial<SubscriptionAttemptJson> = {}): SubscriptionAttemptJson {
  return {
    ...{ id: "sub-sub_aaaaaaaaaaaaaaaaaaaaaa01-2-1", means: "CARD", state: "done", askedAt: "2026-02-28T08:11:59.000Z" },
    ...{ endedAt: "2026-02-28T08:12:00.000Z", nextLookAt: null, code: null, message: null, hard: false, paymentLinkId: null },
    ...changes,
  };
}

export const DECLINED = attemptOf({ state: "failed", code: "insufficient_funds", message: "Insufficient funds" });

export function chargeOf(changes: Partial<SubscriptionChargeJson> = {}): SubscriptionChargeJson {
  return {
    ...{ cycle: 2, dueAt: "2026-02-28T08:00:00.000Z", periodFrom: "2026-02-28T08:00:00.000Z", periodUntil: "2026-03-31T07:00:00.000Z" },
    ...{ amountMinor: 2_900, currency: "EUR", state: "PAID", failedAt: null, paidAt: "2026-02-28T08:12:00.000Z", late: false },
    attempts: [attemptOf()],
    ...changes,
  };
}

export function dunningOf(changes: Partial<SubscriptionDunningJson> = {}): SubscriptionDunningJson {
  return {
    failedAt: "2026-02-28T08:12:00.000Z",
    steps: [
      { at: "2026-03-01T08:12:00.000Z", made: true },
      { at: "2026-03-03T08:12:00.000Z", made: false },
      { at: "2026-03-05T08:12:00.000Z", made: false },
      { at: "2026-03-07T08:12:00.000Z", made: false },
    ],
    ...{ means: "CARD", finalAction: "CANCEL", finalAt: "2026-03-08T08:12:00.000Z", stays: false, mails: true },
    ...changes,
  };
}

export function subscriptionOf(changes: Partial<SubscriptionDetailJson> = {}): SubscriptionDetailJson {
  return {
    ...{ id: "sub_aaaaaaaaaaaaaaaaaaaaaa01", url: "https://relay.example/s/abcdefghijklmnopqrstuv", state: "ACTIVE" },
    planId: PLAN.monthly.id,
    plan: { name: "Gym, monthly", amountMinor: 2_900, currency: "EUR", interval: "MONTH", count: 1, trialDays: 0 },
    customer: { name: "Chiara Conti", email: "chiara.conti@example.com", locale: "it" },
    ...{ collection: "CARD", methodId: "card_4d7c", createdAt: "2026-01-31T10:00:00.000Z" },
    ...{ createdBy: "anna.rossi@example.com", creator: "user", cycle: 2 },
    ...{ periodFrom: "2026-02-28T08:00:00.000Z", periodUntil: "2026-03-31T07:00:00.000Z", nextDueAt: "2026-03-31T07:00:00.000Z" },
    ...{ unpaid: null, dunning: null, nextRetryAt: null, retryFrom: null, cancelsAtPeriodEnd: false, cancelledAt: null },
    ...{ cancelledBy: null, pausedAt: null, pausedBy: null, charges: [chargeOf()], chargesNext: null },
    ...changes,
  };
}

const idOf = (number: number) => `sub_aaaaaaaaaaaaaaaaaaaaaa${String(number).padStart(2, "0")}`;
const LINK_ID = "pl_aaaaaaaaaaaaaaaaaaaaaa02";
const OPEN = { state: "OPEN", paidAt: null } as const;
const UNPAID = { amountMinor: 2_900, currency: "EUR", dueAt: "2026-02-28T08:00:00.000Z", code: null, message: null, hard: false };
const DECLINED_CHARGE = chargeOf({ ...OPEN, failedAt: "2026-02-28T08:12:00.000Z", attempts: [DECLINED] });
const BY_LINK = { collection: "LINK", methodId: null } as const;

/** A subscription in every state, and in those of its payment that are shown in another way. */
export const SUBSCRIPTIONS = {
  pastDue: subscriptionOf({
    ...{ state: "PAST_DUE", unpaid: { ...UNPAID, code: "insufficient_funds", message: "Insufficient funds" }, dunning: dunningOf() },
    nextRetryAt: "2026-03-03T08:12:00.000Z",
    charges: [DECLINED_CHARGE, chargeOf({ cycle: 1, dueAt: "2026-01-31T10:00:00.000Z", periodFrom: "2026-01-31T10:00:00.000Z" })],
  }),
  pastDueByLink: subscriptionOf({
    ...{ id: idOf(2), ...BY_LINK, state: "PAST_DUE", unpaid: UNPAID, dunning: dunningOf({ means: "LINK", finalAction: "PAUSE" }) },
    ...{
      retryFrom: "2099-02-28T09:30:00.000Z",
      customer: { name: "Circolo Canottieri del Naviglio Grande", email: "soci@example.com", locale: "en" },
    },
    charges: [
      chargeOf({
        ...{ ...OPEN, failedAt: "2026-03-03T08:12:00.000Z" },
        attempts: [attemptOf({ means: "LINK", state: "open", endedAt: null, paymentLinkId: LINK_ID })],
      }),
    ],
  }),
  stays: subscriptionOf({
    ...{ id: idOf(3), ...BY_LINK, state: "PAST_DUE", unpaid: { ...UNPAID, code: "link_expired" } },
    dunning: dunningOf({
      ...{ means: "LINK", finalAction: "STAY", stays: true, steps: [{ at: "2026-03-01T08:12:00.000Z", made: true }] },
      finalAt: "2026-03-02T08:12:00.000Z",
    }),
    charges: [
      chargeOf({
        ...{ ...OPEN, failedAt: "2026-02-28T08:12:00.000Z" },
        attempts: [attemptOf({ means: "LINK", state: "failed", code: "link_expired", paymentLinkId: LINK_ID })],
      }),
    ],
  }),
  unknown: subscriptionOf({
    ...{
      id: idOf(4),
      state: "PAST_DUE",
      unpaid: { ...UNPAID, code: "insufficient_funds", message: "Insufficient funds" },
      dunning: dunningOf(),
    },
    charges: [
      {
        ...DECLINED_CHARGE,
        attempts: [
          DECLINED,
          attemptOf({ id: `sub-${idOf(4)}-2-2`, state: "unknown", endedAt: null, nextLookAt: "2026-03-01T08:17:00.000Z" }),
        ],
      },
    ],
  }),
  hard: subscriptionOf({
    ...{
      id: idOf(5),
      state: "PAST_DUE",
      unpaid: { ...UNPAID, code: "lost_card", message: "Lost card", hard: true },
      dunning: dunningOf({ means: "LINK" }),
    },
    ...{ cancelsAtPeriodEnd: true, cancelledBy: "merchant", nextDueAt: null, periodUntil: "2026-03-04T08:00:00.000Z" },
    charges: [
      {
        ...DECLINED_CHARGE,
        attempts: [
          attemptOf({ state: "failed", code: "lost_card", message: "Lost card", hard: true }),
          attemptOf({ id: `sub-${idOf(5)}-2-2`, means: "LINK", state: "open", endedAt: null, paymentLinkId: LINK_ID }),
        ],
      },
    ],
  }),
  incomplete: subscriptionOf({
    ...{ id: idOf(6), ...BY_LINK, state: "INCOMPLETE", cycle: 1, unpaid: UNPAID, createdAt: "2026-02-28T08:00:00.000Z" },
    charges: [
      chargeOf({ ...OPEN, cycle: 1, attempts: [attemptOf({ means: "LINK", state: "open", endedAt: null, paymentLinkId: LINK_ID })] }),
    ],
  }),
  trialing: subscriptionOf({
    ...{ id: idOf(7), ...BY_LINK, state: "TRIALING", cycle: 0, charges: [], createdBy: "API key", creator: "key" },
    plan: { name: "Gym, monthly", amountMinor: 2_900, currency: "EUR", interval: "MONTH", count: 1, trialDays: 14 },
  }),
  active: subscriptionOf({ id: idOf(8), chargesNext: 2 }),
  due: subscriptionOf({
    ...{ id: idOf(9), ...BY_LINK, unpaid: UNPAID },
    charges: [chargeOf({ ...OPEN, attempts: [attemptOf({ means: "LINK", state: "open", endedAt: null, paymentLinkId: LINK_ID })] })],
  }),
  ending: subscriptionOf({ id: idOf(10), cancelsAtPeriodEnd: true, cancelledBy: "customer", nextDueAt: null }),
  paused: subscriptionOf({
    ...{ id: idOf(11), state: "PAUSED", pausedAt: "2026-03-08T08:12:00.000Z", pausedBy: "dunning", nextDueAt: null, unpaid: UNPAID },
    charges: [DECLINED_CHARGE],
  }),
  twice: subscriptionOf({
    ...{ id: idOf(12), ...BY_LINK },
    charges: [
      chargeOf({
        attempts: [
          attemptOf({ means: "LINK", paymentLinkId: LINK_ID }),
          attemptOf({ id: `sub-${idOf(12)}-2-2`, means: "LINK", paymentLinkId: "pl_aaaaaaaaaaaaaaaaaaaaaa03" }),
        ],
      }),
    ],
  }),
  cancelled: subscriptionOf({
    ...{ id: idOf(13), state: "CANCELLED", cancelledAt: "2026-03-08T08:12:00.000Z", cancelledBy: "dunning", nextDueAt: null },
    charges: [
      chargeOf({
        state: "PAID",
        late: true,
        failedAt: "2026-02-28T08:12:00.000Z",
        attempts: [DECLINED, attemptOf({ id: `sub-${idOf(13)}-2-2` })],
      }),
    ],
  }),
} as const;

export const SUBSCRIPTION_LIST: { items: SubscriptionDetailJson[]; next: string | null } = {
  items: Object.values(SUBSCRIPTIONS),
  next: null,
};

/** The answer to a subscription's address, by the id in it. */
export function subscriptionAt({ path }: FakeRequest): FakeAnswer {
  const subscription = SUBSCRIPTION_LIST.items.find(({ id }) => path.split("/")[2] === id);
  return subscription === undefined ? { status: 404, code: "not_found" } : { data: subscription };
}

/** What the pages of subscriptions ask. */
export const SUBSCRIPTION_HANDLERS: Readonly<Record<string, FakeHandler>> = {
  "GET /plans": () => ({ data: PLANS }),
  "GET /dunning": () => ({ data: DUNNING }),
  "GET /subscriptions": () => ({ data: SUBSCRIPTION_LIST }),
  "GET /subscriptions/*": subscriptionAt,
};
