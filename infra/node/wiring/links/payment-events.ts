import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { LinkCompanion } from "../../../../engine/links/link-companion.ts";
import { createPaymentEvents } from "../../../../engine/links/payment-events.ts";
import { createRefundRows } from "../../../../engine/links/refund-rows.ts";
import { createMerchantStore } from "../../../../engine/partners/merchant-store.ts";
import { eventOperations } from "../../../../engine/webhooks/webhook-event-store.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";

/**
 * Notifies merchants of their payments by link. Each event reads whether the merchant is live, a
 * few times per link, because its partner may change that and the table of owners in memory does
 * not have it.
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

/**
 * Writes refunds of merchants' payments by link to the feed. It reads whether the merchant is live,
 * as for events.
 */
export function composeRefundRows(kv: Kv): LinkCompanion {
  const merchants = createMerchantStore(kv);
  return createRefundRows({
    isLive: async (merchantId) => {
      const stored = await merchants.load(merchantId);
      return stored === null ? null : stored.record.environment === "LIVE";
    },
  });
}
