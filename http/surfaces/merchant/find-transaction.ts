import { RelayError } from "../../../engine/kernel/errors.ts";
import type { MerchantTransaction, MerchantTransactions } from "../../../engine/payments/merchant-transactions.ts";
import { maySeePersonalData } from "../../endpoint/personal-data.ts";
import { UuidParams } from "../parts/schemas.ts";
import { ok, okOf } from "./envelope.ts";
import { READ_DEADLINE_MS, reads } from "./reads.ts";
import { receiptTexts } from "./receipt-text.ts";
import { MERCHANT_BASE, merchantOf, merchantOwnerOf, PORTAL_RATE } from "./surface.ts";
import { type History, historyOf } from "./transaction-history.ts";
import { ITEM_EXAMPLE, itemOf } from "./transaction-item.ts";
import { TransactionDetail, type TransactionDetailJson } from "./transaction-schemas.ts";

export const findMerchantTransaction = reads.endpoint({
  name: "merchantTransaction",
  method: "GET",
  path: `${MERCHANT_BASE}/transactions/{uuid}`,
  summary: "Get a transaction",
  description:
    "`timeline` has the states of the command while the relay stores them, and for a payment link its captures, reversals and refunds. `refund` says whether POST /api/merchant/transactions/{uuid}/refund would refund the payment; if not, it has the code with which that call would respond. `disputes` and `alerts` are those of the payment. The response is 404 for a uuid that does not belong to the merchant.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: READ_DEADLINE_MS,
  params: UuidParams,
  responses: {
    200: {
      description: "The transaction.",
      body: okOf(TransactionDetail),
      example: {
        status: "ok",
        data: {
          ...ITEM_EXAMPLE,
          actionCode: "000",
          stan: "000123",
          entry: "NFC",
          maskedPan: "************1111",
          amountDiffers: false,
          unsolicited: false,
          satispay: null,
          hasReceipt: false,
          timeline: [
            { what: "accepted", at: "2026-11-25T09:59:51.000Z", amountMinor: 1050, state: null },
            { what: "sent", at: "2026-11-25T09:59:51.020Z", amountMinor: null, state: null },
            { what: "result", at: "2026-11-25T10:00:00.000Z", amountMinor: 1050, state: "OK" },
          ],
          refund: { possible: false, reason: "not_refundable_here" },
          disputes: [],
          alerts: [],
        },
      },
    },
    ...reads.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async (operations, { caller, params, request }) => {
    const merchantId = merchantOf(caller);
    const found = await ownTransaction(operations, merchantId, params.uuid, request.gone);
    const history = await historyOf(operations, merchantOwnerOf(caller), found);
    return { status: 200, body: ok(detailOf(found, history, maySeePersonalData(caller))) };
  },
});

/**
 * Throws RelayError `not_found` if there is no such transaction, or if it belongs to another
 * merchant.
 */
export async function ownTransaction(
  { merchantTransactions }: { merchantTransactions: Pick<MerchantTransactions, "find"> },
  merchantId: string,
  uuid: string,
  gone?: AbortSignal,
): Promise<MerchantTransaction> {
  const found = await merchantTransactions.find(merchantId, uuid, gone);
  if (found === null) throw new RelayError("not_found", "There is no such transaction");
  return found;
}

function detailOf(found: MerchantTransaction, { timeline, refund, disputes, alerts }: History, maySee: boolean): TransactionDetailJson {
  const { transaction, amountDiffers, unsolicited } = found;
  const { auth, card, satispay } = transaction;
  return {
    ...itemOf(found),
    actionCode: auth?.actionCode ?? null,
    stan: auth?.stan ?? null,
    entry: card?.entry ?? null,
    maskedPan: card?.maskedPan ?? null,
    amountDiffers,
    unsolicited,
    satispay: satispay === undefined ? null : { paymentId: satispay.paymentId ?? null, status: satispay.status ?? null },
    hasReceipt: maySee && Object.values(receiptTexts(transaction)).some((text) => text !== null),
    timeline: [...timeline],
    ...{ refund, disputes, alerts },
  };
}
