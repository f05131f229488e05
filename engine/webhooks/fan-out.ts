import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { freshDelivery } from "./webhook-delivery.ts";
import type { WebhookDeliveryStore } from "./webhook-delivery-store.ts";
import { isSubscribed, type WebhookEndpointRecord, type WebhookOwner } from "./webhook-endpoint.ts";
import type { WebhookEndpointStore } from "./webhook-endpoint-store.ts";
import type { WebhookEvent } from "./webhook-event.ts";
import type { FanOutCursor, OutboxItem, WebhookEventStore } from "./webhook-event-store.ts";

/** How often the outbox is read. After a full page it is read again at once. */
const LOOK_MS = 250;
/** Events of one page. Events of different objects are fanned out in parallel. */
const PAGE = 64;
/** Endpoints in one commit. Each has 5 entries, so a commit has fewer than 500. */
const ENDPOINTS_PAGE = 96;

/** Creates the deliveries of stored events. */
export interface FanOut {
  /** The owner calls it about every 50 ms. */
  tick(): void;
  /** Begins no more work, and waits for the work in progress. */
  stop(): Promise<void>;
  /** When the oldest waiting event was stored, at the last check; null if there was none. */
  oldestMs(): number | null;
}

export interface FanOutOptions {
  events: WebhookEventStore;
  endpoints: WebhookEndpointStore;
  deliveries: WebhookDeliveryStore;
  apiVersionOf: ApiVersionOf;
  clock: Clock;
  /**
   * Whether this node fans out. Two nodes may believe it for a moment. The version of an outbox
   * entry then lets only one of them commit each page.
   */
  mine(): boolean;
  failed(what: string, error: unknown): void;
}

/**
 * Returns the version in a merchant's events for endpoints without a version of their own; null for
 * none.
 */
export type ApiVersionOf = (merchantId: string) => Promise<string | null>;

/**
 * Endpoints that subscribe to an event, and the cursor of the next page; null for the last page.
 */
interface EndpointsPage {
  readonly endpoints: readonly WebhookEndpointRecord[];
  readonly next: FanOutCursor | null;
}

/**
 * Turns each event into a delivery for each endpoint that subscribes to it, first of its merchant,
 * then of its partner. Each page of endpoints is one commit, which also stores the cursor of the
 * next page. A node that dies in between repeats nothing and loses nothing.
 */
export function createFanOut(options: FanOutOptions): FanOut {
  const { events, endpoints: endpointStore, deliveries, apiVersionOf, clock, mine, failed } = options;
  let nextLookMs = 0;
  let oldestMs: number | null = null;
  let looking: Promise<void> = Promise.resolve();
  let busy = false;
  let stopped = false;

  async function look(): Promise<void> {
    if (!mine()) {
      oldestMs = null;
      return;
    }
    const page = await events.outbox(PAGE);
    oldestMs = page[0]?.createdAtMs ?? null;
    const byObject = new Map<string, OutboxItem[]>();
    for (const item of page) byObject.set(item.objectId, [...(byObject.get(item.objectId) ?? []), item]);
    await Promise.all([...byObject.values()].map(inOrder));
    if (page.length === PAGE) nextLookMs = 0;
  }

  /**
   * Fans out the events of one object in sequence, so that each endpoint gets their deliveries in
   * order.
   */
  async function inOrder(items: readonly OutboxItem[]): Promise<void> {
    for (const item of items) {
      if (stopped || !(await fanOut(item))) return;
    }
  }

  /** Resolves with false if another node continues the event. */
  async function fanOut(item: OutboxItem): Promise<boolean> {
    const event = await events.load(item.eventId);
    if (event === null) {
      await events.drop(item);
      return true;
    }
    let { version } = item;
    let { cursor, total } = item.record;
    do {
      const { endpoints, next } = await endpointsOf(event, cursor);
      total ??= endpoints.length + (await countAfter(event, next));
      const [pendingWebhooks, atMs] = [total, clock.nowMs()];
      const merchantVersion = await apiVersionOf(event.merchantId);
      const records = endpoints.map((endpoint) =>
        freshDelivery(event, endpoint, { apiVersion: endpoint.apiVersion ?? merchantVersion, pendingWebhooks, atMs }),
      );
      const committed = await deliveries.fanOut({ ...item, version }, records, next === null ? null : { cursor: next, total });
      if (committed === null) return false;
      version = committed;
      cursor = next;
    } while (cursor !== null && !stopped);
    return cursor === null;
  }

  async function countAfter(event: WebhookEvent, from: FanOutCursor | null): Promise<number> {
    let count = 0;
    for (let cursor = from; cursor !== null; ) {
      const page: EndpointsPage = await endpointsOf(event, cursor);
      count += page.endpoints.length;
      cursor = page.next;
    }
    return count;
  }

  async function endpointsOf(event: WebhookEvent, cursor: FanOutCursor | null): Promise<EndpointsPage> {
    const { owner, after } = cursor ?? { owner: "merchant", after: null };
    const whose: WebhookOwner =
      owner === "merchant" ? { type: "merchant", merchantId: event.merchantId } : { type: "partner", partnerId: event.partnerId };
    const page = await endpointStore.ofOwner(whose, after, ENDPOINTS_PAGE);
    const subscribed = page.endpoints.filter((endpoint) => isSubscribed(endpoint, event));
    if (page.next !== null) return { endpoints: subscribed, next: { owner, after: page.next } };
    if (owner === "partner") return { endpoints: subscribed, next: null };
    const partners = await endpointsOf(event, { owner: "partner", after: null });
    return { endpoints: [...subscribed, ...partners.endpoints], next: partners.next };
  }

  return {
    tick: () => {
      if (stopped || busy || clock.monotonicMs() < nextLookMs) return;
      nextLookMs = clock.monotonicMs() + LOOK_MS;
      busy = true;
      looking = look()
        .catch((error: unknown) => {
          // The store is unavailable, and the outbox does not change.
          if (!(error instanceof RelayError && error.code === "unavailable")) failed("webhooks.fan-out", error);
        })
        .finally(() => {
          busy = false;
        });
    },
    stop: async () => {
      stopped = true;
      await looking;
    },
    oldestMs: () => oldestMs,
  };
}
