import { RelayError } from "../../../../engine/kernel/errors.ts";
import { retryFromMs } from "../../../../engine/subscriptions/rules.ts";
import { ATTEMPTS_MAX } from "../../../../engine/subscriptions/subscription.ts";
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

export const retrySubscription = subscriptions.endpoint({
  name: "retrySubscription",
  method: "POST",
  path: `${MERCHANT_BASE}/subscriptions/{id}/retry`,
  summary: "Start a payment of an unpaid cycle",
  description: "Charges the card on file, or reminds the customer of the link. Permitted once an hour.",
  auth: "merchantUserOrKey",
  may: "operate",
  noStepUp: "It collects what is owed to the merchant, once in an hour, and gives no money away.",
  rateLimit: PORTAL_RATE,
  deadlineMs: CHARGE_DEADLINE_MS,
  params: SubscriptionParams,
  idempotency: "sealed",
  audit: { action: "subscription.retry" },
  responses: {
    200: subscriptionChanged,
    ...subscriptions.errors(400, 401, 403, 404, 429, 503),
    409: {
      description: `Nothing is unpaid, or the subscription is paused or cancelled (not_in_state). Or it is unknown whether the customer was charged (outcome_unknown), or a payment was requested within the last hour (too_soon), both with \`Retry-After\`. Or ${ATTEMPTS_MAX} attempts were made for this cycle (too_many), or the merchant is deactivated (inactive).`,
      body: subscriptions.envelope.schema,
    },
  },
  handle: async (operations, { caller, params, operationId, request }) => {
    const operation = operationOf(caller, operationId, request);
    const outcome = await operations.subscriptions.retry(merchantOwnerOf(caller), params.id, operation);
    if (outcome === null) throw noSuchSubscription();
    switch (outcome.type) {
      case "not_in_state":
        return notInState(outcome.subscription, "asked for again");
      case "outcome_unknown":
        throw outcomeUnknown();
      case "too_soon": {
        const nowMs = operations.clock.nowMs();
        const waitMs = (retryFromMs(outcome.subscription, nowMs) ?? nowMs) - nowMs;
        throw new RelayError("conflict", "A payment was requested within the last hour; wait before you request it again", {
          ...{ detail: "too_soon", retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) },
        });
      }
      case "too_many":
        return refusal(409, "too_many", `${ATTEMPTS_MAX} attempts were made for this cycle; cancel, or pause and resume the subscription`);
      case "inactive":
        return refusal(409, "inactive", "The merchant is deactivated");
      case "retried":
        return { status: 200, body: ok(await subscriptionDetail(operations, caller, outcome.subscription)) };
    }
  },
});
