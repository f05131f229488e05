import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE } from "../surface.ts";
import { DELIVERY_EXAMPLE, DISABLED_ENDPOINT, deliveryJson } from "./delivery-json.ts";
import { WebhookDelivery } from "./schemas.ts";
import { EndpointParams, noSuchEndpoint, webhookMerchantOf, webhookOwnerOf, webhooks } from "./surface.ts";

export const testWebhook = webhooks.endpoint({
  name: "portalTestWebhook",
  method: "POST",
  path: `${MERCHANT_BASE}/webhooks/{id}/test`,
  summary: "Test a webhook endpoint of the merchant",
  description:
    "Sends a `webhook.test` event to this endpoint only, whatever events it subscribes to. At most one in ten seconds is sent (429).",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "integrate",
  noStepUp: "A test event holds nothing of the merchant.",
  rateLimit: PORTAL_RATE,
  params: EndpointParams,
  audit: { action: "webhook.test" },
  responses: {
    200: {
      description: "The relay sends the event within a second, and it has all the attempts that events have.",
      body: okOf(WebhookDelivery),
      example: {
        status: "ok",
        data: { ...DELIVERY_EXAMPLE, eventType: "webhook.test", outcome: "PENDING", attempts: 0, lastAttemptAt: null, lastStatus: null },
      },
    },
    ...webhooks.errors(400, 401, 403, 404, 429, 503),
    409: { description: "The endpoint is disabled (endpoint_disabled).", body: webhooks.envelope.schema },
  },
  handle: async ({ merchantWebhooks, merchantDeliveries }, { caller, params: { id }, request }) => {
    const merchant = webhookMerchantOf(caller);
    const endpoint = await merchantWebhooks.find(webhookOwnerOf(merchant), merchant.livemode, id);
    const sent = endpoint === null ? null : await merchantDeliveries.sendTest(merchant, id, request.id);
    if (endpoint === null || sent === null) throw noSuchEndpoint();
    if (sent === "endpoint_disabled") return refusal(409, "endpoint_disabled", DISABLED_ENDPOINT);
    return { status: 200, body: ok(deliveryJson(sent, endpoint.url)) };
  },
});
