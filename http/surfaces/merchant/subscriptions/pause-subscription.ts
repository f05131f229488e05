import { CHANGED, CHARGE_DEADLINE_MS, notInState, oneSubscription, operationOf } from "./surface.ts";

export const pauseSubscription = oneSubscription.action({
  name: "pauseSubscription",
  method: "POST",
  path: "/pause",
  summary: "Pause a subscription",
  description: "The relay requests no payments until the subscription is resumed. A payment that is in progress continues to its end.",
  apartByEnvironment: true,
  may: "operate",
  noStepUp: "A pause is ended by resuming, and gives no money away.",
  deadlineMs: CHARGE_DEADLINE_MS,
  idempotency: "sealed",
  audit: { action: "subscription.pause" },
  done: CHANGED,
  conflict: "The subscription is not TRIALING, ACTIVE or PAST_DUE (not_in_state).",
  run: async ({ subscriptions }, owner, { caller, params, operationId, request }) => {
    const outcome = await subscriptions.pause(owner, params.id, operationOf(caller, operationId, request));
    if (outcome?.type === "not_in_state") return notInState(outcome.subscription, "paused");
    return outcome === null ? null : { done: outcome.subscription };
  },
});
