import type { Clock } from "../kernel/clock.ts";
import { CONFLICT } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import type { RequestContext } from "../workflow/workflow.ts";
import type { BillingCalendar, CyclePlace } from "./calendar.ts";
import type { DunningPolicyStore } from "./dunning-policy-store.ts";
import type { SubscriptionEvent } from "./events.ts";
import type { SubscriptionRecord } from "./subscription.ts";
import type { SubscriptionWorkflow } from "./workflow.ts";

/** The dependencies of every transition. They are equal on every shard. */
export interface SubscriptionParts {
  workflow: SubscriptionWorkflow;
  policies: Pick<DunningPolicyStore, "termsOf">;
  calendar: BillingCalendar;
  clock: Clock;
  /** Returns true if a merchant is deactivated. No payments are requested for it. In memory. */
  isInactive(merchantId: string): boolean;
}

export interface TakenStep {
  readonly record: SubscriptionRecord;
  /** The transition has started an attempt, which the caller requests (collect.ts). */
  readonly asks: boolean;
}

/** Stores one transition. `refused`: the subscription does not accept the event in its state. */
export async function takeStep(
  stored: Stored<SubscriptionRecord>,
  event: SubscriptionEvent,
  request: RequestContext | null,
  { workflow }: Pick<SubscriptionParts, "workflow">,
): Promise<TakenStep | "refused" | typeof CONFLICT> {
  const applied = await workflow.step(stored, event, request);
  if (applied === CONFLICT) return CONFLICT;
  const { type, record, effects } = applied;
  return type === "refused" ? "refused" : { record, asks: effects.some((effect) => effect.type === "ask") };
}

export function nextCycle(record: SubscriptionRecord, calendar: BillingCalendar): CyclePlace {
  return calendar.cycle(record, record.plan, record.cycle + 1);
}
