import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { webhookDelivery } from "./schemas.ts";
import { DISABLED_ENDPOINT, oneEndpoint, webhookOwnerOf, webhooks } from "./surface.ts";

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
  params: oneEndpoint.params,
  audit: { action: "webhook.test" },
  responses: {
    200: {
      description: "The relay sends the event within a second, and it has all the attempts that events have.",
      body: okOf(webhookDelivery.item.schema),
      example: {
        status: "ok",
        data: {
          ...webhookDelivery.item.example,
          eventType: "webhook.test",
          outcome: "PENDING",
          attempts: 0,
          lastAttemptAt: null,
          lastStatus: null,
        },
      },
    },
    ...webhooks.errors(400, 401, 403, 404, 429, 503),
    409: { description: "The endpoint is disabled (endpoint_disabled).", body: webhooks.envelope.schema },
  },
  handle: async ({ merchantWebhooks, merchantDeliveries }, { caller, params: { id }, request }) => {
    const merchant = merchantOwnerOf(caller);
    const endpoint = await merchantWebhooks.find(webhookOwnerOf(merchant), merchant.livemode, id);
    const sent = endpoint === null ? null : await merchantDeliveries.sendTest(merchant, id, request.id);
    if (endpoint === null || sent === null) throw oneEndpoint.notFound();
    if (sent === "endpoint_disabled") return refusal(409, "endpoint_disabled", DISABLED_ENDPOINT);
    return { status: 200, body: ok(webhookDelivery.item.json({ ...sent, url: endpoint.url, body: null }, { caller })) };
  },
});
