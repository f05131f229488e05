import { ok, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { subscriptionChanged, subscriptionDetail } from "./subscription-json.ts";
import {
  CHARGE_DEADLINE_MS,
  noSuchSubscription,
  notInState,
  operationOf,
  outcomeUnknown,
  SubscriptionParams,
  subscriptions,
} from "./surface.ts";

export const resumeSubscription = subscriptions.endpoint({
  name: "resumeSubscription",
  method: "POST",
  path: `${MERCHANT_BASE}/subscriptions/{id}/resume`,
  summary: "Resume a subscription",
  description:
    "Ends a pause: unpaid cycles from before and during the pause are void, and the next cycle is the first one that is due from now on. Or undoes a cancellation at the end of the period.",
  auth: "merchantUserOrKey",
  may: "operate",
  noStepUp: "It collects money for the merchant's own account again, and gives none away.",
  rateLimit: PORTAL_RATE,
  deadlineMs: CHARGE_DEADLINE_MS,
  params: SubscriptionParams,
  idempotency: "sealed",
  audit: { action: "subscription.resume" },
  responses: {
    200: subscriptionChanged,
    ...subscriptions.errors(400, 401, 403, 404, 429, 503),
    409: {
      description:
        "The subscription is neither paused nor about to end (not_in_state), a payment from before the pause may still succeed (outcome_unknown, with `Retry-After`), or the merchant is deactivated (inactive).",
      body: subscriptions.envelope.schema,
    },
  },
  handle: async (operations, { caller, params, operationId, request }) => {
    const operation = operationOf(caller, operationId, request);
    const outcome = await operations.subscriptions.resume(merchantOwnerOf(caller), params.id, operation);
    if (outcome === null) throw noSuchSubscription();
    switch (outcome.type) {
      case "not_in_state":
        return notInState(outcome.subscription, "resumed");
      case "outcome_unknown":
        throw outcomeUnknown();
      case "inactive":
        return refusal(409, "inactive", "The merchant is deactivated");
      case "resumed":
        return { status: 200, body: ok(await subscriptionDetail(operations, caller, outcome.subscription)) };
    }
  },
});
