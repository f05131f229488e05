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

/**
 * An event, and the number of its deliveries to the merchant's own endpoints that are still
 * waiting.
 */
export interface ShownEvent {
  readonly event: WebhookEvent;
  readonly pending: number;
}

/**
 * The events of a merchant in the last 30 days. Events of another merchant or of the other
 * environment are null.
 */
export interface WebhookEvents {
  find(merchantId: string, livemode: boolean, id: string): Promise<ShownEvent | null>;
  /**
   * Lists the newest events first; `types` is null for all types. Resolves with null for a cursor
   * that is not among them.
   */
  list(merchantId: string, livemode: boolean, query: PageQuery & { types: readonly string[] | null }): Promise<Page<ShownEvent> | null>;
  /**
   * Delivers the event again at once, with all attempts, to one enabled and subscribed endpoint or
   * (null) to all of them. Resolves with null if the event or the endpoint does not exist.
   */
  retry(merchantId: string, livemode: boolean, id: string, endpointId: string | null): Promise<ShownEvent | null>;
  /** Returns the deliveries to the merchant's own endpoints, with their attempts. */
  deliveries(merchantId: string, livemode: boolean, id: string): Promise<readonly WebhookDeliveryRecord[]>;
}

export interface WebhookEventsOptions {
  /** The format of the surface. */
  format: WebhookFormat;
  events: WebhookEventStore;
  deliveries: WebhookDeliveryStore;
  endpoints: WebhookEndpointStore;
  apiVersionOf: ApiVersionOf;
  clock: Clock;
}

const ID = /^evt_[a-z0-9]{24}$/;

/** Limits for one event, far more than the endpoints of a merchant and its partner. */
const DELIVERIES_MAX = 1_000;
const ENDPOINTS_MAX = 1_000;

export function createWebhookEvents(options: WebhookEventsOptions): WebhookEvents {
  const { format, events, deliveries, endpoints, apiVersionOf, clock } = options;

  /**
   * Loads an event that is shown. Dead deliveries keep an event longer, but it is not shown for
   * longer.
   */
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
      // The endpoint was created, or subscribed, after the event.
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
