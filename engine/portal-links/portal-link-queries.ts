import type { CommitPart } from "../kernel/commit-part.ts";
import { type IndexPage, listPrefix, type MerchantList, type Place, placeKey } from "../kernel/merchant-index-store.ts";
import type { Stored } from "../kernel/stored.ts";
import type { WorkflowStore } from "../workflow/workflow-store.ts";
import type { PortalLinkRecord, PortalLinkState } from "./portal-link.ts";
import { digestPaths, type PortalLinkDigests } from "./workflow.ts";

export interface PortalLinkPageQuery {
  readonly limit: number;
  /** Those older than this place only; null: from the newest on. */
  readonly after: Place | null;
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  readonly state: PortalLinkState | null;
  readonly customerEmail: string | null;
  readonly reference: string | null;
  /** Made by this credential of an AI agent; absent: by anybody. */
  readonly agentId?: string | null;
  /** ISO 4217. */
  readonly currency?: string | null;
}

/** Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface PortalLinkQueries {
  byToken(token: string): Promise<Stored<PortalLinkRecord> | null>;
  page(list: MerchantList, query: PortalLinkPageQuery): Promise<IndexPage<PortalLinkRecord>>;
  /** How many count for the limit of an hour from this time on, counted up to `limit`. */
  createdSince(list: MerchantList, fromMs: number, limit: number): Promise<number>;
  /** How many a credential of an AI agent has made from this time on, counted up to `limit`; and when it made the first of them. */
  madeByAgent(list: MerchantList, agentId: string, fromMs: number, limit: number): Promise<number>;
  firstMadeByAgent(list: MerchantList, agentId: string, fromMs: number): Promise<number | null>;
  /** Those that their merchant has to look at (link-tasks.ts), the newest first. */
  withTasks(list: MerchantList, limit: number): Promise<readonly PortalLinkRecord[]>;
}

/** Entries by which links are counted: longer than the hour for which they are. */
const COUNTED_MS = 2 * 3_600_000;

const COUNTED = "portal-link-made/";
const BY_AGENT = "portal-link-agent/";

/** Tokens come out of requests as they are. */
const TOKEN = /^[A-Za-z0-9]{22}$/;

export function createPortalLinkQueries(store: WorkflowStore<PortalLinkRecord>, digests: PortalLinkDigests): PortalLinkQueries {
  const paths = digestPaths(digests);

  /** The index with the fewest entries that has all that are asked for. */
  function prefixFor(list: MerchantList, { state, customerEmail, reference, agentId = null }: PortalLinkPageQuery): string {
    if (reference !== null) return listPrefix("portal-link-reference/", list) + paths.reference(list.merchantId, reference);
    if (customerEmail !== null) return listPrefix("portal-link-customer/", list) + paths.customer(list.merchantId, customerEmail);
    if (agentId !== null) return agentPrefix(list, agentId);
    return state === null ? listPrefix("portal-link-of/", list) : `${listPrefix("portal-link-state/", list)}${state}/`;
  }

  return {
    byToken: async (token) => {
      const stored = TOKEN.test(token) ? await store.exact(`portal-link-token/${paths.token(token)}`) : null;
      return stored?.record.token === token ? stored : null;
    },
    page: (list, query) => store.page(prefixFor(list, query), { ...query, order: "newest" }, (record) => matches(record, query)),
    createdSince: (list, fromMs, limit) => store.count(listPrefix(COUNTED, list), fromMs, limit),
    madeByAgent: (list, agentId, fromMs, limit) => store.count(agentPrefix(list, agentId), fromMs, limit),
    firstMadeByAgent: (list, agentId, fromMs) => store.firstAtMs(agentPrefix(list, agentId), fromMs),
    withTasks: (list, limit) => store.under(listPrefix("portal-link-task/", list), limit, true),
  };
}

/** For the commit of a new link that counts for the limit of an hour. */
export function countEntry(record: PortalLinkRecord): CommitPart["operations"][number] {
  const { id, createdAtMs } = record;
  const key = placeKey(listPrefix(COUNTED, record), { atMs: createdAtMs, id });
  return { type: "put", key, value: id, expiresAtMs: createdAtMs + COUNTED_MS };
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
