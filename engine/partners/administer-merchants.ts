import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { isMerchantId, type MerchantEnvironment, type MerchantRecord } from "./merchant.ts";
import type { MerchantStore } from "./merchant-store.ts";

/** Only its partner changes the same merchant; each try that is lost was won by it. */
const ATTEMPTS_MAX = 16;

/** What administrators change of the merchants of partners. */
export interface AdministerMerchants {
  /**
   * How many calls with its secret key a minute the merchant may have; its partner may choose fewer. Throws RelayError `not_found` for what is no merchant,
   * `unavailable` when the store cannot confirm, and `too_busy`.
   */
  permitCalls(merchantId: string, perMinute: number): Promise<MerchantRecord>;
  /** Throws RelayError `not_found` for what is no merchant. */
  find(merchantId: string): Promise<MerchantRecord>;
  /** A partner's merchants, deactivated ones too, by id after `after`. */
  page(partnerId: number, query: { after: string; limit: number }): Promise<MerchantRecord[]>;
  /**
   * Merchants of all partners that match, by id after `after`. A page may have fewer than `limit` although there are more; then `next` continues.
   */
  search(filter: MerchantFilter, query: { after: string; limit: number }): Promise<{ items: MerchantRecord[]; next: string | null }>;
}

export interface MerchantFilter {
  /** A part of the id or of the name, in capitals or not. */
  q?: string | undefined;
  partnerId?: number | undefined;
  environment?: MerchantEnvironment | undefined;
  active?: boolean | undefined;
}

/** Merchants that are read at once, and that one page looks through: parsing them holds the thread up. */
const READ = 200;
const LOOKED_THROUGH_MAX = 2_000;

function matches(
  { merchantId, merchantName, ...record }: MerchantRecord,
  { q = "", partnerId, environment, active }: MerchantFilter,
): boolean {
  const wanted = q.toLowerCase();
  return (
    (merchantId.toLowerCase().includes(wanted) || merchantName.toLowerCase().includes(wanted)) &&
    (partnerId === undefined || record.partnerId === partnerId) &&
    (environment === undefined || record.environment === environment) &&
    (active === undefined || record.active === active)
  );
}

export function createAdministerMerchants({ store, clock }: { store: MerchantStore; clock: Clock }): AdministerMerchants {
  const unknown = () => new RelayError("not_found", "There is no such merchant");
  return {
    find: async (merchantId) => {
      const stored = isMerchantId(merchantId) ? await store.load(merchantId) : null;
      if (stored === null) throw unknown();
      return stored.record;
    },
    page: (partnerId, query) => store.page(partnerId, { ...query, status: null }),
    search: async (filter, { after, limit }) => {
      const items: MerchantRecord[] = [];
      let [last, looked] = [after, 0];
      for (;;) {
        const read = await store.all({ after: last, limit: READ });
        for (const record of read) {
          last = record.merchantId;
          looked += 1;
          if (matches(record, filter)) items.push(record);
          if (items.length === limit) return { items, next: last };
        }
        if (read.length < READ) return { items, next: null };
        if (looked >= LOOKED_THROUGH_MAX) return { items, next: last };
      }
    },
    permitCalls: (merchantId, permitted) =>
      retryOnConflict(
        ATTEMPTS_MAX,
        async () => {
          const stored = isMerchantId(merchantId) ? await store.load(merchantId) : null;
          if (stored === null) throw unknown();
          const { record: before, version } = stored;
          if (before.callsPerMinute?.permitted === permitted) return before;
          const callsPerMinute = { ...before.callsPerMinute, permitted };
          const record: MerchantRecord = { ...before, callsPerMinute, updatedAtMs: clock.nowMs() };
          const outcome = await store.commit({ merchant: { record, version }, before, count: null, secrets: null });
          return outcome === "committed" ? record : CONFLICT;
        },
        () => new RelayError("too_busy", "Others are changing the same merchant; retry shortly", { retryAfterSeconds: 1 }),
      ),
  };
}
