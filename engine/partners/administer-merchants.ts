import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { isMerchantId, type MerchantRecord } from "./merchant.ts";
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
