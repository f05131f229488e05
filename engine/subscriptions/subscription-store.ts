import { createDueIndex, type DueIndex, dueOperations } from "../kernel/due-index-store.ts";
import { available, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { type IndexPage, listPrefix, type MerchantList, type Place, pageOfIndex, placeKey } from "../kernel/merchant-index-store.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import { readBareRecord, readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { timeDigits } from "../kernel/time-digits.ts";
import { objectRowOperations } from "../payments/outbox.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import { subscriptionRows } from "./object-rows.ts";
import type { PlanRecord } from "./plan.ts";
import { planUse } from "./plan-store.ts";
import { isUnpaid, pendingOf } from "./rules.ts";
import type { CycleCharge, SubscriptionRecord, SubscriptionState } from "./subscription.ts";
import type { SubscriptionChange } from "./subscription-change.ts";

export interface SubscriptionPageQuery {
  readonly limit: number;
  /** Those older than it only; null: from the newest on. */
  readonly after: Place | null;
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  readonly state: SubscriptionState | null;
  readonly planId: string | null;
  readonly customerEmail: string | null;
}

/** Subscriptions. Every method rejects with RelayError `unavailable` when the store cannot answer; after a failed commit it is not known whether it happened. */
export interface SubscriptionStore extends DueIndex {
  load(id: string): Promise<Stored<SubscriptionRecord> | null>;
  byToken(token: string): Promise<Stored<SubscriptionRecord> | null>;
  /** The new version, or null where the id is taken, or the plan is not as it was read. */
  create(change: SubscriptionChange, plan: Stored<PlanRecord>): Promise<number | null>;
  /** The new version, or null where another one stands. */
  commit(change: SubscriptionChange): Promise<number | null>;
  page(list: MerchantList, query: SubscriptionPageQuery): Promise<IndexPage<SubscriptionRecord>>;
  /** How many were created from this time on, counted up to `limit`. */
  createdSince(list: MerchantList, fromMs: number, limit: number): Promise<number>;
  /** The payments of a subscription, the latest cycle first; those before a cycle only. */
  charges(id: string, beforeCycle: number | null, limit: number): Promise<readonly CycleCharge[]>;
}

export const SUBSCRIPTIONS = "subscription/";
const BY_TIME = "subscription-of/";
const BY_STATE = "subscription-state/";
const BY_PLAN = "subscription-plan/";
const BY_CUSTOMER = "subscription-customer/";
const BY_TOKEN = "subscription-token/";
export const SUBSCRIPTION_CHARGES = "subscription-charge/";
const DUE = "due/subscription/";

const CYCLE_DIGITS = 5;

/** Ids and tokens come out of requests as they are. */
const ID = /^sub_[a-z0-9]{24}$/;
const TOKEN = /^[A-Za-z0-9]{22}$/;

export interface SubscriptionStoreOptions {
  kv: Kv;
  /** How long a subscription is kept after its end, and a payment after its last change. */
  retentionMs: number;
  /** The entries that make an event one that is told. */
  eventOperations(events: readonly WebhookEvent[]): readonly Operation[];
  /** Of tokens, which are long and random, so that a key is not needed. */
  digest: Digest;
  /** A digest (hex) under a key of the installation: without the key nobody finds out whether some address is there. The same on every node, and for ever. */
  keyedDigest(text: string): string;
}

/**
 * Subscriptions on the key-value store: `subscription/<id>`, their payments `subscription-charge/<id>/<5 digits of the cycle>`, their deadlines `due/subscription/...`, and the ids by
 * `subscription-of/<merchant>/<live or test>/<13 digits of milliseconds>/<id>`, the same behind the state under `subscription-state/`, behind the plan's id under
 * `subscription-plan/` and behind a keyed digest of the e-mail address under `subscription-customer/`, and `subscription-token/<digest>`.
 * The outbox has the rows of both.
 */
export function createSubscriptionStore({
  kv,
  retentionMs,
  eventOperations,
  digest,
  keyedDigest,
}: SubscriptionStoreOptions): SubscriptionStore {
  async function load(id: string): Promise<Stored<SubscriptionRecord> | null> {
    const entry = ID.test(id) ? await kv.get(SUBSCRIPTIONS + id) : null;
    return entry === null ? null : { record: recordOf(entry.value), version: entry.version };
  }

  function tokenKey(token: string): string {
    return BY_TOKEN + digest(`token of a subscription ${token}`);
  }

  function customerPrefix(list: MerchantList, email: string): string {
    return `${listPrefix(BY_CUSTOMER, list)}${keyedDigest(`customer of ${list.merchantId} ${email.trim().toLowerCase()}`)}/`;
  }

  /** All keys by which a record is found, but for its own. */
  function namesOf(record: SubscriptionRecord): string[] {
    const place = { atMs: record.createdAtMs, id: record.id };
    const lists = [
      listPrefix(BY_TIME, record),
      `${listPrefix(BY_STATE, record)}${record.state}/`,
      `${listPrefix(BY_PLAN, record)}${record.planId}/`,
      customerPrefix(record, record.customer.email),
    ];
    return [tokenKey(record.token), ...lists.map((prefix) => placeKey(prefix, place))];
  }

  function operationsOf({ record, before, events, also, atMs }: SubscriptionChange): Operation[] {
    const { id, charge } = record;
    // One that goes on is kept; what has ended is kept for as long as a payment may still come, and the retention after that.
    const hasEnded = record.state === "CANCELLED" && pendingOf(record) === null;
    const until = hasEnded ? { expiresAtMs: atMs + retentionMs } : {};
    const isNamedSo = before !== null && before.state === record.state && !hasEnded;
    const names = isNamedSo ? [] : namesOf(record).map((key): Operation => ({ type: "put", key, value: id, ...until }));
    const former: Operation[] =
      before === null || before.state === record.state
        ? []
        : [{ type: "delete", key: placeKey(`${listPrefix(BY_STATE, before)}${before.state}/`, { atMs: before.createdAtMs, id }) }];
    const isKeptSo = charge === null || (charge === before?.charge && !hasEnded);
    const charges: Operation[] = isKeptSo ? [] : [chargeOperation(record, charge, hasEnded, atMs)];
    return [
      { type: "put", key: SUBSCRIPTIONS + id, value: recordText("subscription", record), ...until },
      ...names,
      ...former,
      ...charges,
      ...dueOperations(DUE, id, before?.nextAtMs ?? null, record.nextAtMs),
      ...eventOperations(events),
      ...objectRowOperations(before === null ? [] : subscriptionRows(before), subscriptionRows(record), atMs),
      ...also,
    ];
  }

  function chargeOperation(record: SubscriptionRecord, charge: CycleCharge, hasEnded: boolean, atMs: number): Operation {
    // While it may still be paid it is kept with its subscription, from which it is written again.
    const mayChange = !hasEnded && (isUnpaid(record) || pendingOf(record) !== null);
    const until = mayChange ? {} : { expiresAtMs: Math.max(atMs, charge.period.untilMs) + retentionMs };
    return { type: "put", key: chargeKey(record.id, charge.cycle), value: recordText("subscriptionCharge", charge), ...until };
  }

  /** The index with the fewest entries that holds all that is asked for. */
  function prefixFor(list: MerchantList, { state, planId, customerEmail }: SubscriptionPageQuery): string {
    if (customerEmail !== null) return customerPrefix(list, customerEmail);
    if (planId !== null) return `${listPrefix(BY_PLAN, list)}${planId}/`;
    return state === null ? listPrefix(BY_TIME, list) : `${listPrefix(BY_STATE, list)}${state}/`;
  }

  async function loadAll(ids: readonly string[]): Promise<SubscriptionRecord[]> {
    const entries = ids.length === 0 ? [] : await kv.getMany(ids.map((id) => SUBSCRIPTIONS + id));
    return entries.flatMap((entry) => (entry === null ? [] : [recordOf(entry.value)]));
  }

  function page(list: MerchantList, query: SubscriptionPageQuery): Promise<IndexPage<SubscriptionRecord>> {
    const matching = { load: loadAll, matches: (record: SubscriptionRecord) => matches(record, query) };
    return pageOfIndex(kv, prefixFor(list, query), { ...query, order: "newest" }, matching);
  }

  return {
    ...createDueIndex(kv, DUE),
    load: (id) => available(() => load(id)),
    byToken: (token) =>
      available(async () => {
        const entry = TOKEN.test(token) ? await kv.get(tokenKey(token)) : null;
        const stored = entry === null ? null : await load(entry.value);
        return stored !== null && stored.record.token === token ? stored : null;
      }),
    create: (change, plan) =>
      available(async () => {
        const use = planUse(plan);
        const result = await kv.commit({
          checks: [{ key: SUBSCRIPTIONS + change.record.id, version: 0 }, ...use.checks],
          operations: [...operationsOf(change), ...use.operations],
        });
        return result.type === "committed" ? result.version : null;
      }),
    commit: (change) =>
      available(async () => {
        const checks = [{ key: SUBSCRIPTIONS + change.record.id, version: change.version }];
        const result = await kv.commit({ checks, operations: operationsOf(change) });
        return result.type === "committed" ? result.version : null;
      }),
    page: (list, query) => available(() => page(list, query)),
    createdSince: (list, fromMs, limit) =>
      available(() => {
        const prefix = listPrefix(BY_TIME, list);
        return kv.count({ from: prefix + timeDigits(fromMs), to: prefixRange(prefix).to, limit });
      }),
    charges: (id, beforeCycle, limit) =>
      available(async () => {
        if (!ID.test(id)) return [];
        const { from, to } = prefixRange(`${SUBSCRIPTION_CHARGES}${id}/`);
        const entries = await kv.scan({ from, to: beforeCycle === null ? to : chargeKey(id, beforeCycle), limit, reverse: true });
        return entries.map(({ key, value }) => readBareRecord<CycleCharge>("subscriptionCharge", key, value));
      }),
  };
}

function recordOf(text: string): SubscriptionRecord {
  return readRecord("subscription", "a subscription", text);
}

function matches({ state, planId, customer }: SubscriptionRecord, query: SubscriptionPageQuery): boolean {
  if (query.state !== null && state !== query.state) return false;
  if (query.planId !== null && planId !== query.planId) return false;
  return query.customerEmail === null || customer.email.toLowerCase() === query.customerEmail.trim().toLowerCase();
}

function chargeKey(id: string, cycle: number): string {
  return `${SUBSCRIPTION_CHARGES}${id}/${String(Math.max(0, Math.floor(cycle))).padStart(CYCLE_DIGITS, "0")}`;
}
