import { maySeePersonalData } from "../../../endpoint/personal-data.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE } from "../surface.ts";
import { DELIVERY_EXAMPLE, deliveryDetailJson } from "./delivery-json.ts";
import { WebhookDeliveryDetail } from "./schemas.ts";
import { DeliveryParams, noSuchDelivery, webhookMerchantOf, webhooks } from "./surface.ts";

export const findWebhookDelivery = webhooks.endpoint({
  name: "portalFindWebhookDelivery",
  method: "GET",
  path: `${MERCHANT_BASE}/webhooks/deliveries/{id}`,
  summary: "Get a webhook delivery of the merchant",
  description:
    "`tries` has the latest 24 attempts, the oldest first, with the first 1,024 bytes of each response; card numbers are masked. For roles that do not see personal data, e-mail addresses and the names of recipients in the body are masked.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "integrate",
  rateLimit: PORTAL_RATE,
  params: DeliveryParams,
  responses: {
    200: {
      description: "The delivery.",
      body: okOf(WebhookDeliveryDetail),
      example: {
        status: "ok",
        data: {
          ...DELIVERY_EXAMPLE,
          body: '{"id":"evt_0d8f5k2m9q4r7s1t3u6v8w0x","type":"payment.succeeded"}',
          tries: [{ at: "2026-03-01T11:05:05.000Z", ms: 84, status: 500, answer: "Internal Server Error", problem: null }],
        },
      },
    },
    ...webhooks.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async ({ merchantDeliveries, webhookBody }, { caller, params: { id } }) => {
    const found = await merchantDeliveries.find(webhookMerchantOf(caller), id);
    if (found === null) throw noSuchDelivery();
    const body = found.event === null ? null : webhookBody(found.event, found.delivery);
    return { status: 200, body: ok(deliveryDetailJson(found, body, maySeePersonalData(caller))) };
  },
});
