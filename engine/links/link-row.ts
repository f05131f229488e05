import type { TransactionRow } from "../payments/feed-row.ts";
import { rowVersion } from "../payments/row-version.ts";
import { amountDiffers, amountOf, isFinal, type LinkRecord } from "./link.ts";

/**
 * The row of a link that has ended, null for one that has not or that the gateway never had. Its key never changes; a late success is a
 * newer version. Holds no personal data of the buyer.
 */
export function linkRow({ state, order, paymentId, outcome, late }: LinkRecord): TransactionRow | null {
  if (!isFinal(state) || paymentId === null || outcome === null) return null;
  const { payment } = outcome;
  const { amountMinor, currency } = amountOf({ order, outcome });
  const card = {
    ...(payment === null || payment.cardBrand === null ? {} : { brand: payment.cardBrand }),
    ...(payment === null || payment.maskedPan === null ? {} : { maskedPan: payment.maskedPan }),
  };
  return {
    type: "transaction",
    version: rowVersion(state === "success" ? "done" : "unknown", late ? 2 : 1),
    transaction: {
      uuid: order.txId,
      createdAtMs: order.createdAtMs,
      method: "PAYBYLINK",
      status: state === "success" ? "OK" : "KO",
      amountCents: amountMinor,
      currency,
      terminalId: order.terminalId,
      message: outcome.description,
      auth: { ...(payment === null || payment.authCode === null ? {} : { authCode: payment.authCode }), actionCode: outcome.resultCode },
      ...(Object.keys(card).length === 0 ? {} : { card }),
    },
    kind: null,
    sender: order.owner,
    unsolicited: false,
    amountDiffers: amountDiffers({ order, outcome }),
  };
}
