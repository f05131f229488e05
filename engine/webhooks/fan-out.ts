import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { freshDelivery } from "./webhook-delivery.ts";
import type { WebhookDeliveryStore } from "./webhook-delivery-store.ts";
import { isSubscribed, type WebhookEndpointRecord, type WebhookOwner } from "./webhook-endpoint.ts";
import type { WebhookEndpointStore } from "./webhook-endpoint-store.ts";
import type { WebhookEvent } from "./webhook-event.ts";
import type { FanOutCursor, OutboxItem, WebhookEventStore } from "./webhook-event-store.ts";

/** How often the outbox is read; where there was more than one page of it, at once. */
const LOOK_MS = 250;
/** Events that are read at once: those of different objects are fanned out side by side. */
const PAGE = 64;
/** Endpoints of one commit, of 5 entries each: fewer than 500 in all. */
const ENDPOINTS_PAGE = 96;

/** Makes the deliveries of events that were stored. */
export interface FanOut {
  /** Called by the owner every 50 ms or so. */
  tick(): void;
  /** Begins nothing more, and waits for what is under way. */
  stop(): Promise<void>;
  /** When the oldest event was stored that was not fanned out yet, as of the last look; null: there was none. */
  oldestMs(): number | null;
}

export interface FanOutOptions {
  events: WebhookEventStore;
  endpoints: WebhookEndpointStore;
  deliveries: WebhookDeliveryStore;
  apiVersionOf: ApiVersionOf;
  clock: Clock;
  /** Whether this node fans out. Two may believe it for a moment: the version of an outbox entry lets one of them win each page. */
  mine(): boolean;
  failed(what: string, error: unknown): void;
}

/** The version that a merchant's events name to endpoints that have none of their own; null: none. */
export type ApiVersionOf = (merchantId: string) => Promise<string | null>;

/** Endpoints that want an event, and where the next page of them begins; null: this was the last one. */
interface EndpointsPage {
  readonly endpoints: readonly WebhookEndpointRecord[];
  readonly next: FanOutCursor | null;
}

/**
 * Turns each event into a delivery for each endpoint that wants it: of its merchant, then of its partner. A page of endpoints is one commit, which also stores
 * where the next one begins, so that a node that dies in between repeats nothing and loses nothing.
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

  /** Events of one object, so that each endpoint has their deliveries in order. */
  async function inOrder(items: readonly OutboxItem[]): Promise<void> {
    for (const item of items) {
      if (stopped || !(await fanOut(item))) return;
    }
  }

  /** False where another node goes on with it. */
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
          // The store is away: the outbox stays as it is.
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
