import type { ChargeAttempt, SubscriptionRecord } from "../../../../engine/subscriptions/subscription.ts";
import { iso, isoOrNull } from "../../../endpoint/time.ts";

/**
 * A subscription as the events `subscription.*` have it, frozen when they happen. It holds nothing of the customer, and not the address of the customer's page: whoever sees a delivery is not to be
 * able to cancel by it.
 */
export function subscriptionObject(record: SubscriptionRecord): object {
  const { id, livemode, state, planId, plan, collection, cycle, period, charge, dunning, createdAtMs } = record;
  const { cancelsAtPeriodEnd, cancelledAtMs, cancelledBy, pausedAtMs, pausedBy } = record;
  return {
    id,
    object: "subscription",
    environment: livemode ? "LIVE" : "TEST",
    state,
    planId,
    ...{ amountMinor: plan.amountMinor, currency: plan.currency, interval: plan.interval, count: plan.count, collection },
    createdAt: iso(createdAtMs),
    ...{ cycle, periodFrom: iso(period.fromMs), periodUntil: iso(period.untilMs) },
    charge:
      charge === null
        ? null
        : {
            ...{ cycle: charge.cycle, state: charge.state, amountMinor: charge.amountMinor, currency: charge.currency },
            ...{
              dueAt: iso(charge.dueAtMs),
              failedAt: isoOrNull(charge.failedAtMs),
              paidAt: isoOrNull(charge.paidAtMs),
              late: charge.late,
            },
            attempts: charge.attempts.map(attemptOf),
          },
    pastDueSince: isoOrNull(dunning?.failedAtMs ?? null),
    ...{ cancelsAtPeriodEnd, cancelledAt: isoOrNull(cancelledAtMs), cancelledBy, pausedAt: isoOrNull(pausedAtMs), pausedBy },
  };
}

function attemptOf({ id, means, state, askedAtMs, endedAtMs, code, hard, link }: ChargeAttempt): object {
  return { id, means, state, askedAt: iso(askedAtMs), endedAt: isoOrNull(endedAtMs), code, hard, paymentLinkId: link?.id ?? null };
}
