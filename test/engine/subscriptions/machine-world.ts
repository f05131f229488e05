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

/** An event of each type, as the pending attempt or nothing at all would have it. */
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
