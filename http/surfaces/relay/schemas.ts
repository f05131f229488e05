import { type Static, Type } from "@sinclair/typebox";
import { WAIT_SECONDS_MAX } from "../../../engine/kernel/limits.ts";
import type { Transaction } from "../../../engine/payments/transaction.ts";
import { CardEntry, ResultStatus, words } from "../parts/schemas.ts";
import type { LocalTime } from "../parts/time.ts";

/** The longest wait of a lookup plus the time to respond, in milliseconds. */
export const WAIT_DEADLINE_MS = (WAIT_SECONDS_MAX + 10) * 1_000;

export const WaitQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: WAIT_SECONDS_MAX,
      parameterName: "Wait",
      description:
        "Seconds to wait for the result. The response is sent as soon as the result is stored. Default: do not wait. If too many look-ups of one key or login wait at once (1,000 by default), the response is sent at once: ask again after 3 to 5 seconds. A node that stops sends it early, too: ask again at once.",
    }),
  ),
});

const NullableString = Type.Union([Type.String(), Type.Null()]);
const FreeForm = Type.Object({}, { additionalProperties: true, description: "Free-form." });

const TransactionMethod = words(["CARD", "SATISPAY", "VOUCHER", "RECEIPT", "UNKNOWN", "SCAN", "PRINT", "PAYBYLINK"], {
  title: "TransactionMethod",
});

/** A result in the form that the API returns (infra/docs/results.md). */
export const TransactionItem = Type.Object(
  {
    uuid: Type.String(),
    createdAt: Type.String({ description: "When the relay stored the result, as a local date-time without time zone." }),
    method: TransactionMethod,
    status: ResultStatus,
    amountCents: Type.Integer({ description: "Minor units; 0 for SCAN and PRINT." }),
    currency: Type.String(),
    terminalId: Type.Optional(Type.String()),
    merchantId: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
    auth: Type.Optional(
      Type.Object({
        authCode: Type.Optional(Type.String()),
        stan: Type.Optional(Type.String()),
        actionCode: Type.Optional(Type.String()),
      }),
    ),
    card: Type.Optional(
      Type.Object({
        brand: Type.Optional(Type.String()),
        maskedPan: Type.Optional(Type.String()),
        entry: Type.Optional(CardEntry),
      }),
    ),
    satispay: Type.Optional(
      Type.Object({
        paymentId: Type.Optional(Type.String()),
        status: Type.Optional(Type.String()),
        outcome: Type.Optional(Type.String()),
        store: Type.Optional(Type.String()),
        codeIdentifier: Type.Optional(Type.String()),
      }),
    ),
    provider: Type.Optional(
      Type.Object({
        name: Type.Optional(Type.String()),
        model: Type.Optional(Type.String()),
        clientVersion: Type.Optional(Type.String()),
      }),
    ),
    voucher: Type.Optional(FreeForm),
    receipt: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            "Of any method: the receipt, or the slip of a payment, as the terminal sent it. `lines` or `text` is the customer's copy, `merchantLines` or `merchantText` the merchant's.",
        },
      ),
    ),
    scan: Type.Optional(
      Type.Object({
        scannedValue: NullableString,
        barcodeFormat: NullableString,
        scanResult: Type.Union([Type.Literal("OK"), Type.Literal("CANCELLED"), Type.Literal("ERROR")], { title: "ScanResult" }),
      }),
    ),
    print: Type.Optional(
      Type.Object({
        printResult: ResultStatus,
        errorDescription: NullableString,
      }),
    ),
  },
  { title: "Transaction" },
);

/** Of a look-up, in words. */
export const LookupStatus = words(["ok", "error"], { title: "LookupStatus" });

/** `{status, data, error}` of the status and uuid lookups; `message` says why `data` is null. */
export const TransactionLookupBody = Type.Object(
  {
    status: LookupStatus,
    data: Type.Union([TransactionItem, Type.Null()]),
    error: NullableString,
    message: Type.Optional(
      Type.String({ description: "`no_content` while there is no result; `Transaction not found` for an unknown id." }),
    ),
  },
  { title: "TransactionLookup" },
);

export function toItem({ createdAtMs, ...transaction }: Transaction, localTime: LocalTime): Static<typeof TransactionItem> {
  return { ...transaction, createdAt: localTime.format(createdAtMs) };
}

export const NOT_FOUND: Static<typeof TransactionLookupBody> = {
  status: "error",
  data: null,
  error: "Transaction not found",
  message: "Transaction not found",
};

export function lookupBody(transaction: Transaction | null, localTime: LocalTime): Static<typeof TransactionLookupBody> {
  if (transaction === null) return { status: "ok", data: null, error: null, message: "no_content" };
  return { status: "ok", data: toItem(transaction, localTime), error: null };
}
