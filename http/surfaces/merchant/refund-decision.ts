import type { LinkRecord } from "../../../engine/links/link.ts";
import type { Links } from "../../../engine/links/links.ts";
import { type NotRefundable, type Refundability, refundability } from "../../../engine/links/refundability.ts";
import type { MerchantTransaction } from "../../../engine/payments/merchant-transactions.ts";

/** `not_refundable_here`: a terminal took it. `not_kept`: a link so old that the relay has forgotten it. */
export type WhyNoRefund = NotRefundable | "not_refundable_here" | "not_kept";

export type RefundDecision = Extract<Refundability, { type: "possible" }> | { type: "impossible"; reason: WhyNoRefund };

/** The link of a payment, where it is the merchant's. */
export async function ownLink(links: Pick<Links, "byTxId">, merchantId: string, uuid: string): Promise<LinkRecord | null> {
  const link = await links.byTxId(uuid);
  return link?.order.shop === merchantId ? link : null;
}

/**
 * Whether a payment can be refunded from the portal: what the detail of a transaction says and what its refund does come from here. A dispute holds it back; a refund that was begun before
 * the dispute came is gone on with.
 */
export function refundDecision(found: MerchantTransaction | null, link: LinkRecord | null, isUnderDispute: boolean): RefundDecision {
  if (link !== null) {
    const judged = refundability(link);
    return judged.type === "possible" && isUnderDispute ? { type: "impossible", reason: "under_dispute" } : judged;
  }
  if (found?.transaction.method !== "PAYBYLINK") return { type: "impossible", reason: "not_refundable_here" };
  return { type: "impossible", reason: found.transaction.status === "OK" ? "not_kept" : "not_paid" };
}
