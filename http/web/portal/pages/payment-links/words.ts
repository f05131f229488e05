import type { PaymentLinkJson } from "../../../../surfaces/merchant/payment-links/schemas.ts";

/**
 * Returns the payment link that a transaction belongs to. Such a uuid is the link's id and a
 * number. Returns null for any other transaction.
 */
export function paymentLinkOf(uuid: string): string | null {
  return /^(pl_[a-z0-9]{24})\.\d{1,3}$/.exec(uuid)?.[1] ?? null;
}

export type Attempt = PaymentLinkJson["attempts"][number];

/** Whether a customer has the gateway's payment page open. */
export function isBeingPaid({ attempts }: PaymentLinkJson): boolean {
  return attempts.some(({ state }) => state === "open" || state === "opening");
}

/** Whether every payment of the link was refunded. */
export function isRefunded({ attempts }: PaymentLinkJson): boolean {
  const paid = attempts.filter(({ state }) => state === "paid");
  return paid.length > 0 && paid.every(({ refund }) => refund === "done");
}
