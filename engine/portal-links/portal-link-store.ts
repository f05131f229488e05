import type { CommitPart } from "../kernel/commit-part.ts";
import { createDueIndex, type DueIndex, dueOperations } from "../kernel/due-index-store.ts";
import { available, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { LINK_LIFETIME_MS, LINK_UNVERIFIED_MAX_MS } from "../kernel/limits.ts";
import {
  type IndexPage,
  listPrefix,
  type MerchantList,
  type Place,
  pageOfIndex,
  placeIn,
  placeKey,
} from "../kernel/merchant-index-store.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { timeDigits } from "../kernel/time-digits.ts";
import { objectRowOperations } from "../payments/outbox.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import { tasksUntilMs } from "./link-tasks.ts";
import { portalLinkRow } from "./object-row.ts";
import type { PortalLinkRecord, PortalLinkState } from "./portal-link.ts";
import type { PortalLinkChange } from "./portal-link-change.ts";

export interface PortalLinkPageQuery {
  readonly limit: number;
  /** Those older than it only; null: from the newest on. */
  readonly after: Place | null;
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  readonly state: PortalLinkState | null;
  readonly customerEmail: string | null;
  readonly reference: string | null;
  /** Made by this credential of an AI agent; absent: by anybody. */
  readonly agentId?: string | null;
  /** ISO 4217; absent: of any. */
  readonly currency?: string | null;
}

/**
 * Where payment links of the portal are kept. Every method rejects with RelayError `unavailable` when the store cannot answer; after a failed commit it is
 * not known whether it happened.
 */
export interface PortalLinkStore extends DueIndex {
  load(id: string): Promise<Stored<PortalLinkRecord> | null>;
  byToken(token: string): Promise<Stored<PortalLinkRecord> | null>;
  /** The new version, or null where another one stands. */
  commit(change: PortalLinkChange): Promise<number | null>;
  /** The same step for the commit of the link of an attempt. */
  alongside(change: PortalLinkChange): CommitPart;
  page(list: MerchantList, query: PortalLinkPageQuery): Promise<IndexPage<PortalLinkRecord>>;
  /** How many were created from this time on, counted up to `limit`. */
  createdSince(list: MerchantList, fromMs: number, limit: number): Promise<number>;
  /** How many a credential of an AI agent has made from this time on, counted up to `limit`; and when it made the first of them. */
  madeByAgent(list: MerchantList, agentId: string, fromMs: number, limit: number): Promise<number>;
  firstMadeByAgent(list: MerchantList, agentId: string, fromMs: number): Promise<number | null>;
  /** For the commit of a new link that is to be counted by `createdSince`. */
  countOperation(record: PortalLinkRecord): Operation;
  /** Those that their merchant has to look at (link-tasks.ts), the newest first. */
  withTasks(list: MerchantList, limit: number): Promise<readonly PortalLinkRecord[]>;
}

export const PORTAL_LINKS = "portal-link/";
const BY_TIME = "portal-link-of/";
const BY_STATE = "portal-link-state/";
const BY_TOKEN = "portal-link-token/";
const BY_CUSTOMER = "portal-link-customer/";
const BY_REFERENCE = "portal-link-reference/";
const BY_AGENT = "portal-link-agent/";
const COUNTED = "portal-link-made/";
const WITH_TASKS = "portal-link-task/";
const DUE = "due/portal-link/";

/** Ids and tokens come out of requests as they are. */
const ID = /^pl_[a-z0-9]{24}$/;
const TOKEN = /^[A-Za-z0-9]{22}$/;

/** Beyond the retention after the last change, and after its time: longer than a link at the gateway is followed, so that no attempt outlives its portal link. */
const KEPT_BEYOND_MS = LINK_LIFETIME_MS + 3 * LINK_UNVERIFIED_MAX_MS;

/** Entries by which links are counted: longer than the hour for which they are. */
const COUNTED_MS = 2 * 3_600_000;

export interface PortalLinkStoreOptions {
  kv: Kv;
  /** How long a link is kept after its time is over and after its last change. */
  retentionMs: number;
  /** The entries that make an event one that is told. */
  eventOperations(events: readonly WebhookEvent[]): readonly Operation[];
  /** Of tokens, which are long and random, so that a key is not needed. */
  digest: Digest;
  /** A digest (hex) under a key of the installation: without the key nobody finds out whether some address is there. The same on every node, and for ever. */
  keyedDigest(text: string): string;
}

/**
 * Payment links of the portal on the key-value store: `portal-link/<id>`, their deadlines `due/portal-link/...`, and the ids by `portal-link-of/<merchant>/<live or test>/<13 digits
 * of milliseconds>/<id>`, the same behind the state under `portal-link-state/` and behind a keyed digest under `portal-link-customer/` (of the e-mail address) and
 * `portal-link-reference/`, behind the credential that made them under `portal-link-agent/`, `portal-link-token/<digest>`, under `portal-link-made/` for a while those that count
 * for the limit of an hour, and under `portal-link-task/` those that somebody has to look at; and their rows in the outbox.
 */
export function createPortalLinkStore({ kv, retentionMs, eventOperations, digest, keyedDigest }: PortalLinkStoreOptions): PortalLinkStore {
  async function load(id: string): Promise<Stored<PortalLinkRecord> | null> {
    const entry = ID.test(id) ? await kv.get(PORTAL_LINKS + id) : null;
    return entry === null ? null : { record: recordOf(entry.value), version: entry.version };
  }

  function tokenKey(token: string): string {
    return BY_TOKEN + digest(`token of a portal link ${token}`);
  }

  function customerPrefix(list: MerchantList, email: string): string {
    return `${listPrefix(BY_CUSTOMER, list)}${keyedDigest(`customer of ${list.merchantId} ${email.trim().toLowerCase()}`)}/`;
  }

  function referencePrefix(list: MerchantList, reference: string): string {
    return `${listPrefix(BY_REFERENCE, list)}${keyedDigest(`reference of ${list.merchantId} ${reference}`)}/`;
  }

  /** All keys by which a record is found, but for its own. */
  function namesOf(record: PortalLinkRecord): string[] {
    const { createdBy } = record;
    const { customerEmail, reference } = record.order;
    const place = { atMs: record.createdAtMs, id: record.id };
    const lists = [
      listPrefix(BY_TIME, record),
      statePrefix(record, record.state),
      ...(customerEmail === null ? [] : [customerPrefix(record, customerEmail)]),
      ...(reference === null ? [] : [referencePrefix(record, reference)]),
      ...(createdBy.type === "agent" ? [agentPrefix(record, createdBy.agentId)] : []),
    ];
    return [tokenKey(record.token), ...lists.map((prefix) => placeKey(prefix, place))];
  }

  function alongside({ record, before, version, events, also, checks = [], atMs }: PortalLinkChange): CommitPart {
    const { id } = record;
    const expiresAtMs = Math.max(atMs, record.order.expiresAtMs) + retentionMs + KEPT_BEYOND_MS;
    // All of them are kept as long as the record is, which each of its changes renews.
    const names = namesOf(record).map((key): Operation => ({ type: "put", key, value: id, expiresAtMs }));
    const former: Operation[] =
      before === null || before.state === record.state
        ? []
        : [{ type: "delete", key: placeKey(statePrefix(before, before.state), { atMs: before.createdAtMs, id }) }];
    return {
      // The link's own stands first: where another version of it stands, what else was read says nothing.
      checks: [{ key: PORTAL_LINKS + id, version }, ...checks],
      operations: [
        { type: "put", key: PORTAL_LINKS + id, value: recordText("portalLink", record), expiresAtMs },
        ...names,
        ...former,
        ...taskOperations(record, before, atMs, expiresAtMs),
        ...dueOperations(DUE, id, before?.nextAtMs ?? null, record.nextAtMs),
        ...eventOperations(events),
        ...objectRowOperations(before === null ? [] : [portalLinkRow(before, digest)], [portalLinkRow(record, digest)], atMs),
        ...also,
      ],
    };
  }

  /** The index with the fewest entries that holds all that is asked for. */
  function prefixFor(list: MerchantList, { state, customerEmail, reference, agentId = null }: PortalLinkPageQuery): string {
    if (reference !== null) return referencePrefix(list, reference);
    if (customerEmail !== null) return customerPrefix(list, customerEmail);
    if (agentId !== null) return agentPrefix(list, agentId);
    return state === null ? listPrefix(BY_TIME, list) : statePrefix(list, state);
  }

  async function loadAll(ids: readonly string[]): Promise<PortalLinkRecord[]> {
    const entries = ids.length === 0 ? [] : await kv.getMany(ids.map((id) => PORTAL_LINKS + id));
    return entries.flatMap((entry) => (entry === null ? [] : [recordOf(entry.value)]));
  }

  function page(list: MerchantList, query: PortalLinkPageQuery): Promise<IndexPage<PortalLinkRecord>> {
    const matching = { load: loadAll, matches: (record: PortalLinkRecord) => matches(record, query) };
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
    commit: (change) =>
      available(async () => {
        const result = await kv.commit(alongside(change));
        return result.type === "committed" ? result.version : null;
      }),
    alongside,
    countOperation: (record) => {
      const { id, createdAtMs } = record;
      const key = placeKey(listPrefix(COUNTED, record), { atMs: createdAtMs, id });
      return { type: "put", key, value: id, expiresAtMs: createdAtMs + COUNTED_MS };
    },
    page: (list, query) => available(() => page(list, query)),
    createdSince: (list, fromMs, limit) => available(() => kv.count({ ...sinceRange(listPrefix(COUNTED, list), fromMs), limit })),
    madeByAgent: (list, agentId, fromMs, limit) => available(() => kv.count({ ...sinceRange(agentPrefix(list, agentId), fromMs), limit })),
    firstMadeByAgent: (list, agentId, fromMs) =>
      available(async () => {
        const prefix = agentPrefix(list, agentId);
        const [first] = await kv.scan({ ...sinceRange(prefix, fromMs), limit: 1 });
        return first === undefined ? null : placeIn(first.key, prefix).atMs;
      }),
    withTasks: (list, limit) =>
      available(async () => {
        const entries = await kv.scan({ ...prefixRange(listPrefix(WITH_TASKS, list)), limit, reverse: true });
        return loadAll(entries.map(({ value }) => value));
      }),
  };
}

/** The entry of a link that somebody has to look at, for as long as that is so. */
function taskOperations(
  record: PortalLinkRecord,
  before: PortalLinkRecord | null,
  atMs: number,
  keptUntilMs: number,
): readonly Operation[] {
  const key = placeKey(listPrefix(WITH_TASKS, record), { atMs: record.createdAtMs, id: record.id });
  const expiresAtMs = tasksUntilMs(record, keptUntilMs);
  if (expiresAtMs !== null && expiresAtMs > atMs) return [{ type: "put", key, value: record.id, expiresAtMs }];
  return before === null || tasksUntilMs(before, keptUntilMs) === null ? [] : [{ type: "delete", key }];
}

function recordOf(text: string): PortalLinkRecord {
  return readRecord("portalLink", "a payment link of the portal", text);
}

function matches({ state, order, createdBy }: PortalLinkRecord, query: PortalLinkPageQuery): boolean {
  const { agentId = null, currency = null } = query;
  if (currency !== null && order.currency !== currency) return false;
  if (agentId !== null && (createdBy.type !== "agent" || createdBy.agentId !== agentId)) return false;
  if (query.state !== null && state !== query.state) return false;
  if (query.reference !== null && order.reference !== query.reference) return false;
  return query.customerEmail === null || order.customerEmail?.toLowerCase() === query.customerEmail.trim().toLowerCase();
}

function agentPrefix(list: MerchantList, agentId: string): string {
  return `${listPrefix(BY_AGENT, list)}${agentId}/`;
}

/** Keys of an index from this time on. */
function sinceRange(prefix: string, fromMs: number): { readonly from: string; readonly to: string } {
  return { from: prefix + timeDigits(fromMs), to: prefixRange(prefix).to };
}

function statePrefix(list: MerchantList, state: PortalLinkState): string {
  return `${listPrefix(BY_STATE, list)}${state}/`;
}
