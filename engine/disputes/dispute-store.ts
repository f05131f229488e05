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
import {
  DISPUTE_STATES,
  DISPUTES_OF_PAYMENT_MAX,
  type DisputeCategory,
  type DisputeRecord,
  type DisputeStage,
  type DisputeState,
  holdsRefunds,
  isAnswerable,
} from "./dispute.ts";
import type { DisputeChange } from "./dispute-change.ts";
import { holdOperation, readHold } from "./dispute-hold-store.ts";
import { disputeRow } from "./object-row.ts";

export interface DisputePageQuery {
  readonly limit: number;
  /** Those behind it only; null: from the first on. */
  readonly after: Place | null;
  /** `newest`: all. `due`: those that are to be answered, the most urgent first. */
  readonly order: "newest" | "due";
  /** Received within; null: no bound. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  /** To be answered before this time; only in the order `due`. */
  readonly dueBeforeMs: number | null;
  readonly state: DisputeState | null;
  readonly stage: DisputeStage | null;
  readonly category: DisputeCategory | null;
  readonly terminalId: string | null;
  /** ISO 4217; absent: of any. */
  readonly currency?: string | null;
}

/** What the index by time says of a dispute, for sums that need no record. */
export interface DisputeSummary {
  readonly id: string;
  readonly receivedAtMs: number;
  readonly state: DisputeState;
  readonly amountMinor: number;
  readonly currency: string;
  readonly respondByMs: number;
  /** Whether there was an alert before it. */
  readonly hasAlert: boolean;
}

/**
 * Where disputes are kept. Every method rejects with RelayError `unavailable` when the store cannot answer; after a failed commit it is not known
 * whether it happened.
 */
export interface DisputeStore extends DueIndex {
  load(id: string): Promise<Stored<DisputeRecord> | null>;
  /** The id of a network's case, whether it is there or not. */
  idOf(network: string, networkCaseId: string): string;
  /** The new version, or null where something else stands. `too_many`: a new one of a payment that has DISPUTES_OF_PAYMENT_MAX. */
  commit(change: DisputeChange): Promise<number | "too_many" | null>;
  page(list: MerchantList, query: DisputePageQuery): Promise<IndexPage<DisputeRecord>>;
  /** Of a payment, whichever its environment; oldest first. */
  ofPayment(merchantId: string, uuid: string): Promise<readonly DisputeRecord[]>;
  /** By the network's own number, which two networks may share. */
  ofCase(list: MerchantList, networkCaseId: string): Promise<readonly DisputeRecord[]>;
  /** The newest of those received from this time on, up to `limit` (at most 10,000). */
  summaries(list: MerchantList, fromMs: number, limit: number): Promise<readonly DisputeSummary[]>;
}

export const DISPUTES = "dispute/";
const BY_TIME = "dispute-of/";
const BY_STATE = "dispute-state/";
const BY_DUE = "dispute-due/";
const BY_PAYMENT = "dispute-payment/";
const BY_CASE = "dispute-case/";
const DUE = "due/dispute/";

/** Ids come out of requests as they are. */
const ID = /^dp_[a-z0-9]{24}$/;
/** What may stand in a key; what is looked for otherwise is not there. */
const CASE_ID = /^[A-Za-z0-9._:-]{1,64}$/;
const UUID = /^[A-Za-z0-9._-]{1,64}$/;

/** More than one has by its limits. */
const FOUND_MAX = DISPUTES_OF_PAYMENT_MAX + 1;

export interface DisputeStoreOptions {
  kv: Kv;
  /** How long a dispute is kept after its deadline and after its last change. */
  retentionMs: number;
  /** The entries that make an event one that is told. */
  eventOperations(events: readonly WebhookEvent[]): readonly Operation[];
  digest: Digest;
}

