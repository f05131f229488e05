import type { MerchantTransaction } from "../../../engine/payments/merchant-transactions.ts";
import { maySeePersonalData } from "../../endpoint/personal-data.ts";
import { iso } from "../../endpoint/time.ts";
import { UuidParams } from "../parts/schemas.ts";
import { ok, okOf } from "./envelope.ts";
import { ownTransaction } from "./find-transaction.ts";
import { READ_DEADLINE_MS, reads } from "./reads.ts";
import { receiptTexts } from "./receipt-text.ts";
import { MERCHANT_BASE, merchantOf, PORTAL_RATE } from "./surface.ts";
import { majorUnits, methodOf } from "./transaction-item.ts";
import { Receipt, type ReceiptJson } from "./transaction-schemas.ts";

export const merchantTransactionReceipt = reads.endpoint({
  name: "merchantTransactionReceipt",
  method: "GET",
  path: `${MERCHANT_BASE}/transactions/{uuid}/receipt`,
  summary: "Get the receipt of a transaction",
  description:
    "Returns a copy for the shop's records, made from the stored result. `text` and `merchantText` are the slips that the terminal sent with the result: the customer's and the merchant's copy. They may contain the customer's name, so both are null for roles that do not see personal data.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: READ_DEADLINE_MS,
  params: UuidParams,
  responses: {
    200: {
      description: "The receipt.",
      body: okOf(Receipt),
      example: {
        status: "ok",
        data: {
          merchantName: "Demo shop",
          terminalId: "SIM00001",
          createdAt: "2026-11-25T10:00:00.000Z",
          lines: [
            { label: "method", value: "CARD" },
            { label: "status", value: "OK" },
            { label: "amount", value: "10.50 EUR" },
            { label: "card", value: "VISA ************1111" },
            { label: "authCode", value: "123456" },
            { label: "uuid", value: "0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10" },
          ],
          text: "DEMO SHOP\nTOTAL 10.50 EUR\nAPPROVED",
          merchantText: null,
        },
      },
    },
    ...reads.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async (operations, { caller, params, request }) => {
    const merchantId = merchantOf(caller);
    const [found, merchantName] = await Promise.all([
      ownTransaction(operations, merchantId, params.uuid, request.gone),
      operations.merchantName(merchantId),
    ]);
    const { terminalId, createdAtMs } = found.transaction;
    const own = maySeePersonalData(caller) ? receiptTexts(found.transaction) : null;
    const receipt: ReceiptJson = {
      merchantName,
      terminalId,
      createdAt: iso(createdAtMs),
      lines: linesOf(found),
      text: own?.customer ?? null,
      merchantText: own?.merchant ?? null,
    };
    return { status: 200, body: ok(receipt) };
  },
});

/** Returns the members of the result in the order of a receipt. */
function linesOf({ transaction, refundedMinor }: MerchantTransaction): ReceiptJson["lines"] {
  const { method, status, amountCents, currency, card, auth, satispay, message, uuid } = transaction;
  const lines: [label: string, value: string | undefined][] = [
    ["method", methodOf(method)],
    ["status", status],
    ["amount", `${majorUnits(amountCents, currency, ".")} ${currency}`],
    ["refunded", refundedMinor === 0 ? undefined : `${majorUnits(refundedMinor, currency, ".")} ${currency}`],
    ["card", [card?.brand, card?.maskedPan].filter((part) => part !== undefined).join(" ")],
    ["entry", card?.entry],
    ["authCode", auth?.authCode],
    ["stan", auth?.stan],
    ["actionCode", auth?.actionCode],
    ["satispayPaymentId", satispay?.paymentId],
    ["message", message],
    ["uuid", uuid],
  ];
  return lines.flatMap(([label, value]) => (value === undefined || value === "" ? [] : [{ label, value }]));
}
