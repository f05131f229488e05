import type { AlertRecord } from "../alerts/alert.ts";
import type { Alerts } from "../alerts/alerts.ts";
import type { DisputeRecord } from "../disputes/dispute.ts";
import type { Disputes } from "../disputes/disputes.ts";
import { RelayError } from "../kernel/errors.ts";
import { hasUuidForm } from "../kernel/identifiers.ts";
import type { MerchantParty } from "../kernel/merchant-scope.ts";
import { decimalsOf } from "../kernel/money.ts";
import type { Timers } from "../kernel/timers.ts";
import { isOneErrorApart } from "../kernel/typing-error.ts";
import type { MerchantTransaction, MerchantTransactionFilter, MerchantTransactions } from "../payments/merchant-transactions.ts";
import type { PortalLinkRecord } from "../portal-links/portal-link.ts";
import type { PortalLinks } from "../portal-links/portal-links.ts";
import type { MerchantTerminal, MerchantTerminals } from "../settings/merchant-terminals.ts";
import type { SubscriptionRecord } from "../subscriptions/subscription.ts";
import type { Subscriptions } from "../subscriptions/subscriptions.ts";
import type { WorkflowSearch } from "../workflow/workflow-search.ts";
import type { SearchText } from "./search-text.ts";

export type MerchantHit =
  | { readonly type: "payment"; readonly payment: MerchantTransaction }
  | { readonly type: "payment_link"; readonly link: PortalLinkRecord }
  | { readonly type: "subscription"; readonly subscription: SubscriptionRecord }
  | { readonly type: "dispute"; readonly dispute: DisputeRecord }
  | { readonly type: "alert"; readonly alert: AlertRecord }
  | { readonly type: "terminal"; readonly terminal: MerchantTerminal };

export const SEARCH_GROUPS = ["payments", "payment_links", "subscriptions", "disputes", "terminals"] as const;

export interface FoundGroup {
  readonly name: (typeof SEARCH_GROUPS)[number];
  /** `away`: the group could not be searched in time. */
  readonly state: "searched" | "away";
  readonly hits: readonly MerchantHit[];
  /** There are more hits than are returned. */
  readonly more: boolean;
  /** Older objects were not searched. Null: all were. */
  readonly sinceMs: number | null;
}

export interface MerchantFound {
  readonly groups: readonly FoundGroup[];
  /** Objects whose ids are similar to a text that is no object's id. */
  readonly near: readonly MerchantHit[];
}

/** Searches the objects of one merchant. Every search reads a bounded number of rows and records. */
export type MerchantSearch = (owner: MerchantParty, wanted: SearchText, gone?: AbortSignal) => Promise<MerchantFound>;

/** The hits of a group, and the similar ids. */
export const GROUP_HITS_MAX = 5;
export const NEAR_HITS_MAX = 5;

/** A group that takes longer is left out. ClickHouse itself gives up after this time. */
const GROUP_MS = 3_000;

/** The newest payments that are searched by anything but a whole uuid. */
const PAYMENTS_LOOKED_MAX = 1_000_000;

/**
 * The newest links, subscriptions, disputes and alerts that are searched by amount and for similar
 * ids. No index has these.
 */
const RECORDS_LOOKED_MAX = 1_000;

/** So many characters after the prefix of an id name few records. */
const BEGINNING_LENGTH_MIN = 4;

/** A shorter text is similar to too many ids. */
const NEAR_LENGTH_MIN = 6;

export interface MerchantSearchOptions {
  transactions: Pick<MerchantTransactions, "page">;
  portalLinks: Pick<PortalLinks, "list">;
  subscriptions: Pick<Subscriptions, "list" | "find">;
  disputes: Pick<Disputes, "list">;
  alerts: Pick<Alerts, "find" | "ofPayment">;
  terminals: Pick<MerchantTerminals, "ids" | "find">;
  records: {
    readonly portalLinks: WorkflowSearch<PortalLinkRecord>;
    readonly subscriptions: WorkflowSearch<SubscriptionRecord>;
    readonly disputes: WorkflowSearch<DisputeRecord>;
    readonly alerts: WorkflowSearch<AlertRecord>;
  };
  timers: Pick<Timers, "set">;
}

type Found = Pick<FoundGroup, "hits" | "more" | "sinceMs">;

/** A group: its hits, and the hits whose ids are similar. */
interface Group {
  readonly name: FoundGroup["name"];
  find(owner: MerchantParty, wanted: SearchText, signal: AbortSignal): Promise<Found>;
  near(owner: MerchantParty, text: string, signal: AbortSignal): Promise<readonly MerchantHit[]>;
}

/** Objects of one kind in the key-value store. */
interface Kind<R> {
  readonly idPrefix: string;
  readonly records: WorkflowSearch<R>;
  exact(owner: MerchantParty, text: string): Promise<readonly R[]>;
  /** Absent: the kind has no customers. */
  byEmail?(owner: MerchantParty, email: string): Promise<readonly R[]>;
  amountOf(record: R): { readonly amountMinor: number; readonly currency: string };
  hit(record: R): MerchantHit;
}

