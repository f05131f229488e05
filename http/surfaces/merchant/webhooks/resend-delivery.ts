import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { webhookDelivery } from "./schemas.ts";
import { DISABLED_ENDPOINT, oneDelivery, webhooks } from "./surface.ts";

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
  params: oneDelivery.params,
  audit: { action: "webhook.resend" },
  responses: {
    200: {
      description: "The relay sends the event within a second, and it has all its attempts again.",
      body: okOf(webhookDelivery.item.schema),
      example: {
        status: "ok",
        data: { ...webhookDelivery.item.example, outcome: "PENDING", nextAttemptAt: "2026-03-02T08:00:00.000Z" },
      },
    },
    ...webhooks.errors(400, 401, 403, 404, 429, 503),
    409: {
      description: "The endpoint is disabled or removed (endpoint_disabled), or the delivery is being sent at this moment (conflict).",
      body: webhooks.envelope.schema,
    },
  },
  handle: async ({ merchantDeliveries }, { caller, params: { id } }) => {
    const resent = await merchantDeliveries.resend(merchantOwnerOf(caller), id);
    if (resent === null) throw oneDelivery.notFound();
    if (resent === "endpoint_disabled") return refusal(409, "endpoint_disabled", DISABLED_ENDPOINT);
    return {
      status: 200,
      body: ok(webhookDelivery.item.json({ ...resent.delivery, url: resent.endpoint?.url ?? null, body: null }, { caller })),
    };
  },
});
