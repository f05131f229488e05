import { Type } from "@sinclair/typebox";
import { CancelSubscription } from "./schemas.ts";
import { CHARGE_DEADLINE_MS, notInState, oneSubscription, operationOf } from "./surface.ts";

export const cancelSubscription = oneSubscription.action({
  name: "cancelSubscription",
  refusesUnknown: "money",
  method: "POST",
  path: "/cancel",
  summary: "Cancel a subscription",
  description:
    "Cancels at once, or at the end of the current period, which `resume` undoes. Afterwards the relay requests no payments; a payment that was in progress and still succeeds is stored and reported (`late`).",
  apartByEnvironment: true,
  may: "operate",
  noStepUp: "Cancelling ends what would be collected, and gives no money away.",
  deadlineMs: CHARGE_DEADLINE_MS,
  body: Type.Optional(CancelSubscription),
  bodyExample: { atPeriodEnd: true },
  idempotency: "sealed",
  audit: { action: "subscription.cancel" },
  done: { description: "The subscription." },
  conflict: "The subscription is already cancelled, or already ends with its period (not_in_state).",
  run: async ({ subscriptions }, owner, { caller, params, body, operationId, request }) => {
    const when = { atPeriodEnd: body?.atPeriodEnd ?? false };
    const outcome = await subscriptions.cancel(owner, params.id, when, operationOf(caller, operationId, request));
    if (outcome?.type === "not_in_state")
      return notInState(outcome.subscription, when.atPeriodEnd ? "cancelled at period end" : "cancelled");
    return outcome === null ? null : { done: outcome.subscription };
  },
});
