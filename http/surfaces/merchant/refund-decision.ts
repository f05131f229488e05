import type { LinkRecord } from "../../../engine/links/link.ts";
import type { Links } from "../../../engine/links/links.ts";
import { type NotRefundable, type Refundability, refundability } from "../../../engine/links/refundability.ts";
import type { MerchantTransaction } from "../../../engine/payments/merchant-transactions.ts";

/**
 * `not_refundable_here`: a terminal took the payment. `not_kept`: the link is so old that the relay
 * no longer stores it.
 */
export type WhyNoRefund = NotRefundable | "not_refundable_here" | "not_kept";

export type RefundDecision = Extract<Refundability, { type: "possible" }> | { type: "impossible"; reason: WhyNoRefund };

/** Returns the link of a payment if it belongs to the merchant. */
export async function ownLink(links: Pick<Links, "byTxId">, merchantId: string, uuid: string): Promise<LinkRecord | null> {
  const link = await links.byTxId(uuid);
  return link?.order.shop === merchantId ? link : null;
}

/**
 * Decides whether a payment can be refunded from the portal. The detail of a transaction and its
 * refund both use this decision. A dispute blocks a new refund, but a refund that started before
 * the dispute continues.
 */
export function refundDecision(found: MerchantTransaction | null, link: LinkRecord | null, isUnderDispute: boolean): RefundDecision {
  if (link !== null) {
    const judged = refundability(link);
    return judged.type === "possible" && isUnderDispute ? { type: "impossible", reason: "under_dispute" } : judged;
  }
  if (found?.transaction.method !== "PAYBYLINK") return { type: "impossible", reason: "not_refundable_here" };
  return { type: "impossible", reason: found.transaction.status === "OK" ? "not_kept" : "not_paid" };
}
