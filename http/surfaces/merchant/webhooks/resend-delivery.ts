import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE } from "../surface.ts";
import { DELIVERY_EXAMPLE, DISABLED_ENDPOINT, deliveryJson } from "./delivery-json.ts";
import { WebhookDelivery } from "./schemas.ts";
import { DeliveryParams, noSuchDelivery, webhookMerchantOf, webhooks } from "./surface.ts";

export const resendWebhookDelivery = webhooks.endpoint({
  name: "portalResendWebhookDelivery",
  method: "POST",
  path: `${MERCHANT_BASE}/webhooks/deliveries/{id}/resend`,
  summary: "Resend a webhook delivery of the merchant",
  description: "A delivered event can be sent again, too.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "integrate",
  noStepUp: "It sends the same event to the address that is stored.",
  rateLimit: PORTAL_RATE,
  params: DeliveryParams,
  audit: { action: "webhook.resend" },
  responses: {
    200: {
      description: "The relay sends the event within a second, and it has all its attempts again.",
      body: okOf(WebhookDelivery),
      example: {
        status: "ok",
        data: { ...DELIVERY_EXAMPLE, outcome: "PENDING", nextAttemptAt: "2026-03-02T08:00:00.000Z" },
      },
    },
    ...webhooks.errors(400, 401, 403, 404, 429, 503),
    409: {
      description: "The endpoint is disabled or removed (endpoint_disabled), or the delivery is being sent at this moment (conflict).",
      body: webhooks.envelope.schema,
    },
  },
  handle: async ({ merchantDeliveries }, { caller, params: { id } }) => {
    const resent = await merchantDeliveries.resend(webhookMerchantOf(caller), id);
    if (resent === null) throw noSuchDelivery();
    if (resent === "endpoint_disabled") return refusal(409, "endpoint_disabled", DISABLED_ENDPOINT);
    return { status: 200, body: ok(deliveryJson(resent.delivery, resent.endpoint?.url ?? null)) };
  },
});
