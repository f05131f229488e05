import { type Static, Type } from "@sinclair/typebox";
import { fromMinorUnits } from "../../../engine/kernel/money.ts";
import { amountDiffers, amountOf, type LinkRecord, type LinkState } from "../../../engine/links/link.ts";
import type { LocalTime } from "../parts/time.ts";

const optional = (description: string) => Type.Optional(Type.String({ description }));

const order = {
  txId: Type.String({ description: "Link transaction id." }),
  paymentId: optional("The gateway's payment id."),
  paymentUrl: optional("Address of the hosted payment page."),
  qrCodeData: optional("The content for a QR code: the address of the payment page. As an image: GET /api/v1/payment/qr/{txId}."),
  createdAt: Type.String({ description: "ISO 8601 local date-time." }),
  expiresAt: Type.String({ description: "ISO 8601 local date-time; one hour after creation." }),
  amount: Type.String({ description: "Decimal, with the currency's decimals." }),
  currency: Type.String(),
  terminalID: Type.String(),
  description: optional("The same as `reason`."),
  reason: optional("Purpose text."),
  merchantReference: optional("The partner's order reference."),
  customerEmail: optional("As given at creation."),
};

/** Answer to the creation of a link. */
export const CreatedLink = Type.Object({ status: Type.Literal("ok"), ...order }, { title: "CreatedLink" });

const STATUS = ["PENDING", "SUCCESS", "FAILED", "EXPIRED"] as const;

const Operation = Type.Object(
  {
    type: Type.Union([Type.Literal("capture"), Type.Literal("reversal"), Type.Literal("refund")], { title: "LinkOperationType" }),
    status: Type.Union([Type.Literal("done"), Type.Literal("refused"), Type.Literal("unknown")], {
      description: "`unknown`: the gateway has not answered. The relay keeps asking it; repeat the same request to find out.",
    }),
    amount: Type.String(),
    at: Type.String({ description: "ISO 8601 local date-time." }),
    tranId: optional("The gateway's id of this movement of money."),
    resultCode: optional("The gateway's result code."),
    message: optional("The gateway's description. If its response was lost, the description that the gateway gave later."),
  },
  { title: "LinkOperation" },
);

export const LinkStatus = Type.Object(
  {
    status: Type.Union(STATUS.map((status) => Type.Literal(status))),
    ...order,
    resultCode: optional("The gateway's result code, once the payment has ended."),
    message: optional("The gateway's description of the result code."),
    tranId: optional("The gateway's id of the movement of money."),
    authCode: optional("Authorization code."),
    maskedPan: optional("Masked card number."),
    cardBrand: optional("Card brand."),
    payerName: optional("Personal data of the payer."),
    payerLastName: optional("Personal data of the payer."),
    amountDiffers: Type.Optional(
      Type.Literal(true, {
        description:
          "True if, according to the gateway, the paid amount or currency differs from the order: see `paidAmount`, `paidCurrency`.",
      }),
    ),
    paidAmount: optional(
      "Decimal. The amount that was paid according to the gateway; present only if it differs. Captures, reversals and refunds apply to this amount.",
    ),
    paidCurrency: optional("Its currency."),
    lateSuccess: Type.Optional(Type.Literal(true, { description: "True if it was paid after it had been shown as EXPIRED or FAILED." })),
    unverified: Type.Optional(
      Type.Literal(true, { description: "True if the link has expired and the gateway cannot be asked whether it was paid." }),
    ),
    operations: Type.Optional(Type.Array(Operation, { description: "Captures, reversals and refunds, oldest first." })),
  },
  { title: "LinkStatus" },
);

/** A link that the gateway has not confirmed is also pending: it is not known yet whether it can be paid. */
const WORDS: Readonly<Record<LinkState, (typeof STATUS)[number]>> = {
  created: "PENDING",
  waiting: "PENDING",
  watching: "PENDING",
  success: "SUCCESS",
  failed: "FAILED",
  expired: "EXPIRED",
};

export function statusWord(record: LinkRecord): (typeof STATUS)[number] {
  return WORDS[record.state];
}

export function createdBody(record: LinkRecord, localTime: LocalTime): Static<typeof CreatedLink> {
  return { status: "ok", ...orderBody(record, localTime) };
}

export function statusBody(record: LinkRecord, localTime: LocalTime): Static<typeof LinkStatus> {
  const { outcome, late, overdue, followUps } = record;
  const paid = amountOf(record);
  const payment = outcome?.payment ?? null;
  return {
    status: statusWord(record),
    ...orderBody(record, localTime),
    ...present({ resultCode: outcome?.resultCode, message: outcome?.description }),
    ...present({
      tranId: payment?.tranId,
      authCode: payment?.authCode,
      maskedPan: payment?.maskedPan,
      cardBrand: payment?.cardBrand,
      payerName: payment?.payerName,
      payerLastName: payment?.payerLastName,
    }),
    ...(amountDiffers(record)
      ? { amountDiffers: true as const, paidAmount: fromMinorUnits(paid.amountMinor, paid.currency), paidCurrency: paid.currency }
      : {}),
    ...(late ? { lateSuccess: true as const } : {}),
    ...(overdue ? { unverified: true as const } : {}),
    ...(followUps.length === 0
      ? {}
      : {
          operations: followUps.map(({ type, state, amountMinor, requestedAtMs, tranId, resultCode, description }) => ({
            type,
            status: state === "requested" ? ("unknown" as const) : state,
            amount: fromMinorUnits(amountMinor, paid.currency),
            at: localTime.format(requestedAtMs),
            ...present({ tranId, resultCode, message: description }),
          })),
        }),
  };
}

function orderBody({ order, paymentId, paymentUrl }: LinkRecord, localTime: LocalTime): Omit<Static<typeof CreatedLink>, "status"> {
  const { txId, createdAtMs, expiresAtMs, amount, currency, terminalId, description, merchantReference, customerEmail } = order;
  return {
    txId,
    ...present({ paymentId, paymentUrl, qrCodeData: paymentUrl }),
    createdAt: localTime.format(createdAtMs),
    expiresAt: localTime.format(expiresAtMs),
    amount,
    currency,
    terminalID: terminalId,
    ...present({ description, reason: description, merchantReference, customerEmail }),
  };
}

/** The members that have a value. */
function present<Name extends string>(members: { [name in Name]: string | null | undefined }): { [name in Name]?: string } {
  const found: { [name in Name]?: string } = {};
  for (const name in members) {
    const value = members[name];
    if (value !== null && value !== undefined) found[name] = value;
  }
  return found;
}
