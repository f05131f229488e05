import type { PaymentLinkJson } from "../../../../surfaces/merchant/payment-links/schemas.ts";

/** The payment link that a transaction is an attempt of, by the form of its uuid: the link's id and a number. Null for any other transaction. */
export function paymentLinkOf(uuid: string): string | null {
  return /^(pl_[a-z0-9]{24})\.\d{1,3}$/.exec(uuid)?.[1] ?? null;
}

export type Attempt = PaymentLinkJson["attempts"][number];

/** Somebody stands at the gateway's page. */
export function isBeingPaid({ attempts }: PaymentLinkJson): boolean {
  return attempts.some(({ state }) => state === "open" || state === "opening");
}

/** Whether all that was paid was given back. */
export function isRefunded({ attempts }: PaymentLinkJson): boolean {
  const paid = attempts.filter(({ state }) => state === "paid");
  return paid.length > 0 && paid.every(({ refund }) => refund === "done");
}
