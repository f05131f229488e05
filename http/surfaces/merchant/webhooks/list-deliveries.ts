import { Type } from "@sinclair/typebox";
import { listEndpoint } from "../resource-endpoints.ts";
import { PAGE_QUERY } from "../schema-parts.ts";
import { cursorOfDelivery, deliveryPlaceOf } from "./delivery-cursor.ts";
import { DELIVERY_FILTERS, webhookDelivery } from "./schemas.ts";
import { webhooks } from "./surface.ts";

export const listWebhookDeliveries = listEndpoint(webhooks, {
  name: "portalListWebhookDeliveries",
  path: "/webhooks/deliveries",
  summary: "List webhook deliveries of the merchant",
  description:
    "Lists deliveries to the merchant's current endpoints. `FAILED`: six attempts failed within about seventy minutes, or the endpoint was disabled before the delivery succeeded. The relay stores these for 90 days, the others for 30. A page filtered by `eventType` may have fewer items than `limit`, or none, and still have a `next`.",
  may: "integrate",
  query: Type.Object({ ...DELIVERY_FILTERS, ...PAGE_QUERY }),
  item: webhookDelivery.item,
  page: async ({ merchantDeliveries }, owner, query) => {
    const { endpointId = null, outcome = null, eventType = null, objectId = null, limit } = query;
    const after = deliveryPlaceOf(query.cursor);
    const { found, next, endpoints } = await merchantDeliveries.list(owner, { endpointId, outcome, eventType, objectId, after, limit });
    const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
    const items = found.map((record) => ({ ...record, url: urls.get(record.endpointId) ?? null, body: null }));
    return { items, next: cursorOfDelivery(next) };
  },
  context: (_, caller) => ({ caller }),
});