/**
 * Disputes on the key-value store: `dispute/<id>`, their deadlines `due/dispute/...`, and the ids by `<index>/<merchant>/<live or test>/.../<13 digits of milliseconds>/<id>`: all by time (`dispute-of/`,
 * whose values are summaries), by state and time (`dispute-state/`), and those to be answered by their deadline (`dispute-due/`); by payment (`dispute-payment/<merchant>/<uuid>/`) and by the network's
 * number (`dispute-case/`). A network's case is one dispute, because the id follows from it. `dispute-hold/` has which payments are held (dispute-hold-store.ts); the
 * outbox has their rows.
 */
export function createDisputeStore({ kv, retentionMs, eventOperations, digest }: DisputeStoreOptions): DisputeStore {
  async function load(id: string): Promise<Stored<DisputeRecord> | null> {
    const entry = ID.test(id) ? await kv.get(DISPUTES + id) : null;
    return entry === null ? null : { record: recordOf(entry.value), version: entry.version };
  }

  async function loadAll(ids: readonly string[]): Promise<DisputeRecord[]> {
    const entries = ids.length === 0 ? [] : await kv.getMany(ids.map((id) => DISPUTES + id));
    return entries.flatMap((entry) => (entry === null ? [] : [recordOf(entry.value)]));
  }

  async function commit(change: DisputeChange): Promise<number | "too_many" | null> {
    const { record, before, version, events, also, atMs } = change;
    const { id, merchantId, uuid } = record;
    const expiresAtMs = Math.max(atMs, record.respondByMs) + retentionMs;
    const hold = uuid === null ? null : await readHold(kv, { merchantId, uuid });
    if (before === null && hold !== null && hold.disputes.length >= DISPUTES_OF_PAYMENT_MAX) return "too_many";
    const names = namesOf(record);
    const kept = new Set(names.map(({ key }) => key));
    const former = before === null ? [] : namesOf(before).filter(({ key }) => !kept.has(key));
    const result = await kv.commit({
      checks: [{ key: DISPUTES + id, version }, ...(hold === null ? [] : [{ key: hold.key, version: hold.version }])],
      operations: [
        { type: "put", key: DISPUTES + id, value: recordText("dispute", record), expiresAtMs },
        // All of them are kept as long as the record is, which each of its changes renews.
        ...names.map(({ key, value }): Operation => ({ type: "put", key, value, expiresAtMs })),
        ...former.map(({ key }): Operation => ({ type: "delete", key })),
        ...(hold === null ? [] : [holdOperation(hold, id, holdsRefunds(record), expiresAtMs)]),
        ...dueOperations(DUE, id, before?.nextAtMs ?? null, record.nextAtMs),
        ...eventOperations(events),
        ...objectRowOperations(before === null ? [] : [disputeRow(before)], [disputeRow(record)], atMs),
        ...also,
      ],
    });
    return result.type === "committed" ? result.version : null;
  }

  function page(list: MerchantList, query: DisputePageQuery): Promise<IndexPage<DisputeRecord>> {
    const { order, state, limit, after, fromMs, beforeMs, dueBeforeMs } = query;
    const matching = { load: loadAll, matches: (record: DisputeRecord) => matches(record, query) };
    if (order === "due") {
      // When they were received is looked up in the records.
      const due = { limit, after, fromMs: null, beforeMs: dueBeforeMs, order: "oldest" } as const;
      return pageOfIndex(kv, listPrefix(BY_DUE, list), due, matching);
    }
    const prefix = state === null ? listPrefix(BY_TIME, list) : statePrefix(list, state);
    return pageOfIndex(kv, prefix, { limit, after, fromMs, beforeMs, order }, matching);
  }

  async function under(prefix: string): Promise<DisputeRecord[]> {
    const entries = await kv.scan({ ...prefixRange(prefix), limit: FOUND_MAX });
    return loadAll(entries.map(({ value }) => value));
  }

  return {
    ...createDueIndex(kv, DUE),
    load: (id) => available(() => load(id)),
    idOf: (network, networkCaseId) => prefixedId("dp_", digest(`dispute ${network} ${networkCaseId}`)),
    commit: (change) => available(() => commit(change)),
    page: (list, query) => available(() => page(list, query)),
    ofPayment: (merchantId, uuid) => available(async () => (UUID.test(uuid) ? under(paymentPrefix(merchantId, uuid)) : [])),
    ofCase: (list, networkCaseId) => available(async () => (CASE_ID.test(networkCaseId) ? under(casePrefix(list, networkCaseId)) : [])),
    summaries: (list, fromMs, limit) =>
      available(async () => {
        const prefix = listPrefix(BY_TIME, list);
        const entries = await kv.scan({ from: prefix + timeDigits(fromMs), to: prefixRange(prefix).to, limit, reverse: true });
        return entries.map(({ key, value }) => summaryOf(placeIn(key, prefix), value));
      }),
  };
}

