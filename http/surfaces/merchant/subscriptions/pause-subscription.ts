import { ok } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { subscriptionChanged, subscriptionDetail } from "./subscription-json.ts";
import { CHARGE_DEADLINE_MS, noSuchSubscription, notInState, operationOf, SubscriptionParams, subscriptions } from "./surface.ts";

export const pauseSubscription = subscriptions.endpoint({
  name: "pauseSubscription",
  method: "POST",
  path: `${MERCHANT_BASE}/subscriptions/{id}/pause`,
  summary: "Pause a subscription",
  description: "The relay requests no payments until the subscription is resumed. A payment that is in progress continues to its end.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "operate",
  noStepUp: "A pause is ended by resuming, and gives no money away.",
  rateLimit: PORTAL_RATE,
  deadlineMs: CHARGE_DEADLINE_MS,
  params: SubscriptionParams,
  idempotency: "sealed",
  audit: { action: "subscription.pause" },
  responses: {
    200: subscriptionChanged,
    ...subscriptions.errors(400, 401, 403, 404, 429, 503),
    409: { description: "The subscription is not TRIALING, ACTIVE or PAST_DUE (not_in_state).", body: subscriptions.envelope.schema },
  },
  handle: async (operations, { caller, params, operationId, request }) => {
    const operation = operationOf(caller, operationId, request);
    const outcome = await operations.subscriptions.pause(merchantOwnerOf(caller), params.id, operation);
    if (outcome === null) throw noSuchSubscription();
    if (outcome.type === "not_in_state") return notInState(outcome.subscription, "paused");
    return { status: 200, body: ok(await subscriptionDetail(operations, caller, outcome.subscription)) };
  },
});
