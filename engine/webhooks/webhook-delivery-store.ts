import { available, type Entry, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { timeDigits } from "../kernel/time-digits.ts";
import type { DuePage, DueQuery } from "./delivery-sender.ts";
import { deliveryExpiresAtMs, WEBHOOK_DELIVERY_STATES, type WebhookDeliveryRecord } from "./webhook-delivery.ts";
import type { WebhookEndpointRecord, WebhookHealth } from "./webhook-endpoint.ts";
import { endpointKey, endpointOf, healthKey, healthOf } from "./webhook-endpoint-store.ts";
import { WEBHOOK_EVENT_LIFETIME_MS, type WebhookEvent } from "./webhook-event.ts";
import { eventKey, keptEventOperation, type OutboxEntry, type OutboxItem, outboxChange } from "./webhook-event-store.ts";

export type DeliveryState = WebhookDeliveryRecord["state"];

/** The records that an attempt needs beside its delivery. */
export interface DeliveryContext {
  readonly event: WebhookEvent | null;
  readonly endpoint: Stored<WebhookEndpointRecord> | null;
  readonly health: WebhookHealth | null;
}

/**
 * Stores deliveries. Every method rejects with RelayError `unavailable` when the store cannot
 * answer.
 */
export interface WebhookDeliveryStore {
  /**
   * Returns due deliveries lane by lane; a lane is an endpoint. If a lane has no room or nothing
   * more due, its remaining deliveries are skipped in one step, however many wait. Deliveries whose
   * endpoint is not `mine` belong to another node.
   */
  due(query: DueQuery & { mine(endpointId: string): boolean }): Promise<DuePage<WebhookDeliveryRecord>>;
  load(id: string): Promise<Stored<WebhookDeliveryRecord> | null>;
  context(record: WebhookDeliveryRecord): Promise<DeliveryContext>;
  /** Resolves with null if another commit changed it first. */
  replace(before: Stored<WebhookDeliveryRecord>, after: WebhookDeliveryRecord): Promise<Stored<WebhookDeliveryRecord> | null>;
  /**
   * Stores a success, after which earlier dead deliveries no longer count. Resolves with false if
   * another commit changed it first.
   */
  delivered(before: Stored<WebhookDeliveryRecord>, after: WebhookDeliveryRecord, health: WebhookHealth | null): Promise<boolean>;
  /**
   * Stores a dead delivery, and keeps its event as long as the delivery. Resolves with the health
   * since the last success, this one included, or with null if another commit changed it first.
   */
  dead(before: Stored<WebhookDeliveryRecord>, after: WebhookDeliveryRecord, event: WebhookEvent): Promise<WebhookHealth | null>;
  /**
   * Stores a delivery that is sent again, and keeps its event until then. Resolves with false if
   * another commit changed it first.
   */
  resent(before: Stored<WebhookDeliveryRecord>, after: WebhookDeliveryRecord, event: WebhookEvent, keptUntilMs: number): Promise<boolean>;
  /** Resolves with false if it already exists. */
  create(record: WebhookDeliveryRecord): Promise<boolean>;
  /**
   * Stores the missing deliveries for a page of endpoints together with the cursor of the next
   * page; `next` is null for the last page. Resolves with the new version of the outbox entry, or
   * with null if another node has continued the event.
   */
  fanOut(item: OutboxItem, records: readonly WebhookDeliveryRecord[], next: Omit<OutboxEntry, "schema"> | null): Promise<number | null>;
  /** Returns some of the deliveries that wait for an endpoint. */
  waitingFor(endpointId: string, limit: number): Promise<Stored<WebhookDeliveryRecord>[]>;
  /** Returns the deliveries of an event, `limit` at most. */
  ofEvent(eventId: string, limit: number): Promise<Stored<WebhookDeliveryRecord>[]>;
  /**
   * Counts the waiting deliveries of an event to endpoints with this kind of owner, up to a limit.
   */
  pending(eventId: string, owner: WebhookDeliveryRecord["owner"]): Promise<number>;
  /** Counts the deliveries in a state, up to `max`. */
  count(state: DeliveryState, max: number): Promise<number>;
  /** Lists deliveries by age, after `after` only. */
  page(state: DeliveryState, after: WebhookDeliveryRecord | null, limit: number): Promise<WebhookDeliveryRecord[]>;
  /**
   * Lists deliveries by age. A delivery that changes its state meanwhile may be missing in a list
   * of some states.
   */
  ofEndpoints(query: EndpointDeliveriesQuery): Promise<DeliveriesPage>;
  /** Returns the existing deliveries with these ids, in this order. */
  loadMany(ids: readonly string[]): Promise<Stored<WebhookDeliveryRecord>[]>;
  /**
   * Stores the only delivery of an event together with the event, which is in no list. Resolves
   * with false if it already exists.
   */
  createAlone(record: WebhookDeliveryRecord, event: WebhookEvent): Promise<boolean>;
}

/** The cursor position of a delivery in lists by age. */
export type DeliveryPlace = Pick<WebhookDeliveryRecord, "createdAtMs" | "id">;

export interface DeliveriesPage {
  readonly found: readonly WebhookDeliveryRecord[];
  /** The cursor position after which the next page begins; null for the last page. */
  readonly next: DeliveryPlace | null;
}

export interface EndpointDeliveriesQuery {
  /** At most the endpoints that one owner may have. */
  readonly endpointIds: readonly string[];
  /** Null for all states. */
  readonly states: readonly DeliveryState[] | null;
  /** The list begins after this place. The delivery itself may no longer exist. */
  readonly after: DeliveryPlace | null;
  readonly limit: number;
  readonly order: "oldest first" | "newest first";
}

const DELIVERIES = "webhook-delivery/";
const DUE = "webhook-due/";
const PENDING = "webhook-pending/";
const BY_STATE = "webhook-state/";
const OF_ENDPOINT = "webhook-delivery-of/";

/** Entries of the index in one read. */
const DUE_PAGE = 500;
/**
 * Entries of a lane that are read for each delivery that can begin. Events of one object wait for
 * each other, and only one of them can begin.
 */
const READ_FOR_EACH = 4;
const PENDING_COUNTED_MAX = 10_000;
const ATTEMPTS_MAX = 64;

/**
 * Stores deliveries under `webhook-delivery/<event>.<endpoint>`. While they wait there are also
 * `webhook-due/<endpoint>/<13 digits of milliseconds>/<sequence>/<event>` and
 * `webhook-pending/<event>/<m or p>/<endpoint>`. The lists are under
 * `webhook-state/<state>/<milliseconds of creation>/<id>` and
 * `webhook-delivery-of/<endpoint>/<state>/<milliseconds of creation>/<id>`.
 */
export function createWebhookDeliveryStore(kv: Kv): WebhookDeliveryStore {
  async function loadAll(ids: readonly string[]): Promise<Stored<WebhookDeliveryRecord>[]> {
    if (ids.length === 0) return [];
    const entries = await kv.getMany(ids.map((id) => DELIVERIES + id));
    return entries.flatMap((entry) => (entry === null ? [] : [storedOf(entry)]));
  }

  async function commit(
    before: Stored<WebhookDeliveryRecord>,
    after: WebhookDeliveryRecord,
    more: { checks?: { key: string; version: number }[]; operations?: Operation[] } = {},
  ) {
    return kv.commit({
      checks: [{ key: DELIVERIES + after.id, version: before.version }, ...(more.checks ?? [])],
      operations: [...changeOperations(before.record, after), ...(more.operations ?? [])],
    });
  }

  return {
    due: ({ untilMs, after, limit, room, mine }) =>
      available(async () => {
        const entries = await kv.scan({ from: after ?? DUE, to: `${DUE}~`, limit: DUE_PAGE });
        const wanted: string[] = [];
        let left = false;
        let oldestMs: number | null = null;
        let next: string | null = null;
        let lane: { endpointId: string; room: number; done: boolean } | null = null;
        for (const { key } of entries) {
          const place = dueOf(key);
          if (lane === null || lane.endpointId !== place.endpointId) {
            if (wanted.length >= limit) {
              left = true;
              break;
            }
            lane = { endpointId: place.endpointId, room: room(place.endpointId) * READ_FOR_EACH, done: !mine(place.endpointId) };
          }
          if (place.atMs > untilMs) lane.done = true;
          if (!lane.done) {
            if (oldestMs === null || place.atMs < oldestMs) oldestMs = place.atMs;
            if (lane.room > 0) {
              wanted.push(place.id);
              lane.room -= 1;
            } else {
              lane.done = true;
              left = true;
            }
          }
          next = lane.done ? `${DUE}${lane.endpointId}/~` : `${key}\u0001`;
        }
        const records = await loadAll(wanted);
        // Another node may have claimed or even finished a delivery between the two reads, as its
        // record then shows.
        const found = records.filter(({ record }) => record.state === "waiting" && record.nextAtMs !== null && record.nextAtMs <= untilMs);
        const whole = entries.length < DUE_PAGE && wanted.length < limit;
        return { found, next: whole ? null : next, left, oldestMs };
      }),
    load: (id) => available(async () => (await loadAll([id]))[0] ?? null),
    context: (record) =>
      available(async () => {
        const keys = [eventKey(record.eventId), endpointKey(record.endpointId), healthKey(record.endpointId)];
        const [event = null, endpoint = null, health = null] = await kv.getMany(keys);
        return {
          event: event === null ? null : readRecord<WebhookEvent>("webhookEvent", event.key, event.value),
          endpoint: endpoint === null ? null : { record: endpointOf(endpoint), version: endpoint.version },
          health: health === null ? null : healthOf(health),
        };
      }),
    replace: (before, after) =>
      available(async () => {
        const result = await commit(before, after);
        return result.type === "committed" ? { record: after, version: result.version } : null;
      }),
    delivered: (before, after, health) =>
      available(async () => {
        const healthy: Operation[] = health === null ? [] : [{ type: "delete", key: healthKey(after.endpointId) }];
        return (await commit(before, after, { operations: healthy })).type === "committed";
      }),
    dead: (before, after, event) =>
      available(() =>
        retryOnConflict(ATTEMPTS_MAX, async () => {
          const key = healthKey(after.endpointId);
          const entry = await kv.get(key);
          const known = entry === null ? { sinceMs: before.record.createdAtMs, dead: 0 } : healthOf(entry);
          const health: WebhookHealth = { schema: 1, sinceMs: known.sinceMs, dead: known.dead + 1 };
          const result = await commit(before, after, {
            checks: [{ key, version: entry?.version ?? 0 }],
            operations: [
              { type: "put", key, value: recordText("webhookHealth", health) },
              keptEventOperation(event, deliveryExpiresAtMs(after) ?? 0),
            ],
          });
          if (result.type === "committed") return health;
          return result.key === key ? CONFLICT : null;
        }),
      ),
    resent: (before, after, event, keptUntilMs) =>
      available(async () => {
        const result = await commit(before, after, { operations: [keptEventOperation(event, keptUntilMs)] });
        return result.type === "committed";
      }),
    create: (record) =>
      available(async () => {
        const checks = [{ key: DELIVERIES + record.id, version: 0 }];
        return (await kv.commit({ checks, operations: changeOperations(null, record) })).type === "committed";
      }),
    fanOut: (item, records, next) =>
      available(() =>
        retryOnConflict(ATTEMPTS_MAX, async () => {
          const there = new Set((await loadAll(records.map(({ id }) => id))).map(({ record }) => record.id));
          const fresh = records.filter(({ id }) => !there.has(id));
          const outbox = outboxChange(item, next);
          const result = await kv.commit({
            checks: [...outbox.checks, ...fresh.map(({ id }) => ({ key: DELIVERIES + id, version: 0 }))],
            operations: [...fresh.flatMap((record) => changeOperations(null, record)), ...outbox.operations],
          });
          if (result.type === "committed") return result.version;
          return result.key === item.key ? null : CONFLICT;
        }),
      ),
    waitingFor: (endpointId, limit) =>
      available(async () => {
        const entries = await kv.scan({ ...prefixRange(`${DUE}${endpointId}/`), limit });
        return loadAll(entries.map(({ key }) => dueOf(key).id));
      }),
    ofEvent: (eventId, limit) =>
      available(async () => {
        const entries = await kv.scan({ ...prefixRange(`${DELIVERIES}${eventId}.`), limit });
        return entries.map(storedOf);
      }),
    pending: (eventId, owner) =>
      available(() => kv.count({ ...prefixRange(`${PENDING}${eventId}/${ownerLetter(owner)}/`), limit: PENDING_COUNTED_MAX })),
    count: (state, max) => available(() => kv.count({ ...prefixRange(`${BY_STATE}${state}/`), limit: max })),
    page: (state, after, limit) =>
      available(async () => {
        const { from, to } = prefixRange(`${BY_STATE}${state}/`);
        const entries = await kv.scan({ from: after === null ? from : `${stateKey({ ...after, state })}\u0001`, to, limit });
        const records = await loadAll(entries.map(({ key }) => key.slice(key.lastIndexOf("/") + 1)));
        return records.map(({ record }) => record).filter((record) => record.state === state);
      }),
    ofEndpoints: ({ endpointIds, states, after, limit, order }) =>
      available(async () => {
        const reverse = order === "newest first";
        const wanted = states ?? WEBHOOK_DELIVERY_STATES;
        const place = after === null ? null : placeOf(after);
        const prefixes = endpointIds.flatMap((endpointId) => wanted.map((one) => `${OF_ENDPOINT}${endpointId}/${one}/`));
        let places: string[] = [];
        // The lists are read one after the other, so that no more than two are in memory.
        for (const prefix of prefixes) {
          const range = prefixRange(prefix);
          const from = place === null || reverse ? range.from : `${prefix}${place}\u0001`;
          const to = place === null || !reverse ? range.to : `${prefix}${place}`;
          const entries = await kv.scan({ from, to, limit: limit + 1, reverse });
          // A delivery that changes its state meanwhile is found in both lists.
          const found = [...new Set([...places, ...entries.map(({ key }) => key.slice(prefix.length))])].sort();
          places = (reverse ? found.reverse() : found).slice(0, limit + 1);
        }
        const page = places.slice(0, limit).map(deliveryPlace);
        const records = await loadAll(page.map(({ id }) => id));
        // The state may have changed between the reads.
        const found = records.map(({ record }) => record).filter(({ state }) => wanted.includes(state));
        return { found, next: places.length > limit ? (page.at(-1) ?? null) : null };
      }),
    loadMany: (ids) => available(() => loadAll(ids)),
    createAlone: (record, event) =>
      available(async () => {
        const checks = [{ key: DELIVERIES + record.id, version: 0 }];
        const kept = keptEventOperation(event, event.createdAtMs + WEBHOOK_EVENT_LIFETIME_MS);
        return (await kv.commit({ checks, operations: [...changeOperations(null, record), kept] })).type === "committed";
      }),
  };
}

function changeOperations(before: WebhookDeliveryRecord | null, after: WebhookDeliveryRecord): Operation[] {
  const expiresAtMs = deliveryExpiresAtMs(after);
  const kept = expiresAtMs === null ? {} : { expiresAtMs };
  const [was, is] = [before === null ? [] : indexKeys(before), indexKeys(after)];
  return [
    { type: "put", key: DELIVERIES + after.id, value: recordText("webhookDelivery", after), ...kept },
    ...was.filter((key) => !is.includes(key)).map((key): Operation => ({ type: "delete", key })),
    ...is.filter((key) => !was.includes(key)).map((key): Operation => ({ type: "put", key, value: "1", ...kept })),
  ];
}

function indexKeys(record: WebhookDeliveryRecord): string[] {
  const { endpointId, eventId, owner, sequence, state, nextAtMs } = record;
  const lists = [stateKey(record), `${OF_ENDPOINT}${endpointId}/${state}/${placeOf(record)}`];
  if (nextAtMs === null) return lists;
  return [
    ...lists,
    `${DUE}${endpointId}/${timeDigits(nextAtMs)}/${String(sequence).padStart(8, "0")}/${eventId}`,
    `${PENDING}${eventId}/${ownerLetter(owner)}/${endpointId}`,
  ];
}

function stateKey(record: WebhookDeliveryRecord): string {
  return `${BY_STATE}${record.state}/${placeOf(record)}`;
}

/** Returns the cursor position in lists by age as text. */
function placeOf({ createdAtMs, id }: DeliveryPlace): string {
  return `${timeDigits(createdAtMs)}/${id}`;
}

function deliveryPlace(text: string): DeliveryPlace {
  const slash = text.indexOf("/");
  return { createdAtMs: Number(text.slice(0, slash)), id: text.slice(slash + 1) };
}

function ownerLetter(owner: WebhookDeliveryRecord["owner"]): string {
  return owner === "merchant" ? "m" : "p";
}

function dueOf(key: string): { endpointId: string; atMs: number; id: string } {
  const [, endpointId = "", ms = "", , eventId = ""] = key.split("/");
  return { endpointId, atMs: Number(ms), id: `${eventId}.${endpointId}` };
}

function storedOf({ key, value, version }: Entry): Stored<WebhookDeliveryRecord> {
  return { record: readRecord("webhookDelivery", key, value), version };
}
