import { createApiVersions } from "../../../engine/webhooks/api-version-store.ts";
import { createWebhookDeliveryStore } from "../../../engine/webhooks/webhook-delivery-store.ts";
import { createWebhookEndpointStore } from "../../../engine/webhooks/webhook-endpoint-store.ts";
import { createWebhookEventStore } from "../../../engine/webhooks/webhook-event-store.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { testWebhookStores } from "../../contract/webhook-stores.ts";

await onEachEngine(testWebhookStores, (opened) => ({
  events: createWebhookEventStore(opened.kv),
  endpoints: createWebhookEndpointStore(opened.kv),
  deliveries: createWebhookDeliveryStore(opened.kv),
  versions: createApiVersions(opened.kv),
  opened,
  close: opened.close,
}));