/** All keys by which a record is found, but for its own. */
function namesOf(record: DisputeRecord): { key: string; value: string }[] {
  const { id, createdAtMs, respondByMs, merchantId, uuid, networkCaseId } = record;
  const received = { atMs: createdAtMs, id };
  return [
    { key: placeKey(listPrefix(BY_TIME, record), received), value: summaryText(record) },
    { key: placeKey(statePrefix(record, record.state), received), value: id },
    ...(isAnswerable(record) ? [{ key: placeKey(listPrefix(BY_DUE, record), { atMs: respondByMs, id }), value: id }] : []),
    ...(uuid === null ? [] : [{ key: placeKey(paymentPrefix(merchantId, uuid), received), value: id }]),
    { key: casePrefix(record, networkCaseId) + id, value: id },
  ];
}

function matches(record: DisputeRecord, query: DisputePageQuery): boolean {
  const { state, stage, category, terminalId, currency, createdAtMs, respondByMs } = record;
  if (query.order === "due" && !isAnswerable(record)) return false;
  if (query.dueBeforeMs !== null && !(isAnswerable(record) && respondByMs < query.dueBeforeMs)) return false;
  if ((query.fromMs !== null && createdAtMs < query.fromMs) || (query.beforeMs !== null && createdAtMs >= query.beforeMs)) return false;
  if (query.state !== null && state !== query.state) return false;
  if (query.stage !== null && stage !== query.stage) return false;
  if (query.category !== null && category !== query.category) return false;
  if ((query.currency ?? currency) !== currency) return false;
  return query.terminalId === null || terminalId === query.terminalId;
}

/** Words with a space between them; none of them has one. */
function summaryText({ state, amountMinor, currency, respondByMs, alertId }: DisputeRecord): string {
  return [state, amountMinor, currency, respondByMs, alertId === null ? "-" : "alert"].join(" ");
}

function summaryOf({ id, atMs }: Place, text: string): DisputeSummary {
  const [word = "", amount = "", currency = "", respondBy = "", alert = ""] = text.split(" ");
  const state = DISPUTE_STATES.find((one) => one === word);
  if (state === undefined) throw new Error(`the dispute ${id} has a summary that this version cannot read`);
  return {
    ...{ id, receivedAtMs: atMs, state, currency, hasAlert: alert === "alert" },
    ...{ amountMinor: Number(amount), respondByMs: Number(respondBy) },
  };
}

function recordOf(text: string): DisputeRecord {
  return readRecord("dispute", "a dispute", text);
}

function statePrefix(list: MerchantList, state: DisputeState): string {
  return `${listPrefix(BY_STATE, list)}${state}/`;
}

function paymentPrefix(merchantId: string, uuid: string): string {
  return `${BY_PAYMENT}${merchantId}/${uuidKey(uuid)}/`;
}

function casePrefix(list: MerchantList, networkCaseId: string): string {
  return `${listPrefix(BY_CASE, list)}${networkCaseId}/`;
}
