import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import type { ApiVersionOf } from "./fan-out.ts";
import { PORTAL_TEST_EVENT } from "./portal-events.ts";
import { resendDelivery } from "./resend-delivery.ts";
import { deliveryId, freshDelivery, resentDelivery, WEBHOOK_DEAD_LIFETIME_MS, type WebhookDeliveryRecord } from "./webhook-delivery.ts";
import type { DeliveriesPage, DeliveryPlace, DeliveryState, WebhookDeliveryStore } from "./webhook-delivery-store.ts";
import { WEBHOOK_ENDPOINTS_MAX, type WebhookEndpointRecord } from "./webhook-endpoint.ts";
import type { WebhookEndpointStore } from "./webhook-endpoint-store.ts";
import { type WebhookEvent, webhookEventId } from "./webhook-event.ts";
import type { WebhookEventStore } from "./webhook-event-store.ts";
import type { WEBHOOK_OUTCOMES } from "./words.ts";

/** The merchant of the deliveries. It comes from the session or the key, never from the request. */
export interface WebhookMerchant {
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
}

export type DeliveryOutcome = (typeof WEBHOOK_OUTCOMES)[number];

export interface MerchantDeliveriesQuery {
  readonly endpointId: string | null;
  readonly outcome: DeliveryOutcome | null;
  readonly eventType: string | null;
  readonly objectId: string | null;
  readonly after: DeliveryPlace | null;
  readonly limit: number;
}

/** A delivery with its event and its endpoint. Each is null if it no longer exists. */
export interface MerchantDelivery {
  readonly delivery: WebhookDeliveryRecord;
  readonly event: WebhookEvent | null;
  readonly endpoint: WebhookEndpointRecord | null;
}

/**
 * Deliveries to the endpoints of a merchant, on whichever surface they were created. Deliveries of
 * another merchant, of the partner, or of the other environment are null. Every method rejects with
 * RelayError `unavailable` when the store cannot answer.
 */
export interface MerchantDeliveries {
  /**
   * Lists the newest deliveries first. With a type of events, a page checks LOOKED_THROUGH_MAX
   * deliveries at most. It may have fewer than `limit`, or none, and still a `next`.
   */
  list(
    merchant: WebhookMerchant,
    query: MerchantDeliveriesQuery,
  ): Promise<DeliveriesPage & { endpoints: readonly WebhookEndpointRecord[] }>;
  find(merchant: WebhookMerchant, id: string): Promise<MerchantDelivery | null>;
  /** Works like `resendDelivery`, which may throw RelayError `conflict`. */
  resend(merchant: WebhookMerchant, id: string): Promise<MerchantDelivery | "endpoint_disabled" | null>;
  /**
   * Sends dead or canceled deliveries again, to one endpoint or (null) to all, the oldest first,
   * RESENT_MAX at most. Skips a delivery if a later event of the same object was delivered to the
   * endpoint. The next call continues at `next`; null if it was the last one.
   */
  resendFailed(
    merchant: WebhookMerchant,
    endpointId: string | null,
    after: DeliveryPlace | null,
  ): Promise<{ resent: number; skipped: number; next: DeliveryPlace | null }>;
  /**
   * Sends a test event to one endpoint, whatever its subscriptions. Throws RelayError
   * `rate_limited` within TEST_EVERY_MS of the last one.
   */
  sendTest(merchant: WebhookMerchant, endpointId: string, requestId: string): Promise<WebhookDeliveryRecord | "endpoint_disabled" | null>;
}

export interface MerchantDeliveriesOptions {
  events: Pick<WebhookEventStore, "loadMany">;
  deliveries: WebhookDeliveryStore;
  endpoints: Pick<WebhookEndpointStore, "load" | "ofOwner">;
  apiVersionOf: ApiVersionOf;
  digest: Digest;
  clock: Clock;
}

export const DELIVERY_OUTCOMES: Readonly<Record<DeliveryOutcome, readonly DeliveryState[]>> = {
  PENDING: ["waiting"],
  DELIVERED: ["delivered"],
  // Deliveries that an endpoint missed while it was disabled count as failed too.
  FAILED: ["dead", "canceled"],
};

export function outcomeOf({ state }: Pick<WebhookDeliveryRecord, "state">): DeliveryOutcome {
  if (state === "waiting") return "PENDING";
  return state === "delivered" ? "DELIVERED" : "FAILED";
}

/**
 * Deliveries that one call checks for a type of events, and the number of them in memory at once.
 * One with its answers has 25 KB at most.
 */
export const LOOKED_THROUGH_MAX = 2_000;
const LOOKED_AT_ONCE = 100;

/** Deliveries that one call sends again, so that it ends within a second. */
export const RESENT_MAX = 100;

