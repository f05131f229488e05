import { Type } from "@sinclair/typebox";
import type { PaymentFigures } from "../../../../engine/reports/merchant-reports.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE } from "../surface.ts";
import { answerReport, overPeriod, seriesOf } from "./answer-report.ts";
import { PAYMENTS } from "./definitions.ts";
import { sumsJson } from "./figures.ts";
import { COUNTED_EXAMPLE, DAYS_EXAMPLE, EVERY_REPORT, POINT_EXAMPLE, SUMS_EXAMPLE } from "./report-text.ts";
import { GRANULARITY_QUERY, PAYMENT_QUERY, PaymentsReport, RANGE_QUERY } from "./schemas.ts";
import { analytics, REPORT_DEADLINE_MS } from "./surface.ts";

const FIGURES_EXAMPLE = { currency: "EUR", ...SUMS_EXAMPLE, refunds: 1, refundedMinor: 5000, netMinor: 100000 };

export const paymentsReport = analytics.endpoint({
  name: "paymentsReport",
  method: "GET",
  path: `${MERCHANT_BASE}/analytics/payments`,
  summary: "Get the report of payments",
  description: `Volume, approval rate, average ticket, refunds and net. ${EVERY_REPORT}`,
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: REPORT_DEADLINE_MS,
  query: Type.Object({ ...RANGE_QUERY, ...GRANULARITY_QUERY, ...PAYMENT_QUERY }),
  responses: {
    200: {
      description: "The figures.",
      body: okOf(PaymentsReport),
      example: {
        status: "ok",
        data: {
          ...DAYS_EXAMPLE,
          granularity: "day",
          series: [{ ...POINT_EXAMPLE, figures: [FIGURES_EXAMPLE] }],
          totals: [FIGURES_EXAMPLE],
          ...COUNTED_EXAMPLE,
          definitions: { netMinor: PAYMENTS.netMinor },
        },
      },
    },
    ...analytics.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, query, request }) => {
    const { localTime } = operations;
    const answer = await answerReport(operations, { caller, query, request }, "payments", PAYMENTS, {
      queryOf: (period) => overPeriod(query, period),
      membersOf: ({ buckets, totals }, period) =>
        seriesOf({ period, localTime, buckets, totals, keyOf: ({ currency }) => currency, nothing, json: figuresJson }),
    });
    return { status: 200, body: ok(answer) };
  },
});

function nothing({ currency }: PaymentFigures): PaymentFigures {
  return { currency, volumeMinor: 0, approved: 0, declined: 0, refunds: 0, refundedMinor: 0 };
}

function figuresJson(figures: PaymentFigures) {
  const { currency, refunds, refundedMinor, volumeMinor } = figures;
  return { currency, ...sumsJson(figures), refunds, refundedMinor, netMinor: volumeMinor - refundedMinor };
}
