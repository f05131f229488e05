import type { SubscriptionEvent } from "../../../engine/subscriptions/events.ts";
import { nextAtMs } from "../../../engine/subscriptions/rules.ts";
import type { ChargeAttempt, CycleCharge, SubscriptionRecord, SubscriptionState } from "../../../engine/subscriptions/subscription.ts";

export const CREATED_MS = 1_700_000_000_000;
export const DAY_MS = 86_400_000;
export const NOW_MS = CREATED_MS + 1_000;
export const TERMS = { retryDays: [1, 3], finalAction: "CANCEL", mails: true } as const;

export const idOf = (n: number) => `sub_${String(n).padStart(24, "0")}`;
export const tokenOf = (n: number) => `S${String(n).padStart(21, "0")}`;
export const attemptId = (n: number, cycle = 1) => `sub-${idOf(1)}-${cycle}-${n}`;

export function attempt(n: number, state: ChargeAttempt["state"], changes: Partial<ChargeAttempt> = {}): ChargeAttempt {
  const hasEnded = state === "done" || state === "failed";
  return {
    ...{ id: attemptId(n), n, means: "CARD", state, askedAtMs: CREATED_MS, lookedAtMs: CREATED_MS, looks: 0 },
    ...{ lookAtMs: hasEnded ? null : CREATED_MS + 60_000, endedAtMs: hasEnded ? CREATED_MS : null },
    ...{ code: state === "failed" ? "declined" : null, description: null, hard: false, link: null, closing: false, flagged: false },
    ...changes,
  };
}

export const link = (n: number, changes: Partial<ChargeAttempt> = {}) =>
  attempt(n, "open", { means: "LINK", link: { id: `pl_${n}`, token: "t" }, ...changes });

export function charge(attempts: readonly ChargeAttempt[], changes: Partial<CycleCharge> = {}): CycleCharge {
  return {
    ...{ cycle: 1, dueAtMs: CREATED_MS, period: { fromMs: CREATED_MS, untilMs: CREATED_MS + 30 * DAY_MS } },
    ...{ amountMinor: 2_900, currency: "EUR", state: attempts.some(({ state }) => state === "done") ? "PAID" : "OPEN" },
    ...{ failedAtMs: null, paidAtMs: null, late: false, attempts },
    ...changes,
  };
}

export function subscription(state: SubscriptionState, changes: Partial<SubscriptionRecord> = {}): SubscriptionRecord {
  const record: SubscriptionRecord = {
    ...{ schema: 1, id: idOf(1), token: tokenOf(1), merchantId: "M1", partnerId: 1, livemode: false, planId: "plan_1" },
    plan: { name: "Gym", amountMinor: 2_900, currency: "EUR", interval: "MONTH", count: 1, trialDays: 0 },
    customer: { name: "Ada", email: "ada@example.org", locale: "en" },
    ...{ collection: "CARD", methodId: "card_1", createdBy: { type: "key" }, createdAtMs: CREATED_MS, updatedAtMs: CREATED_MS },
    ...{ anchorDay: 14, anchorMonth: "2023-11", state, cycle: 1, period: { fromMs: CREATED_MS, untilMs: CREATED_MS + 30 * DAY_MS } },
    ...{ charge: null, dunning: null, cancelsAtPeriodEnd: false, cancelledAtMs: null, cancelledBy: null, pausedAtMs: null },
    ...{ pausedBy: null, retriedAtMs: null, operationId: null, mailOwed: null, mails: 0, nextAtMs: null, events: 0 },
    ...changes,
  };
  return { ...record, nextAtMs: nextAtMs(record) };
}

/** Returns an event of each type for the pending attempt, or with default values. */
export function eventOf(type: SubscriptionEvent["type"], atMs: number, n = 1): SubscriptionEvent {
  const id = { atMs, attemptId: attemptId(n) };
  const next = { cycle: 2, dueAtMs: CREATED_MS + 30 * DAY_MS, untilMs: CREATED_MS + 60 * DAY_MS };
  switch (type) {
    case "deadline.passed":
      return { type, atMs, isInactive: false, next, terms: TERMS };
    case "charge.opened":
      return { type, ...id, link: { id: "pl_1", token: "t" } };
    case "charge.done":
      return { type, ...id, paidAtMs: atMs };
    case "charge.failed":
      return { type, ...id, code: "declined", description: null, hard: false, terms: TERMS };
    case "charge.lost":
      return { type, ...id, terms: TERMS };
    case "charge.open":
    case "charge.unknown":
      return { type, ...id };
    case "cancel.requested":
      return { type, atMs, operationId: "o", atPeriodEnd: false, by: "merchant" };
    case "pause.requested":
      return { type, atMs, operationId: "o", by: "merchant" };
    case "resume.requested":
      return { type, atMs, operationId: "o", next };
    case "retry.requested":
      return { type, atMs, operationId: "o" };
    case "payment.requested":
    case "mail.due":
      return { type, atMs };
  }
}

