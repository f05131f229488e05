import { type IndexPage, listPrefix, type Place } from "../kernel/merchant-index-store.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import type { Stored } from "../kernel/stored.ts";
import type { WorkflowStore } from "../workflow/workflow-store.ts";
import type { SubscriptionRecord, SubscriptionState } from "./subscription.ts";
import { digestPaths, type SubscriptionDigests } from "./workflow.ts";

export interface SubscriptionPageQuery {
  readonly limit: number;
  /** Only subscriptions after this cursor position; null starts with the newest. */
  readonly after: Place | null;
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  readonly state: SubscriptionState | null;
  readonly planId: string | null;
  readonly customerEmail: string | null;
}

/** Every method rejects with RelayError `unavailable` if the store cannot respond. */
export interface SubscriptionQueries {
  byToken(token: string): Promise<Stored<SubscriptionRecord> | null>;
  page(list: MerchantScope, query: SubscriptionPageQuery): Promise<IndexPage<SubscriptionRecord>>;
  /** Counts the subscriptions created since a time, up to `limit`. */
  createdSince(list: MerchantScope, fromMs: number, limit: number): Promise<number>;
}

/** Requests contain tokens that nobody has validated. */
const TOKEN = /^[A-Za-z0-9]{22}$/;

export function createSubscriptionQueries(store: WorkflowStore<SubscriptionRecord>, digests: SubscriptionDigests): SubscriptionQueries {
  const paths = digestPaths(digests);

  /** Returns the smallest index that contains all requested subscriptions. */
  function prefixFor(list: MerchantScope, { state, planId, customerEmail }: SubscriptionPageQuery): string {
    if (customerEmail !== null) return listPrefix("subscription-customer/", list) + paths.customer(list.merchantId, customerEmail);
    if (planId !== null) return `${listPrefix("subscription-plan/", list)}${planId}/`;
    return state === null ? listPrefix("subscription-of/", list) : `${listPrefix("subscription-state/", list)}${state}/`;
  }

  return {
    byToken: async (token) => {
      const stored = TOKEN.test(token) ? await store.exact(`subscription-token/${paths.token(token)}`) : null;
      return stored?.record.token === token ? stored : null;
    },
    page: (list, query) => store.page(prefixFor(list, query), { ...query, order: "newest" }, (record) => matches(record, query)),
    createdSince: (list, fromMs, limit) => store.count(listPrefix("subscription-of/", list), fromMs, limit),
  };
}

function matches({ state, planId, customer }: SubscriptionRecord, query: SubscriptionPageQuery): boolean {
  if (query.state !== null && state !== query.state) return false;
  if (query.planId !== null && planId !== query.planId) return false;
  return query.customerEmail === null || customer.email.toLowerCase() === query.customerEmail.trim().toLowerCase();
}
