import { refusal } from "../envelope.ts";
import { CHANGED, CHARGE_DEADLINE_MS, notInState, oneSubscription, operationOf, outcomeUnknown } from "./surface.ts";

export const resumeSubscription = oneSubscription.action({
  name: "resumeSubscription",
  method: "POST",
  path: "/resume",
  summary: "Resume a subscription",
  description:
    "Ends a pause: unpaid cycles from before and during the pause are void, and the next cycle is the first one that is due from now on. Or undoes a cancellation at the end of the period.",
  may: "operate",
  noStepUp: "It collects money for the merchant's own account again, and gives none away.",
  deadlineMs: CHARGE_DEADLINE_MS,
  idempotency: "sealed",
  audit: { action: "subscription.resume" },
  done: CHANGED,
  conflict:
    "The subscription is neither paused nor about to end (not_in_state), a payment from before the pause may still succeed (outcome_unknown, with `Retry-After`), or the merchant is deactivated (inactive).",
  run: async ({ subscriptions }, owner, { caller, params, operationId, request }) => {
    const outcome = await subscriptions.resume(owner, params.id, operationOf(caller, operationId, request));
    switch (outcome?.type) {
      case undefined:
        return null;
      case "not_in_state":
        return notInState(outcome.subscription, "resumed");
      case "outcome_unknown":
        throw outcomeUnknown();
      case "inactive":
        return refusal(409, "inactive", "The merchant is deactivated");
      case "resumed":
        return { done: outcome.subscription };
    }
  },
});
