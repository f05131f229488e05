import type { CommitPart } from "../kernel/commit-part.ts";
import { type IndexPage, listPrefix, type Place, placeKey } from "../kernel/merchant-index-store.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import type { Stored } from "../kernel/stored.ts";
import type { WorkflowStore } from "../workflow/workflow-store.ts";
import type { PortalLinkRecord, PortalLinkState } from "./portal-link.ts";
import { digestPaths, type PortalLinkDigests } from "./workflow.ts";

export interface PortalLinkPageQuery {
  readonly limit: number;
  readonly after: Place | null;
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  readonly state: PortalLinkState | null;
  readonly customerEmail: string | null;
  readonly reference: string | null;
  readonly agentId?: string | null;
  /** ISO 4217. */
  readonly currency?: string | null;
  /** Default: `newest`. */
  readonly order?: "newest" | "oldest";
}

/** Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface PortalLinkQueries {
  byToken(token: string): Promise<Stored<PortalLinkRecord> | null>;
  page(list: MerchantScope, query: PortalLinkPageQuery): Promise<IndexPage<PortalLinkRecord>>;
  /** Counts the links for the limit of an hour, up to `limit`. */
  createdSince(list: MerchantScope, fromMs: number, limit: number): Promise<number>;
  madeByAgent(list: MerchantScope, agentId: string, fromMs: number, limit: number): Promise<number>;
  firstMadeByAgent(list: MerchantScope, agentId: string, fromMs: number): Promise<number | null>;
  /** Returns the links that their merchant must check (link-tasks.ts), newest first. */
  withTasks(list: MerchantScope, limit: number): Promise<readonly PortalLinkRecord[]>;
}

/** Entries live longer than the hour for which they count. */
const COUNTED_MS = 2 * 3_600_000;

const COUNTED = "portal-link-made/";
const BY_AGENT = "portal-link-agent/";

/** Tokens come from requests unchecked. */
const TOKEN = /^[A-Za-z0-9]{22}$/;

export function createPortalLinkQueries(store: WorkflowStore<PortalLinkRecord>, digests: PortalLinkDigests): PortalLinkQueries {
  const paths = digestPaths(digests);

  /** Returns the smallest index that contains all matching links. */
  function prefixFor(list: MerchantScope, { state, customerEmail, reference, agentId = null }: PortalLinkPageQuery): string {
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
    page: (list, query) =>
      store.page(prefixFor(list, query), { ...query, order: query.order ?? "newest" }, (record) => matches(record, query)),
    createdSince: (list, fromMs, limit) => store.count(listPrefix(COUNTED, list), fromMs, limit),
    madeByAgent: (list, agentId, fromMs, limit) => store.count(agentPrefix(list, agentId), fromMs, limit),
    firstMadeByAgent: (list, agentId, fromMs) => store.firstAtMs(agentPrefix(list, agentId), fromMs),
    withTasks: (list, limit) => store.under(listPrefix("portal-link-task/", list), limit, true),
  };
}

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

function agentPrefix(list: MerchantScope, agentId: string): string {
  return `${listPrefix(BY_AGENT, list)}${agentId}/`;
}
