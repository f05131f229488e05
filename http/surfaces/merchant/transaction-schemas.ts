import { type Static, Type } from "@sinclair/typebox";
import { CardEntry, RefundFilterWord, RefundStateWord, ResultStatus, words } from "../parts/schemas.ts";
import { AlertOfPayment, DisputeOfPayment } from "./disputes/schemas.ts";
import { Currency, FromDay, nullable, ToDay, time } from "./schema-parts.ts";

/** The JSON of transactions and of what is done with one: endpoints declare it, the portal's pages take their types from it. */

export const METHODS = ["CARD", "SATISPAY", "VOUCHER", "PAYBYLINK", "RECEIPT", "UNKNOWN"] as const;
export const Method = words(METHODS, { title: "PaymentMethodWord" });
/** Filters of the list and of its CSV, as a query. */
export const TRANSACTION_FILTERS = {
  from: Type.Optional(FromDay),
  to: Type.Optional(ToDay),
  status: Type.Optional(ResultStatus),
  refundState: Type.Optional(RefundFilterWord),
  isPayment: Type.Boolean({
    default: true,
    description:
      "false: instead of payments the other results (checks of cards, receipts, and what a terminal has not named), which count nowhere.",
  }),
  method: Type.Optional(Method),
  terminalId: Type.Optional(Type.String({ maxLength: 64 })),
  amountMin: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999_999, description: "Minor units." })),
  amountMax: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999_999, description: "Minor units." })),
  currency: Type.Optional(Currency),
  last4: Type.Optional(Type.String({ pattern: "^[0-9]{4}$" })),
  authCode: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
  q: Type.Optional(
    Type.String({
      minLength: 4,
      maxLength: 64,
      description: "A uuid or its beginning, an authorization code, or the last four digits of a card.",
    }),
  ),
};

export const TransactionItem = Type.Object(
  {
    uuid: Type.String(),
    createdAt: time("when the relay stored the result."),
    terminalId: Type.String(),
    method: Method,
    status: ResultStatus,
    isPayment: Type.Boolean({ description: "false: it counts in no sum. A check of a card (VERIFYTAG) or a receipt, for example." }),
    amountMinor: Type.Integer(),
    refundState: RefundStateWord,
    refundedMinor: Type.Integer({ description: "What was given back of it until now, whenever that was." }),
    netMinor: Type.Integer({
      description:
        "`amountMinor - refundedMinor` of an approved payment, else 0. By the day of the payment, as in exports and reconciliation; analytics subtracts a refund on the day of the refund.",
    }),
    currency: Type.String(),
    brand: nullable(Type.String()),
    last4: nullable(Type.String()),
    authCode: nullable(Type.String()),
    message: nullable(Type.String()),
  },
  { title: "PortalTransaction" },
);

/** GET /transactions/{uuid}. */
export const TransactionDetail = Type.Object(
  {
    ...TransactionItem.properties,
    actionCode: nullable(Type.String()),
    stan: nullable(Type.String()),
    entry: nullable(CardEntry),
    maskedPan: nullable(Type.String()),
    amountDiffers: Type.Boolean({ description: "The terminal's amount or currency is not that of the command." }),
    unsolicited: Type.Boolean({ description: "The terminal posted it without a command." }),
    satispay: nullable(Type.Object({ paymentId: nullable(Type.String()), status: nullable(Type.String()) })),
    hasReceipt: Type.Boolean({ description: "The terminal sent a slip with it, and the caller may see it." }),
    /** What happened, oldest first; from the life of the command where it is still kept. */
    timeline: Type.Array(
      Type.Object({
        what: Type.Union([
          Type.Literal("accepted"),
          Type.Literal("sent"),
          Type.Literal("result"),
          Type.Literal("capture"),
          Type.Literal("reversal"),
          Type.Literal("refund"),
        ]),
        at: time("when."),
        amountMinor: nullable(Type.Integer()),
        state: nullable(Type.String()),
      }),
    ),
    /** Why it cannot be refunded from here, where it cannot: a terminal's payment is refunded on the terminal. */
    refund: Type.Object({ possible: Type.Boolean(), reason: nullable(Type.String()) }),
    disputes: Type.Array(DisputeOfPayment, { description: "Oldest first." }),
    alerts: Type.Array(AlertOfPayment, { description: "Oldest first." }),
  },
  { title: "PortalTransactionDetail" },
);

/** GET /transactions/{uuid}/receipt: lines to print. */
export const Receipt = Type.Object(
  {
    merchantName: Type.String(),
    terminalId: Type.String(),
    createdAt: time("when it was paid."),
    lines: Type.Array(Type.Object({ label: Type.String(), value: Type.String() }), {
      description: "In the order in which they are printed; labels are keys of the catalogues: method, status, amount, card, authCode, ...",
    }),
    text: nullable(Type.String({ description: "The slip that the terminal sent as text, the customer's copy." })),
    merchantText: nullable(Type.String({ description: "The merchant's copy of it." })),
  },
  { title: "PortalReceipt" },
);

/** POST /transactions/{uuid}/refund. Whole only. */
export const RefundTransaction = Type.Object(
  {
    reason: Type.Optional(Type.String({ maxLength: 255, description: "For the audit log." })),
  },
  { title: "PortalRefundRequest" },
);
export const Refund = Type.Object(
  {
    uuid: Type.String(),
    type: Type.Union([Type.Literal("refund"), Type.Literal("reversal")], { description: "`reversal`: it had not been captured yet." }),
    amountMinor: Type.Integer(),
    currency: Type.String(),
    at: time("when it was asked for."),
  },
  { title: "PortalRefund" },
);

export type TransactionItemJson = Static<typeof TransactionItem>;
export type TransactionDetailJson = Static<typeof TransactionDetail>;
export type ReceiptJson = Static<typeof Receipt>;
export type RefundJson = Static<typeof Refund>;
