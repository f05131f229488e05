import { compile } from "../kernel/statechart.ts";
import type { SubscriptionEffect, SubscriptionEvent } from "./events.ts";
import { subscriptionMachine } from "./machine.ts";
import { nextAtMs } from "./rules.ts";
import type { SubscriptionRecord } from "./subscription.ts";

export interface SubscriptionStep {
  record: SubscriptionRecord;
  effects: readonly SubscriptionEffect[];
  /** False where the event means nothing as the subscription stands: it is refused, and nothing is to be stored. */
  taken: boolean;
}

/** What of the machine of subscriptions is an effect. */
export const SUBSCRIPTION_EFFECTS = ["tell", "ask", "mail", "flagLate", "flagTwice"] as const;

const stepMachine = compile(subscriptionMachine, SUBSCRIPTION_EFFECTS);

/** Steps a subscription by its machine (machine.ts). */
export function stepSubscription(record: SubscriptionRecord, event: SubscriptionEvent): SubscriptionStep {
  const { state, context, effects } = stepMachine(record.state, record, event);
  const taken = context !== record || effects.length > 0;
  if (!taken) return { record, effects, taken };
  const stepped = { ...context, state };
  return { record: { ...stepped, nextAtMs: nextAtMs(stepped) }, effects, taken };
}
