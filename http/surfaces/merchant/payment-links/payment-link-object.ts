import { isPaidTwice, type PortalLinkAttempt, type PortalLinkRecord } from "../../../../engine/portal-links/portal-link.ts";
import { iso, isoOrNull } from "../../../endpoint/time.ts";

/**
 * A payment link as the events `payment_link.*` have it, frozen when they happen. It holds nothing of the customer nor what was written for the customer, and not the link's address: whoever sees a delivery
 * is not to be able to pay by it.
 */
export function paymentLinkObject(link: PortalLinkRecord): object {
  const { id, livemode, state, late, order, createdAtMs, paidAtMs, cancelledAtMs, attempts } = link;
  const { amountMinor, currency, reference, expiresAtMs } = order;
  return {
    id,
    object: "payment_link",
    environment: livemode ? "LIVE" : "TEST",
    state,
    late,
    paidTwice: isPaidTwice(link),
    ...{ amountMinor, currency, reference },
    createdAt: iso(createdAtMs),
    expiresAt: iso(expiresAtMs),
    paidAt: isoOrNull(paidAtMs),
    cancelledAt: isoOrNull(cancelledAtMs),
    payments: attempts.flatMap(paymentOf),
  };
}

function paymentOf({ txId, paid, refund }: PortalLinkAttempt): object[] {
  if (paid === null) return [];
  const { atMs, amountMinor, currency, cardLast4 } = paid;
  return [{ uuid: txId, paidAt: iso(atMs), amountMinor, currency, last4: cardLast4, refund }];
}