/** Maximum number of events of an object that are read. It is far more than any object has. */
const OBJECT_EVENTS_MAX = 256;
/**
 * The number of later events of an object that are read at once. Sequences have no gap of this
 * length.
 */
const NEXT_EVENTS = 8;

/** Each endpoint gets one test event within this time. */
export const TEST_EVERY_MS = 10_000;

const DELIVERY_ID = /^evt_[a-z0-9]{24}\.we_[a-z0-9]{24}$/;
const ENDPOINT_ID = /^we_[a-z0-9]{24}$/;

export function createMerchantDeliveries(options: MerchantDeliveriesOptions): MerchantDeliveries {
  const { events, deliveries, endpoints, apiVersionOf, digest, clock } = options;

  async function endpointsOf({ merchantId, livemode }: WebhookMerchant, id: string | null): Promise<WebhookEndpointRecord[]> {
    const page = await endpoints.ofOwner({ type: "merchant", merchantId }, null, WEBHOOK_ENDPOINTS_MAX);
    return page.endpoints.filter((endpoint) => endpoint.livemode === livemode && (id === null || endpoint.id === id));
  }

  async function find(merchant: WebhookMerchant, id: string): Promise<MerchantDelivery | null> {
    const delivery = DELIVERY_ID.test(id) ? ((await deliveries.load(id))?.record ?? null) : null;
    if (delivery === null || !isOf(delivery, merchant)) return null;
    const { event, endpoint } = await deliveries.context(delivery);
    return { delivery, event, endpoint: endpoint?.record ?? null };
  }

  function eventIds(objectId: string, from: number, count: number): string[] {
    return Array.from({ length: count }, (_, index) => webhookEventId(objectId, from + index, digest));
  }

  /**
   * Returns the deliveries of an object. The ids of events derive from their objects, so this needs
   * no index.
   */
  async function ofObject(endpointIds: readonly string[], objectId: string): Promise<WebhookDeliveryRecord[]> {
    const known = await events.loadMany(eventIds(objectId, 1, OBJECT_EVENTS_MAX));
    const ids = known.flatMap(({ id }) => endpointIds.map((endpointId) => deliveryId(id, endpointId)));
    return (await deliveries.loadMany(ids)).map(({ record }) => record);
  }

  /**
   * Returns true if a later event of the same object was delivered to the endpoint. The earlier
   * event would report an outdated state.
   */
  async function isSuperseded({ objectId, sequence, endpointId }: WebhookDeliveryRecord): Promise<boolean> {
    for (let from = sequence + 1; from < sequence + OBJECT_EVENTS_MAX; from += NEXT_EVENTS) {
      const known = await events.loadMany(eventIds(objectId, from, NEXT_EVENTS));
      if (known.length === 0) return false;
      const later = await deliveries.loadMany(known.map(({ id }) => deliveryId(id, endpointId)));
      if (later.some(({ record }) => record.state === "delivered")) return true;
    }
    return false;
  }

  async function listOfObject(endpointIds: readonly string[], objectId: string, query: MerchantDeliveriesQuery): Promise<DeliveriesPage> {
    const { after, limit } = query;
    const all = (await ofObject(endpointIds, objectId)).filter((record) => matches(record, query));
    const newestFirst = all.sort((one, other) => (isBehind(one, other) ? 1 : -1));
    const rest = newestFirst.filter((record) => after === null || isBehind(record, after));
    const found = rest.slice(0, limit);
    return { found, next: rest.length > limit ? placeOf(found) : null };
  }

  async function listAll(endpointIds: readonly string[], query: MerchantDeliveriesQuery): Promise<DeliveriesPage> {
    const { outcome, eventType, limit } = query;
    const states = outcome === null ? null : DELIVERY_OUTCOMES[outcome];
    if (eventType === null) return deliveries.ofEndpoints({ endpointIds, states, after: query.after, limit, order: "newest first" });
    const found: WebhookDeliveryRecord[] = [];
    let { after } = query;
    for (let looked = 0; looked < LOOKED_THROUGH_MAX; looked += LOOKED_AT_ONCE) {
      const page = await deliveries.ofEndpoints({ endpointIds, states, after, limit: LOOKED_AT_ONCE, order: "newest first" });
      const fitting = page.found.filter((record) => matches(record, query));
      const taken = fitting.slice(0, limit - found.length);
      found.push(...taken);
      if (taken.length < fitting.length) return { found, next: placeOf(found) };
      if (page.next === null || found.length === limit) return { found, next: page.next };
      after = page.next;
    }
    return { found, next: after };
  }

  return {
    list: async (merchant, query) => {
      const own = await endpointsOf(merchant, null);
      const ids = own.map(({ id }) => id).filter((id) => query.endpointId === null || id === query.endpointId);
      const page = query.objectId === null ? await listAll(ids, query) : await listOfObject(ids, query.objectId, query);
      return { ...page, endpoints: own };
    },
    find,
    resend: async (merchant, id) => {
      const found = await find(merchant, id);
      if (found === null) return null;
      if (found.endpoint?.status !== "enabled") return "endpoint_disabled";
      const delivery = await resendDelivery(deliveries, clock, id);
      return delivery === null ? null : { ...found, delivery };
    },
    resendFailed: async (merchant, endpointId, after) => {
      const own = await endpointsOf(merchant, endpointId);
      const enabled = new Set(own.filter(({ status }) => status === "enabled").map(({ id }) => id));
      const endpointIds = own.map(({ id }) => id);
      const page = await deliveries.ofEndpoints({
        ...{ endpointIds, states: DELIVERY_OUTCOMES.FAILED, after, limit: RESENT_MAX, order: "oldest first" },
      });
      let resent = 0;
      for (const record of page.found) {
        if (!enabled.has(record.endpointId) || (await isSuperseded(record))) continue;
        if (await sendAgain(record.id)) resent += 1;
      }
      return { resent, skipped: page.found.length - resent, next: page.next };
    },
    sendTest: async (merchant, endpointId, requestId) => {
      const endpoint = ENDPOINT_ID.test(endpointId) ? ((await endpoints.load(endpointId))?.record ?? null) : null;
      if (endpoint === null || !isOwn(endpoint, merchant)) return null;
      if (endpoint.status !== "enabled") return "endpoint_disabled";
      const atMs = clock.nowMs();
      const event = testEvent(merchant, endpoint, requestId, atMs, digest);
      const apiVersion = endpoint.apiVersion ?? (await apiVersionOf(merchant.merchantId));
      const delivery = freshDelivery(event, endpoint, { apiVersion, pendingWebhooks: 1, atMs });
      if (await deliveries.createAlone(delivery, event)) return delivery;
      const retryAfterSeconds = Math.ceil((TEST_EVERY_MS - (atMs % TEST_EVERY_MS)) / 1_000);
      throw new RelayError("rate_limited", "A test event was sent a moment ago; wait ten seconds before the next one", {
        retryAfterSeconds,
      });
    },
  };

  /**
   * Sends a delivery again only if it is still dead or canceled. Deliveries that were delivered or
   * begun again meanwhile do not change.
   */
  async function sendAgain(id: string): Promise<boolean> {
    const stored = await deliveries.load(id);
    if (stored === null || outcomeOf(stored.record) !== "FAILED") return false;
    const { event, endpoint } = await deliveries.context(stored.record);
    if (event === null || endpoint?.record.status !== "enabled") return false;
    const atMs = clock.nowMs();
    return deliveries.resent(stored, resentDelivery(stored.record, atMs), event, atMs + WEBHOOK_DEAD_LIFETIME_MS);
  }
}

