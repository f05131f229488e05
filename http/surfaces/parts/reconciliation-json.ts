import { type Static, Type } from "@sinclair/typebox";
import { totalsOf } from "../../../engine/reconciliation/figures.ts";
import {
  CORRECTIONS_MAX,
  type Correction,
  NAMED_MAX,
  type NamedPayments,
  type PaymentLine,
  type ReconciledDay,
} from "../../../engine/reconciliation/reconciliation.ts";
import { iso } from "../../endpoint/time.ts";
import { ResultStatus, words } from "./schemas.ts";

/** A closed day for merchants and partners. */

const time = (description: string) => Type.String({ description: `ISO 8601 in UTC: ${description}` });
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

const MethodWord = words(["CARD", "SATISPAY", "VOUCHER", "PAYBYLINK", "RECEIPT", "UNKNOWN"], { title: "PaymentMethodWord" });

const COUNT_AND_SUM = {
  count: Type.Integer(),
  amountMinor: Type.Integer({ description: "Amount in minor units of the currency." }),
};

const CountAndSumSchema = Type.Object(COUNT_AND_SUM, { title: "CountAndSum" });

export const ReconciliationTotals = Type.Object(
  {
    currency: Type.String(),
    approved: Type.Integer({ description: "Number of the day's payments that succeeded." }),
    approvedMinor: Type.Integer({ description: "Their sum." }),
    declined: Type.Integer({ description: "Number of the day's payments that failed." }),
    refunds: Type.Integer({ description: "Number of the day's payments that were refunded, fully or in part, before the day was closed." }),
    refundedMinor: Type.Integer({
      description: "Amount of the day's payments that was refunded before the day was closed. Later refunds are corrections.",
    }),
    netMinor: Type.Integer({
      description:
        "approvedMinor - refundedMinor. Refunds count on the day of their payment, as in lists and exports; analytics counts them on the day of the refund.",
    }),
  },
  { title: "ReconciliationTotals" },
);

const PaymentLineSchema = Type.Object(
  {
    terminalId: nullable(
      Type.String({ description: "Null if the line covers all terminals, because they are too many for separate lines." }),
    ),
    method: MethodWord,
    status: ResultStatus,
    currency: Type.String(),
    ...COUNT_AND_SUM,
  },
  { title: "ReconciliationPaymentLine" },
);

const StateLineSchema = Type.Object(
  { state: Type.String(), currency: Type.String(), ...COUNT_AND_SUM },
  { title: "ReconciliationStateLine" },
);

const NamedSchema = Type.Object(
  {
    count: Type.Integer(),
    items: Type.Array(Type.Object({ uuid: Type.String(), terminalId: Type.String() }, { title: "ReconciliationNamedPayment" }), {
      description: `At most the first ${NAMED_MAX} of them.`,
    }),
  },
  { title: "ReconciliationNamedPayments" },
);

const CorrectionSchema = Type.Object(
  {
    of: words(["payments", "refunded", "links", "refunds", "unknown", "conflicting"], {
      title: "ReconciliationCorrectionSubject",
      description:
        "What changed: a line of the payments, of their refunds (`refunded`), of the links or of the refunds requested; or a payment that became unknown or conflicting, or is no longer so.",
    }),
    at: time("when the relay noticed the change."),
    terminalId: nullable(Type.String()),
    method: nullable(MethodWord),
    status: nullable(ResultStatus),
    state: nullable(Type.String()),
    currency: nullable(Type.String()),
    uuid: nullable(Type.String()),
    before: CountAndSumSchema,
    after: CountAndSumSchema,
  },
  { title: "ReconciliationCorrection" },
);

/** The response of GET /reconciliation/{day}. */
export const ReconciledDaySchema = Type.Object(
  {
    day: Type.String(),
    timeZone: Type.String({ description: "The time zone of the installation when the day was closed." }),
    from: time("the day's first moment."),
    until: time("the first moment of the next day."),
    closedAt: time("when the day was closed. The figures are those of this moment and never change."),
    totals: Type.Array(ReconciliationTotals, { description: "Totals by currency when the day was closed." }),
    payments: Type.Array(PaymentLineSchema),
    refunded: Type.Array(PaymentLineSchema, {
      description: "The number and the refunded amount of those payments that were refunded, fully or in part, before the day was closed.",
    }),
    links: Type.Array(StateLineSchema, { description: "Payment links created on the day, by their state when the day was closed." }),
    refunds: Type.Array(StateLineSchema, {
      description:
        "Refunds requested on the day, whatever the day of their payment, by their state when the day was closed. They are not part of `totals`.",
    }),
    unknown: NamedSchema,
    conflicting: NamedSchema,
    corrections: Type.Object(
      {
        count: Type.Integer(),
        items: Type.Array(CorrectionSchema, {
          description: `Changes since the day was closed, oldest first; at most the first ${CORRECTIONS_MAX}.`,
        }),
      },
      { title: "ReconciliationCorrections" },
    ),
  },
  { title: "ReconciliationDay" },
);