export function createMerchantSearch(options: MerchantSearchOptions): MerchantSearch {
  const { timers } = options;
  const groups: readonly Group[] = [
    payments(options),
    ofKinds("payment_links", [links(options)]),
    ofKinds("subscriptions", [subscriptions(options)]),
    ofKinds("disputes", [disputes(options), alerts(options)]),
    terminals(options),
  ];

  /** Runs `work`, and returns null if it is late or what it needs is away. */
  async function inTime<T>(gone: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const ended = new AbortController();
    const signal = gone === undefined ? ended.signal : AbortSignal.any([ended.signal, gone]);
    let timer = { clear: () => {} };
    const late = new Promise<null>((resolve) => {
      timer = timers.set(GROUP_MS, () => {
        resolve(null);
        ended.abort(new RelayError("request_timeout", "The search took too long"));
      });
    });
    try {
      return await Promise.race([work(signal), late]);
    } catch (error) {
      if (error instanceof RelayError) return null;
      throw error;
    } finally {
      timer.clear();
    }
  }

  return async (owner, wanted, gone) => {
    const found = await Promise.all(
      groups.map(async ({ name, find }): Promise<FoundGroup> => {
        const result = await inTime(gone, (signal) => find(owner, wanted, signal));
        if (result === null) return { name, state: "away", hits: [], more: false, sinceMs: null };
        return { name, state: "searched", ...result };
      }),
    );
    const isFound = found.some(({ hits }) => hits.length > 0);
    const { identifier } = wanted;
    if (isFound || identifier === null || identifier.length < NEAR_LENGTH_MIN) return { groups: found, near: [] };
    // A group that was away is not asked again.
    const asked = groups.filter(({ name }) => found.find((group) => group.name === name)?.state === "searched");
    const text = identifier.toLowerCase();
    const near = await Promise.all(asked.map((group) => inTime(gone, (signal) => group.near(owner, text, signal))));
    return { groups: found, near: near.flatMap((hits) => hits ?? []).slice(0, NEAR_HITS_MAX) };
  };
}

function payments({ transactions }: MerchantSearchOptions): Group {
  const page = async (owner: MerchantParty, filter: MerchantTransactionFilter, signal: AbortSignal) => {
    const isWhole = filter.q !== undefined;
    const query = { filter: { results: "all", ...filter } as const, after: null, limit: GROUP_HITS_MAX };
    const found = await transactions.page(owner.merchantId, isWhole ? query : { ...query, rowsMax: PAYMENTS_LOOKED_MAX }, signal);
    const hits = found.items.map((payment): MerchantHit => ({ type: "payment", payment }));
    return { hits, more: found.next !== null, sinceMs: found.sinceMs ?? null };
  };
  return {
    name: "payments",
    find: async (owner, { identifier, amounts }, signal) => {
      if (identifier === null && amounts.length === 0) return NOTHING;
      if (identifier !== null && hasUuidForm(identifier)) return page(owner, { q: identifier }, signal);
      return page(owner, { wanted: { text: identifier, amounts } }, signal);
    },
    near: async (owner, text, signal) => {
      const { hits } = await page(owner, { near: text }, signal);
      return hits.length > 0 ? hits : (await page(owner, { wanted: { text: beginningOf(text), amounts: [] } }, signal)).hits;
    },
  };
}

const NOTHING: Found = { hits: [], more: false, sinceMs: null };

/** The beginning that ids must share to be similar. */
function beginningOf(text: string): string {
  return text.slice(0, Math.max(BEGINNING_LENGTH_MIN, Math.min(8, text.length - 2)));
}

function ofKinds(name: FoundGroup["name"], kinds: readonly { find: KindFind; near: KindNear }[]): Group {
  return {
    name,
    find: async (owner, wanted) => {
      const found = (await Promise.all(kinds.map(({ find }) => find(owner, wanted)))).flat();
      const hits = found.sort((one, other) => other.atMs - one.atMs).map(({ hit }) => hit);
      return { hits: hits.slice(0, GROUP_HITS_MAX), more: hits.length > GROUP_HITS_MAX, sinceMs: null };
    },
    near: async (owner, text) => (await Promise.all(kinds.map(({ near }) => near(owner, text)))).flat(),
  };
}

type KindFind = (owner: MerchantParty, wanted: SearchText) => Promise<{ readonly hit: MerchantHit; readonly atMs: number }[]>;
type KindNear = (owner: MerchantParty, text: string) => Promise<MerchantHit[]>;

