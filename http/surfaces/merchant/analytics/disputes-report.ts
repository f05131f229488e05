import { Type } from "@sinclair/typebox";
import type { DisputeCategoryFigures, DisputeFigures } from "../../../../engine/reports/merchant-reports.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE } from "../surface.ts";
import { answerReport, overPeriod, seriesOf } from "./answer-report.ts";
import { DISPUTES } from "./definitions.ts";
import { rateOf } from "./figures.ts";
import { COUNTED_EXAMPLE, DAYS_EXAMPLE, EVERY_REPORT, POINT_EXAMPLE } from "./report-text.ts";
import { CURRENCY_QUERY, DisputesReport, GRANULARITY_QUERY, RANGE_QUERY } from "./schemas.ts";
import { analytics, REPORT_DEADLINE_MS } from "./surface.ts";

const OUTCOMES_EXAMPLE = { received: 4, receivedMinor: 20000, won: 1, lost: 1, expired: 0, winRate: 0.5 };
const FIGURES_EXAMPLE = {
  ...{ currency: "EUR", ...OUTCOMES_EXAMPLE, cardPayments: 1000, cardVolumeMinor: 2500000, rate: 0.004, amountRate: 0.008 },
  ...{ alerts: 4, alertsMinor: 12000, alertsRefunded: 2, alertsPrevented: 1, alertsDeclined: 1, alertsInvalid: 0 },
  ...{ preventionRate: 0.75, alertsEscalated: 1 },
};

export const disputesReport = analytics.endpoint({
  name: "disputesReport",
  method: "GET",
  path: `${MERCHANT_BASE}/analytics/disputes`,
  summary: "Get the report of disputes and alerts",
  description: `The outcomes of the disputes and alerts received in the period, compared with the period's card payments. ${EVERY_REPORT}`,
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: REPORT_DEADLINE_MS,
  query: Type.Object({ ...RANGE_QUERY, ...GRANULARITY_QUERY, ...CURRENCY_QUERY }),
  responses: {
    200: {
      description: "The figures.",
      body: okOf(DisputesReport),
      example: {
        status: "ok",
        data: {
          ...DAYS_EXAMPLE,
          granularity: "day",
          series: [{ ...POINT_EXAMPLE, figures: [FIGURES_EXAMPLE] }],
          totals: [FIGURES_EXAMPLE],
          categories: [{ category: "FRAUD", currency: "EUR", ...OUTCOMES_EXAMPLE }],
          ...COUNTED_EXAMPLE,
          definitions: { winRate: DISPUTES.winRate },
        },
      },
    },
    ...analytics.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, query, request }) => {
    const { localTime } = operations;
    const answer = await answerReport(operations, { caller, query, request }, "disputes", DISPUTES, {
      queryOf: (period) => overPeriod(query, period),
      membersOf: ({ buckets, totals, categories }, period) => ({
        ...seriesOf({ ...{ period, localTime, buckets, totals, nothing }, keyOf: ({ currency }) => currency, json: figuresJson }),
        categories: categories.map((figures) => ({ category: figures.category, currency: figures.currency, ...outcomesJson(figures) })),
      }),
    });
    return { status: 200, body: ok(answer) };
  },
});

function nothing({ currency }: DisputeFigures): DisputeFigures {
  return {
    ...{ currency, received: 0, receivedMinor: 0, won: 0, lost: 0, expired: 0, cardPayments: 0, cardVolumeMinor: 0 },
    ...{ alerts: 0, alertsMinor: 0, alertsRefunded: 0, alertsPrevented: 0, alertsDeclined: 0, alertsInvalid: 0, alertsEscalated: 0 },
  };
}

function outcomesJson({ received, receivedMinor, won, lost, expired }: Omit<DisputeCategoryFigures, "category">) {
  return { received, receivedMinor, won, lost, expired, winRate: rateOf(won, won + lost + expired) };
}

function figuresJson(figures: DisputeFigures) {
  const { currency, received, receivedMinor, cardPayments, cardVolumeMinor } = figures;
  const { alerts, alertsMinor, alertsRefunded, alertsPrevented, alertsDeclined, alertsInvalid, alertsEscalated } = figures;
  const prevented = alertsRefunded + alertsPrevented;
  return {
    ...{ currency, ...outcomesJson(figures), cardPayments, cardVolumeMinor },
    ...{ rate: rateOf(received, cardPayments), amountRate: rateOf(receivedMinor, cardVolumeMinor) },
    ...{ alerts, alertsMinor, alertsRefunded, alertsPrevented, alertsDeclined, alertsInvalid, alertsEscalated },
    preventionRate: rateOf(prevented, prevented + alertsDeclined),
  };
}
