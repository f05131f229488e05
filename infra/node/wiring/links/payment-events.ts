import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { LinkCompanion } from "../../../../engine/links/link-companion.ts";
import { createPaymentEvents } from "../../../../engine/links/payment-events.ts";
import { createRefundRows } from "../../../../engine/links/refund-rows.ts";
import { createMerchantStore } from "../../../../engine/partners/merchant-store.ts";
import { eventOperations } from "../../../../engine/webhooks/webhook-event-store.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";

/**
 * Tells merchants of their payments by link. Whether a merchant's money is real is read when there is something to tell, a few times in the life of a link: its partner
 * may change it, and the table of owners in memory does not have it.
 */
export function composePaymentEvents(kv: Kv): LinkCompanion {
  const merchants = createMerchantStore(kv);
  return createPaymentEvents({
    merchantOf: async (merchantId) => {
      const stored = await merchants.load(merchantId);
      return stored === null ? null : { partnerId: stored.record.partnerId, livemode: stored.record.environment === "LIVE" };
    },
    eventOperations,
    digest: sha256Hex,
  });
}

/** Feeds what is given back of merchants' payments by link; whether a merchant's money is real is read as for its events. */
export function composeRefundRows(kv: Kv): LinkCompanion {
  const merchants = createMerchantStore(kv);
  return createRefundRows({
    isLive: async (merchantId) => {
      const stored = await merchants.load(merchantId);
      return stored === null ? null : stored.record.environment === "LIVE";
    },
  });
}