export const TYPES: readonly SubscriptionEvent["type"][] = [
  ...["deadline.passed", "charge.opened", "charge.open", "charge.unknown", "charge.done", "charge.failed", "charge.lost"],
  ...["cancel.requested", "pause.requested", "resume.requested", "retry.requested", "payment.requested", "mail.due"],
] as const;

export const dunning = { failedAtMs: CREATED_MS, terms: TERMS, step: 0, stays: false };
export const failed = (...attempts: Parameters<typeof charge>[0]) => charge(attempts, { failedAtMs: CREATED_MS });

type Row = readonly [what: string, record: SubscriptionRecord, expected: Partial<Record<SubscriptionEvent["type"], string>>];

/** Each row is a state of a subscription. Events that it does not name are rejected. */
export const ROWS: readonly Row[] = [
  [
    "INCOMPLETE, its first payment asked for",
    subscription("INCOMPLETE", { charge: charge([attempt(1, "asked")]) }),
    {
      ...{ "charge.opened": "INCOMPLETE, mail payment", "charge.open": "INCOMPLETE", "charge.unknown": "INCOMPLETE" },
      ...{ "charge.done": "ACTIVE, renewed", "charge.failed": "INCOMPLETE, payment_failed, ask", "charge.lost": "INCOMPLETE, ask" },
      ...{ "cancel.requested": "CANCELLED, cancelled, mail cancelled" },
    },
  ],
  [
    "INCOMPLETE, its link open",
    subscription("INCOMPLETE", { collection: "LINK", charge: charge([link(1)]) }),
    {
      ...{ "charge.opened": "INCOMPLETE, mail payment", "charge.open": "INCOMPLETE", "charge.unknown": "INCOMPLETE" },
      ...{ "charge.done": "ACTIVE, renewed", "charge.failed": "INCOMPLETE", "charge.lost": "INCOMPLETE, ask" },
      ...{ "cancel.requested": "CANCELLED, cancelled, mail cancelled", "retry.requested": "INCOMPLETE, mail payment" },
    },
  ],
  [
    "INCOMPLETE, its link ended",
    subscription("INCOMPLETE", { collection: "LINK", charge: charge([attempt(1, "failed", { means: "LINK" })]) }),
    {
      ...{ "charge.done": "ACTIVE, renewed", "cancel.requested": "CANCELLED, cancelled, mail cancelled" },
      ...{ "retry.requested": "INCOMPLETE, ask", "payment.requested": "INCOMPLETE, ask" },
    },
  ],
  [
    "TRIALING",
    subscription("TRIALING", { cycle: 0 }),
    { "cancel.requested": "CANCELLED, cancelled, mail cancelled", "pause.requested": "PAUSED" },
  ],
  [
    "TRIALING, its first cycle asked for",
    subscription("TRIALING", { charge: charge([attempt(1, "asked")]) }),
    {
      ...{ "charge.opened": "TRIALING, mail payment", "charge.open": "TRIALING", "charge.unknown": "TRIALING" },
      ...{ "charge.done": "ACTIVE, renewed", "charge.failed": "PAST_DUE, payment_failed, past_due, mail failed" },
      ...{ "charge.lost": "TRIALING, ask", "cancel.requested": "CANCELLED, cancelled, mail cancelled", "pause.requested": "PAUSED" },
    },
  ],
  [
    "ACTIVE, paid",
    subscription("ACTIVE", { charge: charge([attempt(1, "done")]) }),
    { "cancel.requested": "CANCELLED, cancelled, mail cancelled", "pause.requested": "PAUSED" },
  ],
  [
    "ACTIVE, its cycle asked for",
    subscription("ACTIVE", { charge: charge([attempt(1, "unknown")]) }),
    {
      ...{ "charge.opened": "ACTIVE, mail payment", "charge.open": "ACTIVE", "charge.unknown": "ACTIVE", "charge.done": "ACTIVE, renewed" },
      ...{ "charge.failed": "PAST_DUE, payment_failed, past_due, mail failed", "charge.lost": "ACTIVE, ask" },
      ...{ "cancel.requested": "CANCELLED, cancelled, mail cancelled", "pause.requested": "PAUSED" },
    },
  ],
  [
    "ACTIVE, to be cancelled at its period's end",
    subscription("ACTIVE", { charge: charge([attempt(1, "done")]), cancelsAtPeriodEnd: true }),
    { "cancel.requested": "CANCELLED, cancelled, mail cancelled", "pause.requested": "PAUSED", "resume.requested": "ACTIVE" },
  ],
  [
    "PAST_DUE, a retry asked for",
    subscription("PAST_DUE", { charge: failed(attempt(1, "asked")), dunning }),
    {
      ...{ "charge.opened": "PAST_DUE", "charge.open": "PAST_DUE", "charge.unknown": "PAST_DUE" },
      ...{ "charge.done": "ACTIVE, renewed, recovered, mail recovered", "charge.failed": "PAST_DUE, payment_failed, mail step" },
      ...{ "charge.lost": "PAST_DUE, ask", "cancel.requested": "CANCELLED, cancelled, mail cancelled", "pause.requested": "PAUSED" },
    },
  ],
  [
    "PAST_DUE, between retries",
    subscription("PAST_DUE", { charge: failed(attempt(1, "failed")), dunning }),
    {
      // A failed payment is made after all.
      ...{ "charge.done": "ACTIVE, renewed, recovered, mail recovered" },
      ...{ "cancel.requested": "CANCELLED, cancelled, mail cancelled", "pause.requested": "PAUSED" },
      ...{ "retry.requested": "PAST_DUE, ask", "payment.requested": "PAST_DUE, ask" },
    },
  ],
  [
    "PAST_DUE, its link open",
    subscription("PAST_DUE", { collection: "LINK", charge: failed(link(1)), dunning }),
    {
      ...{ "charge.opened": "PAST_DUE", "charge.open": "PAST_DUE", "charge.unknown": "PAST_DUE" },
      ...{ "charge.done": "ACTIVE, renewed, recovered, mail recovered", "charge.failed": "PAST_DUE", "charge.lost": "PAST_DUE, ask" },
      ...{
        "cancel.requested": "CANCELLED, cancelled, mail cancelled",
        "pause.requested": "PAUSED",
        "retry.requested": "PAST_DUE, mail step",
      },
    },
  ],
  [
    "PAST_DUE, with a card on file and the link that its customer asked for open",
    subscription("PAST_DUE", { charge: failed(link(1)), dunning }),
    {
      ...{ "charge.opened": "PAST_DUE", "charge.open": "PAST_DUE", "charge.unknown": "PAST_DUE" },
      ...{ "charge.done": "ACTIVE, renewed, recovered, mail recovered", "charge.failed": "PAST_DUE", "charge.lost": "PAST_DUE, ask" },
      ...{ "cancel.requested": "CANCELLED, cancelled, mail cancelled", "pause.requested": "PAUSED", "retry.requested": "PAST_DUE" },
    },
  ],
  [
    "PAST_DUE, with a card on file and a link that is taken back for it",
    subscription("PAST_DUE", { charge: failed(link(1, { closing: true })), dunning }),
    {
      ...{ "charge.opened": "PAST_DUE", "charge.open": "PAST_DUE", "charge.unknown": "PAST_DUE" },
      ...{ "charge.done": "ACTIVE, renewed, recovered, mail recovered", "charge.failed": "PAST_DUE, ask", "charge.lost": "PAST_DUE, ask" },
      ...{
        "cancel.requested": "CANCELLED, cancelled, mail cancelled",
        "pause.requested": "PAUSED",
        "retry.requested": "PAST_DUE, mail step",
      },
    },
  ],
  [
    "PAUSED",
    subscription("PAUSED", { charge: charge([attempt(1, "done")]) }),
    { "cancel.requested": "CANCELLED, cancelled, mail cancelled", "resume.requested": "ACTIVE" },
  ],
  ...(["PAUSED", "CANCELLED"] as const).map(
    (state): Row => [
      `${state}, with a payment under way`,
      subscription(state, { charge: charge([attempt(1, "unknown")]) }),
      {
        ...{ "charge.opened": state, "charge.open": state, "charge.unknown": state, "charge.failed": state, "charge.lost": state },
        ...{ "charge.done": `${state}, flagLate, paid_late` },
        ...(state === "PAUSED" ? { "cancel.requested": "CANCELLED, cancelled, mail cancelled" } : {}),
      },
    ],
  ),
  ["CANCELLED", subscription("CANCELLED", { charge: charge([attempt(1, "done")]) }), {}],
];
