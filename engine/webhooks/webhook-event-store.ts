import { available, type Entry, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { timeDigits } from "../kernel/time-digits.ts";
import { WEBHOOK_EVENT_LIFETIME_MS, type WebhookEvent, type WebhookFormat } from "./webhook-event.ts";

/** An event that has not been fanned out completely. */
export interface OutboxEntry {
  readonly schema: 1;
  /** Number of endpoints that get the event; null before they are counted. */
  readonly total: number | null;
  /** The cursor of the next page of endpoints; null begins with the first. */
  readonly cursor: FanOutCursor | null;
}

/** The next page begins after this endpoint of the merchant, or of its partner. */
export interface FanOutCursor {
  readonly owner: "merchant" | "partner";
  readonly after: string | null;
}

export interface OutboxItem extends Stored<OutboxEntry> {
  readonly key: string;
  readonly eventId: string;
  readonly objectId: string;
  readonly sequence: number;
  readonly createdAtMs: number;
}

/** Selects the events of a list. */
export interface EventList {
  readonly format: WebhookFormat;
  readonly merchantId: string;
  readonly livemode: boolean;
}

/**
 * Stores events and the outbox for their fan-out. Every method rejects with RelayError
 * `unavailable` when the store cannot answer.
 */
export interface WebhookEventStore {
  load(id: string): Promise<WebhookEvent | null>;
  /** Returns the existing events with these ids. */
  loadMany(ids: readonly string[]): Promise<WebhookEvent[]>;
  /**
   * Lists events; `types` is null for all types. It checks LOOKED_THROUGH_MAX events at most, so it
   * may miss rare events among very many others.
   */
  page(list: EventList, query: PageQuery & { types: readonly string[] | null }, cursor: WebhookEvent | null): Promise<Page<WebhookEvent>>;
  /** Returns the oldest entries, in the order in which they are fanned out. */
  outbox(limit: number): Promise<OutboxItem[]>;
  /** Removes an entry whose event needs no fan-out. */
  drop(item: OutboxItem): Promise<void>;
}

const EVENTS = "webhook-event/";
const OF_MERCHANT = "webhook-event-of/";
export const WEBHOOK_OUTBOX = "webhook-outbox/";

const SEQUENCE_DIGITS = 8;

const INDEX_PAGE = 1_000;
export const LOOKED_THROUGH_MAX = 20_000;

/**
 * Stores events under `webhook-event/<id>`, their types under
 * `webhook-event-of/<format>/<merchant>/<live or test>/<13 digits of milliseconds>/<id>`, and until
 * they are fanned out under `webhook-outbox/<milliseconds>/<object>/<sequence>/<id>`.
 */
export function createWebhookEventStore(kv: Kv): WebhookEventStore {
  async function loadAll(ids: readonly string[]): Promise<WebhookEvent[]> {
    if (ids.length === 0) return [];
    const entries = await kv.getMany(ids.map(eventKey));
    return entries.flatMap((entry) => (entry === null ? [] : [eventOf(entry)]));
  }

  return {
    load: (id) => available(async () => (await loadAll([id]))[0] ?? null),
    loadMany: (ids) => available(() => loadAll(ids)),
    page: (list, { limit, types, fromMs, beforeMs, endingBefore }, cursor) =>
      available(async () => {
        const prefix = listPrefix(list);
        const forwards = endingBefore !== null;
        let { from, to } = prefixRange(prefix);
        if (fromMs !== null) from = later(from, prefix + timeDigits(fromMs));
        if (beforeMs !== null) to = earlier(to, prefix + timeDigits(beforeMs));
        if (cursor !== null && forwards) from = later(from, `${indexKey(cursor)}\u0001`);
        if (cursor !== null && !forwards) to = earlier(to, indexKey(cursor));
        const ids: string[] = [];
        for (let looked = 0; from < to && ids.length <= limit && looked < LOOKED_THROUGH_MAX; looked += INDEX_PAGE) {
          const entries = await kv.scan({ from, to, limit: INDEX_PAGE, reverse: !forwards });
          for (const { key, value } of entries) if (types === null || types.includes(value)) ids.push(key.slice(key.lastIndexOf("/") + 1));
          const last = entries.at(-1);
          if (last === undefined || entries.length < INDEX_PAGE) break;
          if (forwards) from = `${last.key}\u0001`;
          else to = last.key;
        }
        const items = await loadAll(ids.slice(0, limit));
        return { items: forwards ? items.reverse() : items, hasMore: ids.length > limit };
      }),
    outbox: (limit) =>
      available(async () => {
        const entries = await kv.scan({ ...prefixRange(WEBHOOK_OUTBOX), limit });
        return entries.map(itemOf);
      }),
    drop: (item) =>
      available(async () => {
        const { checks, operations } = outboxChange(item, null);
        await kv.commit({ checks, operations });
      }),
  };
}

/**
 * Returns operations that store events, their places in the lists and in the outbox, for the commit
 * that makes them true.
 */
export function eventOperations(events: readonly WebhookEvent[]): Operation[] {
  return events.flatMap((event) => {
    const expiresAtMs = event.createdAtMs + WEBHOOK_EVENT_LIFETIME_MS;
    const outboxEntry = recordText("webhookEvent", { total: null, cursor: null });
    return [
      keptEventOperation(event, expiresAtMs),
      { type: "put", key: indexKey(event), value: event.type, expiresAtMs },
      { type: "put", key: outboxKey(event), value: outboxEntry, expiresAtMs },
    ];
  });
}

/**
 * Returns the operation that stores an event until a time, for instance as long as a delivery of
 * it.
 */
export function keptEventOperation(event: WebhookEvent, expiresAtMs: number): Operation {
  return { type: "put", key: eventKey(event.id), value: recordText("webhookEvent", event), expiresAtMs };
}

/**
 * Returns checks and operations for the commit that fans out a page of endpoints; `next` is null
 * for the last page.
 */
export function outboxChange(item: OutboxItem, next: Omit<OutboxEntry, "schema"> | null) {
  const { key, version } = item;
  const operation: Operation =
    next === null
      ? { type: "delete", key }
      : { type: "put", key, value: recordText("webhookEvent", next), expiresAtMs: item.createdAtMs + WEBHOOK_EVENT_LIFETIME_MS };
  return { checks: [{ key, version }], operations: [operation] };
}

export function eventKey(id: string): string {
  return EVENTS + id;
}

function listPrefix({ format, merchantId, livemode }: EventList): string {
  return `${OF_MERCHANT}${format}/${merchantId}/${livemode ? "live" : "test"}/`;
}

function indexKey(event: WebhookEvent): string {
  return `${listPrefix(event)}${timeDigits(event.createdAtMs)}/${event.id}`;
}

function outboxKey({ createdAtMs, objectId, sequence, id }: WebhookEvent): string {
  return `${WEBHOOK_OUTBOX}${timeDigits(createdAtMs)}/${objectId}/${String(sequence).padStart(SEQUENCE_DIGITS, "0")}/${id}`;
}

function itemOf({ key, value, version }: Entry): OutboxItem {
  const [, ms = "", objectId = "", sequence = "", eventId = ""] = key.split("/");
  const record = readRecord<OutboxEntry>("webhookEvent", key, value);
  return { key, record, version, eventId, objectId, sequence: Number(sequence), createdAtMs: Number(ms) };
}

function eventOf({ key, value }: Entry): WebhookEvent {
  return readRecord("webhookEvent", key, value);
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

function earlier(a: string, b: string): string {
  return a < b ? a : b;
}
