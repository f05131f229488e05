import { available, type Kv } from "../kernel/kv.ts";
import { indexRange, listPrefix, type Place, placeKey } from "../kernel/merchant-index-store.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import { readRecord } from "../kernel/schemas.ts";
import type { WorkflowStore } from "../workflow/workflow-store.ts";
import type { IntentRecord } from "./intent.ts";
import type { ChargeOf, RefundOf } from "./intents.ts";

/** Every method rejects with RelayError `unavailable` if the store cannot respond. */
export interface IntentIndexStore {
  ofCharge(chargeId: string): Promise<IntentRecord | null>;
  ofRefund(refundId: string): Promise<IntentRecord | null>;
  /** Newest first. `cursor` is the position of the item that the query names. */
  page(list: MerchantScope, query: PageQuery, cursor: Place | null): Promise<Page<IntentRecord>>;
  pageCharges(list: MerchantScope, query: PageQuery, cursor: Place | null): Promise<Page<ChargeOf>>;
  pageRefunds(list: MerchantScope, query: PageQuery, cursor: Place | null): Promise<Page<RefundOf>>;
}

/** Requests contain ids that nobody has validated. */
const ID = /^[a-z]{2}_[a-z0-9]{24}$/;

export function createIntentIndexStore(kv: Pick<Kv, "scan" | "getMany">, store: WorkflowStore<IntentRecord>): IntentIndexStore {
  async function ofEntry(prefix: string, id: string): Promise<IntentRecord | null> {
    return ID.test(id) ? ((await store.exact(prefix + id))?.record ?? null) : null;
  }

  function page<T>(kind: string, itemOf: (record: IntentRecord, id: string) => T | null) {
    return (list: MerchantScope, query: PageQuery, cursor: Place | null): Promise<Page<T>> =>
      available(async () => {
        const { limit } = query;
        const prefix = listPrefix(kind, list);
        const forwards = query.endingBefore !== null;
        let { from, to } = indexRange(prefix, query);
        if (cursor !== null && forwards) from = max(from, `${placeKey(prefix, cursor)}\u0001`);
        if (cursor !== null && !forwards) to = min(to, placeKey(prefix, cursor));
        const items: T[] = [];
        // Further entries replace those without an item.
        while (from < to && items.length <= limit) {
          const wanted = limit + 1 - items.length;
          const entries = await kv.scan({ from, to, limit: wanted, reverse: !forwards });
          const records = entries.length === 0 ? [] : await kv.getMany(entries.map(({ value }) => `intent/${value}`));
          for (const [index, { key }] of entries.entries()) {
            const record = records[index] ?? null;
            const id = key.slice(key.lastIndexOf("/") + 1);
            const item = record === null ? null : itemOf(readRecord("intent", "an intent", record.value), id);
            if (item !== null) items.push(item);
          }
          const last = entries.at(-1);
          if (last === undefined || entries.length < wanted) break;
          if (forwards) from = `${last.key}\u0001`;
          else to = last.key;
        }
        const shown = items.slice(0, limit);
        return { items: forwards ? shown.reverse() : shown, hasMore: items.length > limit };
      });
  }

  return {
    ofCharge: (chargeId) => ofEntry("intent-charge/", chargeId),
    ofRefund: (refundId) => ofEntry("intent-refund/", refundId),
    page: page("intent-of/", (record) => record),
    pageCharges: page("intent-charge-of/", (intent, id) => {
      const attempt = intent.attempts.find(({ chargeId }) => chargeId === id);
      return attempt === undefined ? null : { intent, attempt };
    }),
    pageRefunds: page("intent-refund-of/", refundIn),
  };
}

/** Returns a refund that was reported, with the attempt that it refunds. */
export function refundIn(intent: IntentRecord, refundId: string): RefundOf | null {
  const refund = intent.refunds.find(({ id, told }) => id === refundId && told);
  const attempt = intent.attempts.find(({ chargeId }) => chargeId === refund?.chargeId);
  return refund === undefined || attempt === undefined ? null : { intent, attempt, refund };
}

function max(a: string, b: string): string {
  return a > b ? a : b;
}

function min(a: string, b: string): string {
  return a < b ? a : b;
}