function isOf({ owner, merchantId, livemode }: WebhookDeliveryRecord, merchant: WebhookMerchant): boolean {
  return owner === "merchant" && merchantId === merchant.merchantId && livemode === merchant.livemode;
}

function isOwn({ owner, livemode }: WebhookEndpointRecord, merchant: WebhookMerchant): boolean {
  return owner.type === "merchant" && owner.merchantId === merchant.merchantId && livemode === merchant.livemode;
}

function matches(record: WebhookDeliveryRecord, { outcome, eventType }: MerchantDeliveriesQuery): boolean {
  return (outcome === null || outcomeOf(record) === outcome) && (eventType === null || record.eventType === eventType);
}

/** Returns true if the first place comes later in a list that begins with the newest. */
function isBehind(one: DeliveryPlace, other: DeliveryPlace): boolean {
  return one.createdAtMs < other.createdAtMs || (one.createdAtMs === other.createdAtMs && one.id < other.id);
}

function placeOf(found: readonly WebhookDeliveryRecord[]): DeliveryPlace | null {
  const last = found.at(-1);
  return last === undefined ? null : { createdAtMs: last.createdAtMs, id: last.id };
}

/**
 * Returns a test event. Within TEST_EVERY_MS it has the same id, so that an endpoint gets only one.
 */
function testEvent(
  { merchantId, partnerId, livemode }: WebhookMerchant,
  { id: endpointId, format }: WebhookEndpointRecord,
  requestId: string,
  atMs: number,
  digest: Digest,
): WebhookEvent {
  const objectId = prefixedId("wt_", digest(`webhook-test ${endpointId} ${Math.floor(atMs / TEST_EVERY_MS)}`));
  return {
    ...{ schema: 1, id: webhookEventId(objectId, 1, digest), format, merchantId, partnerId, livemode },
    ...{ type: PORTAL_TEST_EVENT, objectId, sequence: 1, createdAtMs: atMs },
    data: { object: { id: objectId, object: "webhook_test", endpointId } },
    request: { id: requestId, idempotencyKey: null },
  };
}
