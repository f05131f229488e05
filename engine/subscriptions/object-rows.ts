import { NOTHING_ELSE, type ObjectRow, objectVersion } from "../payments/object-row.ts";
import type { BillingInterval } from "./calendar.ts";
import type { ChargeAttempt, CycleCharge, SubscriptionRecord } from "./subscription.ts";

/** Returns the report rows of a subscription and of the attempts of its latest payment. */
export function subscriptionRows(record: SubscriptionRecord): readonly ObjectRow[] {
  const { charge, updatedAtMs } = record;
  return [subscriptionRow(record), ...(charge === null ? [] : chargeRows(record, charge, () => updatedAtMs))];
}

/** Returns the report rows of the attempts of an earlier payment, which no longer changes. */
export function formerChargeRows(record: SubscriptionRecord, charge: CycleCharge): readonly ObjectRow[] {
  return chargeRows(record, charge, ({ askedAtMs, lookedAtMs, endedAtMs }) => Math.max(askedAtMs, lookedAtMs, endedAtMs ?? 0));
}

function subscriptionRow(record: SubscriptionRecord): ObjectRow {
  const { id, merchantId, livemode, createdAtMs, updatedAtMs, state, plan, planId, cancelledAtMs } = record;
  const { amountMinor, currency } = plan;
  const isOver = state === "CANCELLED";
  return {
    ...NOTHING_ELSE,
    // A subscription that was cancelled in a lost store may continue in the current one, so no
    // state outranks another.
    ...{ type: "object", version: objectVersion(false, updatedAtMs), merchantId, livemode, object: "subscription", id, createdAtMs, state },
    ...{ reason: isOver ? enderOf(record) : "", amountMinor, currency, parent: planId, activeAtMs: activeAtMs(record) },
    ...{ endedAtMs: isOver ? cancelledAtMs : null, monthlyMinor: monthlyMinor(amountMinor, plan) },
  };
}

function enderOf({ cancelledBy }: SubscriptionRecord): string {
  return cancelledBy === "no_first_payment" ? "unpaid" : (cancelledBy ?? "");
}

/**
 * Records created before this member existed have been active since their creation, as far as is
 * known.
 */
function activeAtMs({ activeAtMs: atMs, state, createdAtMs, cancelledBy }: SubscriptionRecord): number | null {
  if (atMs !== undefined) return atMs;
  return state === "INCOMPLETE" || cancelledBy === "no_first_payment" ? null : createdAtMs;
}

/** Rounds half up. */
export function monthlyMinor(amountMinor: number, { interval, count }: BillingInterval): number {
  const [times, parts] = { WEEK: [52, 12], MONTH: [1, 1], YEAR: [1, 12] }[interval] as [number, number];
  return Math.floor((2 * amountMinor * times + parts * count) / (2 * parts * count));
}

function chargeRows(record: SubscriptionRecord, charge: CycleCharge, changedAtMs: (attempt: ChargeAttempt) => number): ObjectRow[] {
  const { id, merchantId, livemode } = record;
  const { cycle, dueAtMs, amountMinor, currency } = charge;
  return charge.attempts.map((attempt) => {
    const state = stateOf(attempt);
    return {
      ...NOTHING_ELSE,
      ...{ type: "object", version: objectVersion(state === "paid", changedAtMs(attempt)), merchantId, livemode, object: "charge" },
      ...{ id: `${id}-${cycle}-${attempt.n}`, createdAtMs: attempt.askedAtMs, state, reason: reasonOf(attempt, charge) },
      ...{ amountMinor, currency, uuid: attempt.uuid ?? "", parent: id, attempt: attempt.n, dueAtMs, endedAtMs: attempt.endedAtMs },
    };
  });
}

function stateOf({ state }: ChargeAttempt): "asked" | "unknown" | "paid" | "failed" {
  if (state === "done") return "paid";
  return state === "open" ? "asked" : state;
}

function reasonOf(attempt: ChargeAttempt, { failedAtMs }: CycleCharge): string {
  const { means, state, askedAtMs, endedAtMs, code, hard } = attempt;
  // It was still payable when its cycle failed.
  if (means === "LINK" && failedAtMs !== null && askedAtMs < failedAtMs && (endedAtMs === null || endedAtMs > failedAtMs)) return "overdue";
  if (state !== "failed") return "";
  if (code === null) return "lost";
  if (means === "LINK" && endedAtMs !== failedAtMs) return "unpaid";
  return hard ? "hard" : "soft";
}
