import { type Static, Type } from "@sinclair/typebox";
import { CardEntry, RefundFilterWord, RefundStateWord, ResultStatus, words } from "../parts/schemas.ts";
import { AlertOfPayment, DisputeOfPayment } from "./disputes/schemas.ts";
import { Currency, FromDay, nullable, ToDay, time } from "./schema-parts.ts";

/**
 * The JSON of transactions and of actions on them. Endpoints declare it, and the portal's pages
 * take their types from it.
 */

export const METHODS = ["CARD", "SATISPAY", "VOUCHER", "PAYBYLINK", "RECEIPT", "UNKNOWN"] as const;
export const Method = words(METHODS, { title: "PaymentMethodWord" });
/** The filters of the list and of its CSV, as a query. */
export const TRANSACTION_FILTERS = {
  from: Type.Optional(FromDay),
  to: Type.Optional(ToDay),
  status: Type.Optional(ResultStatus),
  refundState: Type.Optional(RefundFilterWord),
  isPayment: Type.Boolean({
    default: true,
    description:
      "false: lists the other results instead of payments (card checks, receipts, and results whose kind the terminal did not say), which count in no figure.",
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
    isPayment: Type.Boolean({
      description: "false: it counts in no sum, because it is, for example, a card check (VERIFYTAG) or a receipt.",
    }),
    amountMinor: Type.Integer(),
    refundState: RefundStateWord,
    refundedMinor: Type.Integer({ description: "Amount that has been refunded until now, in minor units." }),
    netMinor: Type.Integer({
      description:
        "`amountMinor - refundedMinor` of an approved payment, otherwise 0. Refunds count on the day of the payment, as in exports and reconciliation; analytics subtracts a refund on the day of the refund.",
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
    amountDiffers: Type.Boolean({ description: "True if the terminal's amount or currency differs from the command's." }),
    unsolicited: Type.Boolean({ description: "True if the terminal posted the result without a command." }),
    satispay: nullable(Type.Object({ paymentId: nullable(Type.String()), status: nullable(Type.String()) })),
    hasReceipt: Type.Boolean({ description: "True if the terminal sent a slip with the result and the caller may see it." }),
    /** Events, oldest first. They come from the command while that is stored. */
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
    /**
     * Gives a reason if the payment cannot be refunded from the portal. A terminal's payment is
     * refunded on the terminal.
     */
    refund: Type.Object({ possible: Type.Boolean(), reason: nullable(Type.String()) }),
    disputes: Type.Array(DisputeOfPayment, { description: "Oldest first." }),
    alerts: Type.Array(AlertOfPayment, { description: "Oldest first." }),
  },
  { title: "PortalTransactionDetail" },
);

/** GET /transactions/{uuid}/receipt returns lines to print. */
export const Receipt = Type.Object(
  {
    merchantName: Type.String(),
    terminalId: Type.String(),
    createdAt: time("when the payment was made."),
    lines: Type.Array(Type.Object({ label: Type.String(), value: Type.String() }), {
      description: "The receipt's lines in printing order. Labels are keys: method, status, amount, card, authCode, ...",
    }),
    text: nullable(Type.String({ description: "The customer's copy of the slip, as the terminal sent it." })),
    merchantText: nullable(Type.String({ description: "The merchant's copy of the slip." })),
  },
  { title: "PortalReceipt" },
);

/** POST /transactions/{uuid}/refund refunds the whole payment only. */
export const RefundTransaction = Type.Object(
  {
    reason: Type.Optional(Type.String({ maxLength: 255, description: "Why the payment is refunded, for the audit log." })),
  },
  { title: "PortalRefundRequest" },
);
export const Refund = Type.Object(
  {
    uuid: Type.String(),
    type: Type.Union([Type.Literal("refund"), Type.Literal("reversal")], {
      description: "`reversal`: the payment had not been captured yet.",
    }),
    amountMinor: Type.Integer(),
    currency: Type.String(),
    at: time("when the refund was requested."),
  },
  { title: "PortalRefund" },
);

export type TransactionItemJson = Static<typeof TransactionItem>;
export type TransactionDetailJson = Static<typeof TransactionDetail>;
export type ReceiptJson = Static<typeof Receipt>;
export type RefundJson = Static<typeof Refund>;
