import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { ApiVersionOf } from "./fan-out.ts";
import { deliveryId, freshDelivery, resentDelivery, WEBHOOK_DEAD_LIFETIME_MS, type WebhookDeliveryRecord } from "./webhook-delivery.ts";
import type { WebhookDeliveryStore } from "./webhook-delivery-store.ts";
import { isSubscribed, type WebhookEndpointRecord } from "./webhook-endpoint.ts";
import type { WebhookEndpointStore } from "./webhook-endpoint-store.ts";
import { WEBHOOK_EVENT_LIFETIME_MS, type WebhookEvent, type WebhookFormat } from "./webhook-event.ts";
import type { WebhookEventStore } from "./webhook-event-store.ts";

/** An event with how many of its deliveries to the merchant's own endpoints have neither succeeded nor been given up. */
export interface ShownEvent {
  readonly event: WebhookEvent;
  readonly pending: number;
}

/** The events of a merchant, for 30 days. Null is also the answer for another merchant's, or one of the other environment. */
export interface WebhookEvents {
  find(merchantId: string, livemode: boolean, id: string): Promise<ShownEvent | null>;
  /** Newest first; `types` null: all. Null where the cursor is none of them. */
  list(merchantId: string, livemode: boolean, query: PageQuery & { types: readonly string[] | null }): Promise<Page<ShownEvent> | null>;
  /** Has it delivered again at once, with all attempts, to one endpoint that is enabled and subscribed or to all of them. Null where one of both is not there. */
  retry(merchantId: string, livemode: boolean, id: string, endpointId: string | null): Promise<ShownEvent | null>;
  /** Its deliveries to the merchant's own endpoints, with their attempts. */
  deliveries(merchantId: string, livemode: boolean, id: string): Promise<readonly WebhookDeliveryRecord[]>;
}

export interface WebhookEventsOptions {
  /** The format of the surface that asks. */
  format: WebhookFormat;
  events: WebhookEventStore;
  deliveries: WebhookDeliveryStore;
  endpoints: WebhookEndpointStore;
  apiVersionOf: ApiVersionOf;
  clock: Clock;
}

const ID = /^evt_[a-z0-9]{24}$/;

/** Of one event, far more than a merchant and its partner can have endpoints. */
const DELIVERIES_MAX = 1_000;
const ENDPOINTS_MAX = 1_000;

export function createWebhookEvents(options: WebhookEventsOptions): WebhookEvents {
  const { format, events, deliveries, endpoints, apiVersionOf, clock } = options;

  /** Kept longer for deliveries that were given up, it is not shown any longer for that. */
  async function load(merchantId: string, livemode: boolean, id: string): Promise<WebhookEvent | null> {
    const event = ID.test(id) ? await events.load(id) : null;
    if (event === null || event.merchantId !== merchantId || event.livemode !== livemode || event.format !== format) return null;
    return event.createdAtMs + WEBHOOK_EVENT_LIFETIME_MS > clock.nowMs() ? event : null;
  }

  async function shown(event: WebhookEvent): Promise<ShownEvent> {
    return { event, pending: await deliveries.pending(event.id, "merchant") };
  }

  async function sendAgain(event: WebhookEvent, endpoint: WebhookEndpointRecord): Promise<void> {
    const atMs = clock.nowMs();
    const stored = await deliveries.load(deliveryId(event.id, endpoint.id));
    if (stored === null) {
      // It was registered, or subscribed, after the event.
      const apiVersion = endpoint.apiVersion ?? (await apiVersionOf(event.merchantId));
      if (await deliveries.create(freshDelivery(event, endpoint, { apiVersion, pendingWebhooks: 1, atMs }))) return;
    } else if (await deliveries.resent(stored, resentDelivery(stored.record, atMs), event, atMs + WEBHOOK_DEAD_LIFETIME_MS)) return;
    throw new RelayError("conflict", "The event is being sent at this moment; retry shortly", { retryAfterSeconds: 1 });
  }

  return {
    find: async (merchantId, livemode, id) => {
      const event = await load(merchantId, livemode, id);
      return event === null ? null : shown(event);
    },
    list: async (merchantId, livemode, query) => {
      const cursorId = query.startingAfter ?? query.endingBefore;
      const cursor = cursorId === null ? null : await load(merchantId, livemode, cursorId);
      if (cursorId !== null && cursor === null) return null;
      const page = await events.page({ format, merchantId, livemode }, query, cursor);
      return { items: await Promise.all(page.items.map(shown)), hasMore: page.hasMore };
    },
    retry: async (merchantId, livemode, id, endpointId) => {
      const event = await load(merchantId, livemode, id);
      if (event === null) return null;
      const page = await endpoints.ofOwner({ type: "merchant", merchantId }, null, ENDPOINTS_MAX);
      const subscribed = page.endpoints.filter((endpoint) => isSubscribed(endpoint, event));
      const meant = subscribed.filter((endpoint) => endpointId === null || endpoint.id === endpointId);
      if (endpointId !== null && meant.length === 0) return null;
      for (const endpoint of meant) await sendAgain(event, endpoint);
      return shown(event);
    },
    deliveries: async (merchantId, livemode, id) => {
      if ((await load(merchantId, livemode, id)) === null) return [];
      const found = await deliveries.ofEvent(id, DELIVERIES_MAX);
      return found.map(({ record }) => record).filter(({ owner }) => owner === "merchant");
    },
  };
}