function kind<R extends { readonly id: string; readonly createdAtMs: number }>(of: Kind<R>): { find: KindFind; near: KindNear } {
  const { idPrefix, records, exact, byEmail, amountOf, hit } = of;

  /** The beginning must have characters after the prefix of all ids of this kind. */
  function isBeginning(text: string): boolean {
    return text.startsWith(idPrefix) && text.length >= idPrefix.length + BEGINNING_LENGTH_MIN;
  }

  function placed(found: readonly R[]) {
    return found.map((record) => ({ hit: hit(record), atMs: record.createdAtMs }));
  }

  return {
    find: async (owner, { text, email, identifier, amounts }) => {
      if (email !== null) return placed((await byEmail?.(owner, email)) ?? []);
      const small = identifier?.toLowerCase() ?? "";
      const [same, sameSmall, begun, newest] = await Promise.all([
        exact(owner, text),
        small === text || !isBeginning(small) ? [] : exact(owner, small),
        isBeginning(small) ? records.beginning(owner, small) : [],
        amounts.length === 0 ? [] : records.newest(owner, RECORDS_LOOKED_MAX),
      ]);
      const ofAmount = newest.filter((record) => {
        const { amountMinor, currency } = amountOf(record);
        return amounts.some(({ minor, decimals }) => minor === amountMinor && decimals === decimalsOf(currency));
      });
      return placed([...new Map([...same, ...sameSmall, ...begun, ...ofAmount].map((record) => [record.id, record])).values()]);
    },
    near: async (owner, text) => {
      const isNear = ({ id }: R) => isOneErrorApart(id, text) || id === idPrefix + text;
      const newest = (await records.newest(owner, RECORDS_LOOKED_MAX)).filter(isNear);
      if (newest.length > 0) return newest.map(hit);
      const beginning = text.slice(0, idPrefix.length + BEGINNING_LENGTH_MIN);
      return isBeginning(text) ? (await records.beginning(owner, beginning)).map(hit) : [];
    },
  };
}

const FIRST = { limit: GROUP_HITS_MAX + 1, cursor: null, fromMs: null, beforeMs: null, state: null } as const;

function links({ portalLinks, records }: MerchantSearchOptions) {
  const list = async (owner: MerchantParty, query: { q: string | null; customerEmail: string | null }) =>
    (await portalLinks.list(owner, { ...FIRST, ...query })).items;
  return kind<PortalLinkRecord>({
    ...{ idPrefix: "pl_", records: records.portalLinks, amountOf: ({ order }) => order },
    exact: (owner, q) => list(owner, { q, customerEmail: null }),
    byEmail: (owner, customerEmail) => list(owner, { q: null, customerEmail }),
    hit: (link) => ({ type: "payment_link", link }),
  });
}

function subscriptions({ subscriptions: ofMerchant, records }: MerchantSearchOptions) {
  return kind<SubscriptionRecord>({
    ...{ idPrefix: "sub_", records: records.subscriptions, amountOf: ({ plan }) => plan },
    exact: async (owner, id) => present(await ofMerchant.find(owner, id)),
    byEmail: async (owner, customerEmail) => (await ofMerchant.list(owner, { ...FIRST, planId: null, customerEmail })).items,
    hit: (subscription) => ({ type: "subscription", subscription }),
  });
}

function disputes({ disputes: ofMerchant, records }: MerchantSearchOptions) {
  const unfiltered = { ...FIRST, order: "newest", dueBeforeMs: null, stage: null, category: null, terminalId: null } as const;
  return kind<DisputeRecord>({
    ...{ idPrefix: "dp_", records: records.disputes, amountOf: (dispute) => dispute },
    exact: async (owner, q) => (await ofMerchant.list(owner, { ...unfiltered, q })).items,
    hit: (dispute) => ({ type: "dispute", dispute }),
  });
}

function alerts({ alerts: ofMerchant, records }: MerchantSearchOptions) {
  return kind<AlertRecord>({
    ...{ idPrefix: "al_", records: records.alerts, amountOf: (alert) => alert },
    exact: async (owner, text) => {
      const alert = await ofMerchant.find(owner, text);
      return alert === null ? ofMerchant.ofPayment(owner, text) : [alert];
    },
    hit: (alert) => ({ type: "alert", alert }),
  });
}

function present<R>(record: R | null): readonly R[] {
  return record === null ? [] : [record];
}

function terminals({ terminals: ofMerchant }: MerchantSearchOptions): Group {
  /** Only the returned terminals are asked at their homes. */
  async function shown({ merchantId }: MerchantParty, ids: readonly string[]): Promise<MerchantHit[]> {
    const found = await Promise.all(ids.slice(0, GROUP_HITS_MAX).map((id) => ofMerchant.find(merchantId, id)));
    return found.flatMap((terminal) => (terminal === null ? [] : [{ type: "terminal" as const, terminal }]));
  }
  return {
    name: "terminals",
    find: async (owner, { text, email }) => {
      if (email !== null) return NOTHING;
      const small = text.toLowerCase();
      const placeOf = (id: string) => id.toLowerCase().indexOf(small);
      const ids = ofMerchant.ids(owner.merchantId).filter((id) => placeOf(id) >= 0);
      ids.sort((one, other) => placeOf(one) - placeOf(other) || one.length - other.length || (one < other ? -1 : 1));
      return { hits: await shown(owner, ids), more: ids.length > GROUP_HITS_MAX, sinceMs: null };
    },
    near: (owner, text) =>
      shown(
        owner,
        ofMerchant.ids(owner.merchantId).filter((id) => isOneErrorApart(id.toLowerCase(), text)),
      ),
  };
}
