import { Type } from "@sinclair/typebox";
import { ok, okOf } from "../envelope.ts";
import { listOf, PAGE_QUERY } from "../schema-parts.ts";
import { MERCHANT_BASE, PORTAL_RATE } from "../surface.ts";
import { cursorOfDelivery, DELIVERY_EXAMPLE, deliveryJson, deliveryPlaceOf } from "./delivery-json.ts";
import { DELIVERY_FILTERS, WebhookDelivery } from "./schemas.ts";
import { webhookMerchantOf, webhooks } from "./surface.ts";

export const listWebhookDeliveries = webhooks.endpoint({
  name: "portalListWebhookDeliveries",
  method: "GET",
  path: `${MERCHANT_BASE}/webhooks/deliveries`,
  summary: "List webhook deliveries of the merchant",
  description:
    "Lists deliveries to the merchant's current endpoints. `FAILED`: six attempts failed within about seventy minutes, or the endpoint was disabled before the delivery succeeded. The relay stores these for 90 days, the others for 30. A page filtered by `eventType` may have fewer items than `limit`, or none, and still have a `next`.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "integrate",
  rateLimit: PORTAL_RATE,
  query: Type.Object({ ...DELIVERY_FILTERS, ...PAGE_QUERY }),
  responses: {
    200: {
      description: "A page.",
      body: okOf(listOf(WebhookDelivery)),
      example: { status: "ok", data: { items: [DELIVERY_EXAMPLE], next: null } },
    },
    ...webhooks.errors(400, 401, 403, 429, 503),
  },
  handle: async ({ merchantDeliveries }, { caller, query }) => {
    const { outcome = null, eventType = null, objectId = null, limit } = query;
    const endpointId = query.endpointId ?? null;
    const after = deliveryPlaceOf(query.cursor);
    const { found, next, endpoints } = await merchantDeliveries.list(webhookMerchantOf(caller), {
      ...{ endpointId, outcome, eventType, objectId, after, limit },
    });
    const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
    const items = found.map((record) => deliveryJson(record, urls.get(record.endpointId) ?? null));
    return { status: 200, body: ok({ items, next: cursorOfDelivery(next) }) };
  },
});
