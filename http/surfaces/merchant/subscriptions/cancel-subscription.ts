import { Type } from "@sinclair/typebox";
import { ok } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { CancelSubscription } from "./schemas.ts";
import { subscriptionAnswered, subscriptionDetail } from "./subscription-json.ts";
import { CHARGE_DEADLINE_MS, noSuchSubscription, notInState, operationOf, SubscriptionParams, subscriptions } from "./surface.ts";

export const cancelSubscription = subscriptions.endpoint({
  name: "cancelSubscription",
  refusesUnknown: "money",
  method: "POST",
  path: `${MERCHANT_BASE}/subscriptions/{id}/cancel`,
  summary: "Cancel a subscription",
  description:
    "Cancels at once, or at the end of the current period, which `resume` undoes. Afterwards the relay requests no payments; a payment that was in progress and still succeeds is stored and reported (`late`).",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "operate",
  noStepUp: "Cancelling ends what would be collected, and gives no money away.",
  rateLimit: PORTAL_RATE,
  deadlineMs: CHARGE_DEADLINE_MS,
  params: SubscriptionParams,
  body: Type.Optional(CancelSubscription),
  bodyExample: { atPeriodEnd: true },
  idempotency: "sealed",
  audit: { action: "subscription.cancel" },
  responses: {
    200: subscriptionAnswered,
    ...subscriptions.errors(400, 401, 403, 404, 413, 415, 429, 503),
    409: {
      description: "The subscription is already cancelled, or already ends with its period (not_in_state).",
      body: subscriptions.envelope.schema,
    },
  },
  handle: async (operations, { caller, params, body, operationId, request }) => {
    const when = { atPeriodEnd: body?.atPeriodEnd ?? false };
    const operation = operationOf(caller, operationId, request);
    const outcome = await operations.subscriptions.cancel(merchantOwnerOf(caller), params.id, when, operation);
    if (outcome === null) throw noSuchSubscription();
    if (outcome.type === "not_in_state") return notInState(outcome.subscription, "cancelled so");
    return { status: 200, body: ok(await subscriptionDetail(operations, caller, outcome.subscription)) };
  },
});
