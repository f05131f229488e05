import { isPaidTwice, type PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";

/** A payment link as webhooks show it: what has become of it, without its address, the customer and what was written for the customer. */
export function paymentLinkObject(record: PortalLinkRecord) {
  const { id, state, late, order, createdAtMs, paidAtMs, cancelledAtMs, attempts } = record;
  const paid = attempts.find((attempt) => attempt.state === "paid")?.paid ?? null;
  return {
    ...{ id, state, late },
    paidTwice: isPaidTwice(record),
    amountMinor: order.amountMinor,
    currency: order.currency,
    reference: order.reference,
    createdAt: iso(createdAtMs),
    expiresAt: iso(order.expiresAtMs),
    paidAt: paidAtMs === null ? null : iso(paidAtMs),
    cancelledAt: cancelledAtMs === null ? null : iso(cancelledAtMs),
    paidMinor: paid?.amountMinor ?? null,
    paidCurrency: paid?.currency ?? null,
    /** The uuids of its payments among the transactions. */
    payments: attempts.flatMap((attempt) => (attempt.state === "paid" ? [attempt.txId] : [])),
  };
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
