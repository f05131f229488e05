import { Type } from "@sinclair/typebox";
import type { MethodFigures, MethodsReport as MethodsCounted, PaymentSums } from "../../../../engine/reports/merchant-reports.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE } from "../surface.ts";
import { methodOf } from "../transaction-item.ts";
import { answerReport, overPeriod, seriesOf } from "./answer-report.ts";
import { METHOD_SUMS } from "./definitions.ts";
import { rateOf, sumsJson } from "./figures.ts";
import { COUNTED_EXAMPLE, DAYS_EXAMPLE, EVERY_REPORT, POINT_EXAMPLE, SUMS_EXAMPLE } from "./report-text.ts";
import { GRANULARITY_QUERY, MethodsReport, PAYMENT_QUERY, RANGE_QUERY } from "./schemas.ts";
import { analytics, REPORT_DEADLINE_MS } from "./surface.ts";

const FIGURES_EXAMPLE = { currency: "EUR", method: "CARD", ...SUMS_EXAMPLE, share: 1 };

export const methodsReport = analytics.endpoint({
  name: "methodsReport",
  method: "GET",
  path: `${MERCHANT_BASE}/analytics/methods`,
  summary: "Get the report of payment methods and declines",
  description: `Payments by method, by card brand and by how the card was read, and declined payments by action code and message. ${EVERY_REPORT}`,
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: REPORT_DEADLINE_MS,
  query: Type.Object({ ...RANGE_QUERY, ...GRANULARITY_QUERY, ...PAYMENT_QUERY }),
  responses: {
    200: {
      description: "The figures.",
      body: okOf(MethodsReport),
      example: {
        status: "ok",
        data: {
          ...DAYS_EXAMPLE,
          granularity: "day",
          series: [{ ...POINT_EXAMPLE, figures: [FIGURES_EXAMPLE] }],
          totals: [FIGURES_EXAMPLE],
          brands: [{ currency: "EUR", brand: "VISA", ...SUMS_EXAMPLE, share: 1 }],
          entries: [{ currency: "EUR", entry: "NFC", ...SUMS_EXAMPLE, share: 1 }],
          declines: [{ currency: "EUR", actionCode: "116", message: "INSUFFICIENT FUNDS", declined: 3, declinedMinor: 7500 }],
          ...COUNTED_EXAMPLE,
          definitions: { share: METHOD_SUMS.share },
        },
      },
    },
    ...analytics.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, query, request }) => {
    const { localTime } = operations;
    const answer = await answerReport(operations, { caller, query, request }, "methods", METHOD_SUMS, {
      queryOf: (period) => overPeriod(query, period),
      membersOf: (report, period) => {
        const { buckets, totals } = report;
        return {
          ...seriesOf({
            ...{ period, localTime, buckets, totals, nothing },
            keyOf: ({ currency, method }) => `${currency} ${method}`,
            json: (figures, all) => ({ currency: figures.currency, method: methodOf(figures.method), ...sharedJson(figures, all) }),
          }),
          ...breakdownsOf(report),
        };
      },
    });
    return { status: 200, body: ok(answer) };
  },
});

function breakdownsOf({ totals, brands, entries, declines }: MethodsCounted) {
  return {
    brands: brands.map((figures) => ({ currency: figures.currency, brand: figures.brand, ...sharedJson(figures, totals) })),
    entries: entries.map((figures) => ({ currency: figures.currency, entry: figures.entry, ...sharedJson(figures, totals) })),
    declines: declines.map(({ currency, actionCode, message, declined, declinedMinor }) => {
      return { currency, actionCode, message, declined, declinedMinor };
    }),
  };
}

/** Adds the share of the total of its currency. */
function sharedJson(figures: PaymentSums, all: readonly PaymentSums[]) {
  const whole = all.reduce((sum, { currency, volumeMinor }) => sum + (currency === figures.currency ? volumeMinor : 0), 0);
  return { ...sumsJson(figures), share: rateOf(figures.volumeMinor, whole) };
}

function nothing({ currency, method }: MethodFigures): MethodFigures {
  return { currency, method, volumeMinor: 0, approved: 0, declined: 0 };
}
