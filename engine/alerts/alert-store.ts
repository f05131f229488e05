import { createDueIndex, type DueIndex, dueOperations } from "../kernel/due-index-store.ts";
import { uuidKey } from "../kernel/identifiers.ts";
import { available, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import {
  type IndexPage,
  listPrefix,
  type MerchantList,
  type Place,
  pageOfIndex,
  placeIn,
  placeKey,
} from "../kernel/merchant-index-store.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { timeDigits } from "../kernel/time-digits.ts";
import { objectRowOperations } from "../payments/outbox.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import { ALERT_STATES, type AlertRecord, type AlertSource, type AlertState } from "./alert.ts";
import type { AlertChange } from "./alert-change.ts";
import { alertRow } from "./object-row.ts";

export interface AlertPageQuery {
  readonly limit: number;
  /** Those behind it only; null: from the first on. */
  readonly after: Place | null;
  /** `newest`: all. `due`: those that are PENDING, the most urgent first. */
  readonly order: "newest" | "due";
  /** Received within; null: no bound. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  readonly state: AlertState | null;
  readonly source: AlertSource | null;
  /** ISO 4217; absent: of any. */
  readonly currency?: string | null;
}

/** What the index by time says of an alert, for sums that need no record. */
export interface AlertSummary {
  readonly id: string;
  readonly receivedAtMs: number;
  readonly state: AlertState;
  readonly amountMinor: number;
  readonly currency: string;
  /** Declined because it was none. */
  readonly wasInvalid: boolean;
}

/**
 * Where alerts are kept. Every method rejects with RelayError `unavailable` when the store cannot answer; after a failed commit it is not known
 * whether it happened.
 */
export interface AlertStore extends DueIndex {
  load(id: string): Promise<Stored<AlertRecord> | null>;
  /** The id of a source's alert, whether it is there or not. */
  idOf(source: AlertSource, networkRef: string): string;
  /** The new version, or null where something else stands, or one of its checks does not hold. */
  commit(change: AlertChange): Promise<number | null>;
  page(list: MerchantList, query: AlertPageQuery): Promise<IndexPage<AlertRecord>>;
  /** Of a payment, whichever its environment; oldest first, at most ALERTS_FOUND_MAX. */
  ofPayment(merchantId: string, uuid: string): Promise<readonly AlertRecord[]>;
  /** The newest of those received from this time on, up to `limit` (at most 10,000). */
  summaries(list: MerchantList, fromMs: number, limit: number): Promise<readonly AlertSummary[]>;
}

export const ALERTS = "alert/";
const BY_TIME = "alert-of/";
const BY_STATE = "alert-state/";
const BY_DUE = "alert-due/";
const BY_PAYMENT = "alert-payment/";
const DUE = "due/alert/";

/** Ids come out of requests as they are. */
const ID = /^al_[a-z0-9]{24}$/;
const UUID = /^[A-Za-z0-9._-]{1,64}$/;

export const ALERTS_FOUND_MAX = 50;

export interface AlertStoreOptions {
  kv: Kv;
  /** How long an alert is kept after its deadline and after its last change. */
  retentionMs: number;
  /** The entries that make an event one that is told. */
  eventOperations(events: readonly WebhookEvent[]): readonly Operation[];
  digest: Digest;
}

/**
 * Alerts on the key-value store: `alert/<id>`, their deadlines `due/alert/...`, and the ids by `<index>/<merchant>/<live or test>/.../<13 digits of milliseconds>/<id>`: all by time (`alert-of/`, whose
 * values are summaries), by state and time (`alert-state/`), those that are PENDING by their deadline (`alert-due/`), and by payment (`alert-payment/<merchant>/<uuid>/`). A source's reference is one
 * alert, because the id follows from it. The outbox has their rows.
 */
export function createAlertStore({ kv, retentionMs, eventOperations, digest }: AlertStoreOptions): AlertStore {
  async function load(id: string): Promise<Stored<AlertRecord> | null> {
    const entry = ID.test(id) ? await kv.get(ALERTS + id) : null;
    return entry === null ? null : { record: recordOf(entry.value), version: entry.version };
  }

  async function loadAll(ids: readonly string[]): Promise<AlertRecord[]> {
    const entries = ids.length === 0 ? [] : await kv.getMany(ids.map((id) => ALERTS + id));
    return entries.flatMap((entry) => (entry === null ? [] : [recordOf(entry.value)]));
  }

  async function commit({ record, before, version, events, alongside, atMs }: AlertChange): Promise<number | null> {
    const { id } = record;
    const expiresAtMs = Math.max(atMs, record.respondByMs) + retentionMs;
    const names = namesOf(record);
    const kept = new Set(names.map(({ key }) => key));
    const former = before === null ? [] : namesOf(before).filter(({ key }) => !kept.has(key));
    const result = await kv.commit({
      checks: [{ key: ALERTS + id, version }, ...alongside.checks],
      operations: [
        { type: "put", key: ALERTS + id, value: recordText("alert", record), expiresAtMs },
        // All of them are kept as long as the record is, which each of its changes renews.
        ...names.map(({ key, value }): Operation => ({ type: "put", key, value, expiresAtMs })),
        ...former.map(({ key }): Operation => ({ type: "delete", key })),
        ...dueOperations(DUE, id, before?.nextAtMs ?? null, record.nextAtMs),
        ...eventOperations(events),
        ...objectRowOperations(before === null ? [] : [alertRow(before)], [alertRow(record)], atMs),
        ...alongside.operations,
      ],
    });
    return result.type === "committed" ? result.version : null;
  }

  function page(list: MerchantList, query: AlertPageQuery): Promise<IndexPage<AlertRecord>> {
    const { order, state, limit, after, fromMs, beforeMs } = query;
    const matching = { load: loadAll, matches: (record: AlertRecord) => matches(record, query) };
    if (order === "due") {
      // When they were received is looked up in the records.
      const due = { limit, after, fromMs: null, beforeMs: null, order: "oldest" } as const;
      return pageOfIndex(kv, listPrefix(BY_DUE, list), due, matching);
    }
    const prefix = state === null ? listPrefix(BY_TIME, list) : statePrefix(list, state);
    return pageOfIndex(kv, prefix, { limit, after, fromMs, beforeMs, order }, matching);
  }

  return {
    ...createDueIndex(kv, DUE),
    load: (id) => available(() => load(id)),
    idOf: (source, networkRef) => prefixedId("al_", digest(`alert ${source} ${networkRef}`)),
    commit: (change) => available(() => commit(change)),
    page: (list, query) => available(() => page(list, query)),
    ofPayment: (merchantId, uuid) =>
      available(async () => {
        if (!UUID.test(uuid)) return [];
        const entries = await kv.scan({ ...prefixRange(paymentPrefix(merchantId, uuid)), limit: ALERTS_FOUND_MAX });
        return loadAll(entries.map(({ value }) => value));
      }),
    summaries: (list, fromMs, limit) =>
      available(async () => {
        const prefix = listPrefix(BY_TIME, list);
        const entries = await kv.scan({ from: prefix + timeDigits(fromMs), to: prefixRange(prefix).to, limit, reverse: true });
        return entries.map(({ key, value }) => summaryOf(placeIn(key, prefix), value));
      }),
  };
}

/** All keys by which a record is found, but for its own. */
function namesOf(record: AlertRecord): { key: string; value: string }[] {
  const { id, createdAtMs, respondByMs, merchantId, uuid, state } = record;
  const received = { atMs: createdAtMs, id };
  return [
    { key: placeKey(listPrefix(BY_TIME, record), received), value: summaryText(record) },
    { key: placeKey(statePrefix(record, state), received), value: id },
    ...(state === "PENDING" ? [{ key: placeKey(listPrefix(BY_DUE, record), { atMs: respondByMs, id }), value: id }] : []),
    ...(uuid === null ? [] : [{ key: placeKey(paymentPrefix(merchantId, uuid), received), value: id }]),
  ];
}

function matches({ state, source, currency, createdAtMs }: AlertRecord, query: AlertPageQuery): boolean {
  if ((query.currency ?? currency) !== currency) return false;
  if (query.order === "due" && state !== "PENDING") return false;
  if ((query.fromMs !== null && createdAtMs < query.fromMs) || (query.beforeMs !== null && createdAtMs >= query.beforeMs)) return false;
  return (query.state === null || state === query.state) && (query.source === null || source === query.source);
}

/** Words with a space between them; none of them has one. */
function summaryText({ state, amountMinor, currency, end }: AlertRecord): string {
  return [state, amountMinor, currency, end?.by === "invalid" ? "invalid" : "-"].join(" ");
}

function summaryOf({ id, atMs }: Place, text: string): AlertSummary {
  const [word = "", amount = "", currency = "", invalid = ""] = text.split(" ");
  const state = ALERT_STATES.find((one) => one === word);
  if (state === undefined) throw new Error(`the alert ${id} has a summary that this version cannot read`);
  return { id, receivedAtMs: atMs, state, amountMinor: Number(amount), currency, wasInvalid: invalid === "invalid" };
}

function recordOf(text: string): AlertRecord {
  return readRecord("alert", "an alert", text);
}

function statePrefix(list: MerchantList, state: AlertState): string {
  return `${listPrefix(BY_STATE, list)}${state}/`;
}

function paymentPrefix(merchantId: string, uuid: string): string {
  return `${BY_PAYMENT}${merchantId}/${uuidKey(uuid)}/`;
}
