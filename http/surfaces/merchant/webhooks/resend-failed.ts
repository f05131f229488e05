import { Type } from "@sinclair/typebox";
import { RESENT_MAX } from "../../../../engine/webhooks/merchant-deliveries.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { cursorOfDelivery, deliveryPlaceOf } from "./delivery-cursor.ts";
import { ResendFailed, ResentDeliveries, webhookDelivery } from "./schemas.ts";
import { oneEndpoint, webhookOwnerOf, webhooks } from "./surface.ts";

export const resendFailedDeliveries = webhooks.endpoint({
  name: "portalResendFailedWebhookDeliveries",
  refusesUnknown: "limits",
  method: "POST",
  path: `${MERCHANT_BASE}/webhooks/deliveries/resend-failed`,
  summary: "Resend failed webhook deliveries of the merchant",
  description: `Sends the oldest deliveries first, at most ${RESENT_MAX} in one call. It skips deliveries that have succeeded since, and those that are superseded: a later event of the same object was delivered to the endpoint.`,
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "integrate",
  noStepUp: "It sends the same events to the addresses that are stored.",
  rateLimit: PORTAL_RATE,
  body: Type.Optional(ResendFailed),
  bodyExample: { endpointId: webhookDelivery.item.example.endpointId },
  audit: { action: "webhook.resend-failed", subject: ({ body }) => body?.endpointId ?? "all" },
  responses: {
    200: {
      description: "How many deliveries the relay now sends again.",
      body: okOf(ResentDeliveries),
      example: { status: "ok", data: { resent: 12, skipped: 1, more: false, next: null } },
    },
    ...webhooks.errors(400, 401, 403, 404, 413, 415, 429, 503),
  },
  handle: async ({ merchantWebhooks, merchantDeliveries }, { caller, body = {} }) => {
    const merchant = merchantOwnerOf(caller);
    const endpointId = body.endpointId ?? null;
    const after = deliveryPlaceOf(body.cursor);
    if (endpointId !== null && (await merchantWebhooks.find(webhookOwnerOf(merchant), merchant.livemode, endpointId)) === null) {
      throw oneEndpoint.notFound();
    }
    const { resent, skipped, next } = await merchantDeliveries.resendFailed(merchant, endpointId, after);
    return { status: 200, body: ok({ resent, skipped, more: next !== null, next: cursorOfDelivery(next) }) };
  },
});