export type ReconciledDayJson = Static<typeof ReconciledDaySchema>;

const METHODS = ["CARD", "SATISPAY", "VOUCHER", "PAYBYLINK", "RECEIPT", "UNKNOWN"] as const;

export function reconciledDayJson({ closed, corrections, correctionCount }: ReconciledDay): ReconciledDayJson {
  const { day, timeZone, fromMs, untilMs, closedAtMs, figures } = closed;
  return {
    ...{
      day,
      timeZone,
      from: iso(fromMs),
      until: iso(untilMs),
      closedAt: iso(closedAtMs),
      totals: totalsOf(figures).map((total) => ({ ...total })),
    },
    payments: figures.payments.map(lineJson),
    refunded: (figures.refunded ?? []).map(lineJson),
    links: figures.links.map(({ state, currency, count, amountMinor }) => ({ state, currency, count, amountMinor })),
    refunds: figures.refunds.map(({ state, currency, count, amountMinor }) => ({ state, currency, count, amountMinor })),
    unknown: namedJson(figures.unknown),
    conflicting: namedJson(figures.conflicting),
    corrections: { count: correctionCount, items: corrections.map(correctionJson) },
  };
}

function lineJson({ terminalId, method, status, currency, count, amountMinor }: PaymentLine) {
  return { terminalId, method: methodWord(method), status, currency, count, amountMinor };
}

function namedJson({ count, items }: NamedPayments) {
  return { count, items: items.map(({ uuid, terminalId }) => ({ uuid, terminalId })) };
}

function correctionJson({ subject, atMs, before, after }: Correction): ReconciledDayJson["corrections"]["items"][number] {
  const ofAll = { terminalId: null, method: null, status: null, state: null, currency: null, uuid: null };
  const named = "method" in subject ? { ...subject, method: methodWord(subject.method) } : subject;
  return {
    ...{ ...ofAll, ...named, at: iso(atMs) },
    before: { count: before.count, amountMinor: before.amountMinor },
    after: { count: after.count, amountMinor: after.amountMinor },
  };
}

function methodWord(method: PaymentLine["method"]): (typeof METHODS)[number] {
  return METHODS.find((known) => known === method) ?? "UNKNOWN";
}

export const RECONCILED_DAY_EXAMPLE: ReconciledDayJson = {
  day: "2026-11-23",
  timeZone: "Europe/Rome",
  from: "2026-11-22T23:00:00.000Z",
  until: "2026-11-23T23:00:00.000Z",
  closedAt: "2026-11-25T02:00:01.000Z",
  totals: [{ currency: "EUR", approved: 2, approvedMinor: 3_050, declined: 1, refunds: 1, refundedMinor: 1_050, netMinor: 2_000 }],
  payments: [
    { terminalId: "SIM00001", method: "CARD", status: "OK", currency: "EUR", count: 1, amountMinor: 2_000 },
    { terminalId: "SIM00001", method: "PAYBYLINK", status: "OK", currency: "EUR", count: 1, amountMinor: 1_050 },
    { terminalId: "SIM00001", method: "CARD", status: "KO", currency: "EUR", count: 1, amountMinor: 500 },
  ],
  refunded: [{ terminalId: "SIM00001", method: "PAYBYLINK", status: "OK", currency: "EUR", count: 1, amountMinor: 1_050 }],
  links: [{ state: "PAID", currency: "EUR", count: 1, amountMinor: 1_050 }],
  refunds: [{ state: "done", currency: "EUR", count: 1, amountMinor: 1_050 }],
  unknown: { count: 1, items: [{ uuid: "0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10", terminalId: "SIM00001" }] },
  conflicting: { count: 0, items: [] },
  corrections: {
    count: 1,
    items: [
      {
        ...{ of: "payments", at: "2026-11-26T02:00:00.000Z", terminalId: "SIM00001", method: "CARD", status: "OK", state: null },
        ...{ currency: "EUR", uuid: null, before: { count: 1, amountMinor: 2_000 }, after: { count: 2, amountMinor: 3_050 } },
      },
    ],
  },
};
