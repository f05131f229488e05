import type { Clock } from "../kernel/clock.ts";
import { CONFLICT } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import type { BillingCalendar, CyclePlace } from "./calendar.ts";
import type { DunningPolicyStore } from "./dunning-policy-store.ts";
import type { SubscriptionEvent } from "./events.ts";
import { stepSubscription } from "./step-subscription.ts";
import type { SubscriptionRecord } from "./subscription.ts";
import { subscriptionChange, type Telling, tellRefused, tellStored } from "./subscription-change.ts";
import type { SubscriptionMails } from "./subscription-mails.ts";
import type { SubscriptionStore } from "./subscription-store.ts";
import type { SubscriptionOperation } from "./subscriptions.ts";

/** What every step of a subscription needs, on every shard the same. */
export interface SubscriptionParts extends Telling {
  store: SubscriptionStore;
  policies: Pick<DunningPolicyStore, "termsOf">;
  calendar: BillingCalendar;
  mails: SubscriptionMails;
  clock: Clock;
  /** Whether a merchant is deactivated: nothing is asked for in its name. In memory. */
  isInactive(merchantId: string): boolean;
}

export interface TakenStep extends Stored<SubscriptionRecord> {
  /** The step has begun an attempt: whoever took it asks for it (collect.ts). */
  readonly asks: boolean;
}

/** One step, stored. `refused`: the subscription does not take the event as it stands. */
export async function takeStep(
  stored: Stored<SubscriptionRecord>,
  event: SubscriptionEvent,
  operation: SubscriptionOperation | null,
  { store, mails, ...telling }: Pick<SubscriptionParts, "store" | "mails"> & Telling,
): Promise<TakenStep | "refused" | typeof CONFLICT> {
  const step = stepSubscription(stored.record, event);
  if (!step.taken) {
    if (operation !== null) tellRefused(stored.record, event, operation, telling);
    return "refused";
  }
  const change = await subscriptionChange(step, stored, event, operation, { mails, ...telling });
  const version = await store.commit(change);
  if (version === null) return CONFLICT;
  tellStored(change, event.type, step.effects, operation, telling);
  return { record: change.record, version, asks: step.effects.some(({ type }) => type === "ask") };
}

/** The cycle after the current one. */
export function nextCycle(record: SubscriptionRecord, calendar: BillingCalendar): CyclePlace {
  return calendar.cycle(record, record.plan, record.cycle + 1);
}
