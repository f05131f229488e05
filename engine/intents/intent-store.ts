import type { CommitPart } from "../kernel/commit-part.ts";
import { available, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { LINK_LIFETIME_MS, LINK_UNVERIFIED_MAX_MS } from "../kernel/limits.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { timeDigits } from "../kernel/time-digits.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import type { Attempt, IntentRecord, IntentRefund } from "./intent.ts";

/** One step of an intent, stored as a whole or not at all. */
export interface IntentChange {
  /** The record as it becomes. */
  readonly record: IntentRecord;
  /** Of what it replaces; 0 for a new one. */
  readonly version: number;
  readonly events: readonly WebhookEvent[];
  readonly atMs: number;
}

/** Whose intents a list has. */
export interface IntentList {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** Where an item stands in its list. */
export interface Place {
  readonly atMs: number;
  readonly id: string;
}

export interface ListedCharge {
  readonly intent: IntentRecord;
  readonly attempt: Attempt;
}

export interface ListedRefund extends ListedCharge {
  readonly refund: IntentRefund;
}

/**
 * Where payment intents are kept. Every method rejects with RelayError `unavailable` when the store cannot answer; after a failed commit
 * it is not known whether it happened.
 */
export interface IntentStore {
  load(id: string): Promise<Stored<IntentRecord> | null>;
  /** The intent of a charge or a refund, or null. */
  ofCharge(chargeId: string): Promise<IntentRecord | null>;
  ofRefund(refundId: string): Promise<IntentRecord | null>;
  /** The new version, or null where another one stands. */
  commit(change: IntentChange): Promise<number | null>;
  /** The same step for the commit of a link. */
  alongside(change: IntentChange): CommitPart;
  /** Newest first; `cursor` is the place of the item that the query names. */
  page(list: IntentList, query: PageQuery, cursor: Place | null): Promise<Page<IntentRecord>>;
  pageCharges(list: IntentList, query: PageQuery, cursor: Place | null): Promise<Page<ListedCharge>>;
  pageRefunds(list: IntentList, query: PageQuery, cursor: Place | null): Promise<Page<ListedRefund>>;
}

const INTENTS = "intent/";
const INTENTS_OF = "intent-of/";
const CHARGES = "intent-charge/";
const CHARGES_OF = "intent-charge-of/";
const REFUNDS = "intent-refund/";
const REFUNDS_OF = "intent-refund-of/";

/** Ids come out of requests as they are. */
const ID = /^[a-z]{2}_[a-z0-9]{24}$/;

/** Beyond the retention after the last change: longer than a link is followed, so that no link outlives its intent. */
const KEPT_BEYOND_MS = LINK_LIFETIME_MS + 3 * LINK_UNVERIFIED_MAX_MS;

export interface IntentStoreOptions {
  kv: Kv;
  /** How long an intent is kept after its last change. */
  retentionMs: number;
  /** The entries that make an event one that is told. */
  eventOperations(events: readonly WebhookEvent[]): readonly Operation[];
}

/**
 * Payment intents on the key-value store: `intent/<id>`, and by time `intent-of/<merchant>/<live or test>/<13 digits of milliseconds>/<id>`; ended attempts and
 * refunds the same way under `intent-charge-of/` and `intent-refund-of/`, and by their ids under `intent-charge/` and `intent-refund/`, each with the intent's id.
 */
export function createIntentStore({ kv, retentionMs, eventOperations }: IntentStoreOptions): IntentStore {
  async function load(id: string): Promise<Stored<IntentRecord> | null> {
    const entry = ID.test(id) ? await kv.get(INTENTS + id) : null;
    return entry === null ? null : { record: readRecord("intent", "an intent", entry.value), version: entry.version };
  }

  async function loadBy(prefix: string, id: string): Promise<IntentRecord | null> {
    const entry = ID.test(id) ? await kv.get(prefix + id) : null;
    return entry === null ? null : ((await load(entry.value))?.record ?? null);
  }

  function alongside({ record, version, events, atMs }: IntentChange): CommitPart {
    const expiresAtMs = atMs + retentionMs + KEPT_BEYOND_MS;
    // All of them are kept as long as the record is, which each of its changes renews.
    const names = namesOf(record).map((key): Operation => ({ type: "put", key, value: record.id, expiresAtMs }));
    const put: Operation = { type: "put", key: INTENTS + record.id, value: recordText("intent", record), expiresAtMs };
    return { checks: [{ key: INTENTS + record.id, version }], operations: [put, ...names, ...eventOperations(events)] };
  }

  /** The ids of a page, newest first, and whether there are more in the direction that was asked for. */
  async function page<T>(
    prefix: string,
    { limit, endingBefore, fromMs, beforeMs }: PageQuery,
    cursor: Place | null,
    itemOf: (record: IntentRecord, id: string) => T | null,
  ): Promise<Page<T>> {
    const forwards = endingBefore !== null;
    let { from, to } = prefixRange(prefix);
    if (fromMs !== null) from = later(from, prefix + timeDigits(fromMs));
    if (beforeMs !== null) to = earlier(to, prefix + timeDigits(beforeMs));
    if (cursor !== null && forwards) from = later(from, `${placeKey(prefix, cursor)}\u0001`);
    if (cursor !== null && !forwards) to = earlier(to, placeKey(prefix, cursor));
    const items: T[] = [];
    // What is gone by now, or not to be shown, is no item: the next ones take its place.
    while (from < to && items.length <= limit) {
      const wanted = limit + 1 - items.length;
      const entries = await kv.scan({ from, to, limit: wanted, reverse: !forwards });
      const records = entries.length === 0 ? [] : await kv.getMany(entries.map(({ value }) => INTENTS + value));
      for (const [index, { key }] of entries.entries()) {
        const record = records[index] ?? null;
        const item = record === null ? null : itemOf(readRecord("intent", "an intent", record.value), key.slice(key.lastIndexOf("/") + 1));
        if (item !== null) items.push(item);
      }
      const last = entries.at(-1);
      if (last === undefined || entries.length < wanted) break;
      if (forwards) from = `${last.key}\u0001`;
      else to = last.key;
    }
    const shown = items.slice(0, limit);
    return { items: forwards ? shown.reverse() : shown, hasMore: items.length > limit };
  }

  return {
    load: (id) => available(() => load(id)),
    ofCharge: (chargeId) => available(() => loadBy(CHARGES, chargeId)),
    ofRefund: (refundId) => available(() => loadBy(REFUNDS, refundId)),
    commit: (change) =>
      available(async () => {
        const result = await kv.commit(alongside(change));
        return result.type === "committed" ? result.version : null;
      }),
    alongside,
    page: (list, query, cursor) => available(() => page(listPrefix(INTENTS_OF, list), query, cursor, (record) => record)),
    pageCharges: (list, query, cursor) =>
      available(() =>
        page(listPrefix(CHARGES_OF, list), query, cursor, (intent, id) => {
          const attempt = intent.attempts.find(({ chargeId }) => chargeId === id);
          return attempt === undefined ? null : { intent, attempt };
        }),
      ),
    pageRefunds: (list, query, cursor) =>
      available(() => page(listPrefix(REFUNDS_OF, list), query, cursor, (intent, id) => refundIn(intent, id))),
  };
}

/** A refund that somebody was told of, with the attempt whose money it is. */
export function refundIn(intent: IntentRecord, refundId: string): ListedRefund | null {
  const refund = intent.refunds.find(({ id, told }) => id === refundId && told);
  const attempt = intent.attempts.find(({ chargeId }) => chargeId === refund?.chargeId);
  return refund === undefined || attempt === undefined ? null : { intent, attempt, refund };
}

/** All keys by which a record is found, but for its own. */
function namesOf(record: IntentRecord): string[] {
  const charges = record.attempts.flatMap(({ chargeId, endedAtMs }) =>
    endedAtMs === null ? [] : [CHARGES + chargeId, placeKey(listPrefix(CHARGES_OF, record), { atMs: endedAtMs, id: chargeId })],
  );
  const refunds = record.refunds.flatMap(({ id, createdAtMs, told }) =>
    told ? [REFUNDS + id, placeKey(listPrefix(REFUNDS_OF, record), { atMs: createdAtMs, id })] : [],
  );
  return [placeKey(listPrefix(INTENTS_OF, record), { atMs: record.createdAtMs, id: record.id }), ...charges, ...refunds];
}

function listPrefix(kind: string, { merchantId, livemode }: IntentList): string {
  return `${kind}${merchantId}/${livemode ? "live" : "test"}/`;
}

function placeKey(prefix: string, { atMs, id }: Place): string {
  return `${prefix}${timeDigits(atMs)}/${id}`;
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

function earlier(a: string, b: string): string {
  return a < b ? a : b;
}
