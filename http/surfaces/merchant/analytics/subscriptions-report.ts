import { Type } from "@sinclair/typebox";
import type { SubscriptionFigures } from "../../../../engine/reports/merchant-reports.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE } from "../surface.ts";
import { answerReport, overPeriod, seriesOf } from "./answer-report.ts";
import { SUBSCRIPTIONS } from "./definitions.ts";
import { rateOf } from "./figures.ts";
import { COUNTED_EXAMPLE, DAYS_EXAMPLE, EVERY_REPORT, POINT_EXAMPLE } from "./report-text.ts";
import { CURRENCY_QUERY, GRANULARITY_QUERY, RANGE_QUERY, SubscriptionsReport } from "./schemas.ts";
import { analytics, REPORT_DEADLINE_MS } from "./surface.ts";

const FIGURES_EXAMPLE = {
  ...{ currency: "EUR", active: 100, mrrMinor: 190000, activeBefore: 100, mrrBeforeMinor: 189000, started: 4, startedMrrMinor: 8000 },
  ...{ churnedVoluntary: 3, churnedVoluntaryMrrMinor: 6000, voluntaryChurnRate: 0.03 },
  ...{ churnedDunning: 1, churnedDunningMrrMinor: 1000, dunningChurnRate: 0.01 },
  ...{ failedCycles: 8, recoveredCycles: 6, recoveryRate: 0.75, medianDaysToRecover: 3 },
};

export const subscriptionsReport = analytics.endpoint({
  name: "subscriptionsReport",
  method: "GET",
  path: `${MERCHANT_BASE}/analytics/subscriptions`,
  summary: "Get the report of subscriptions",
  description: `Monthly recurring revenue at the end of each part of the period, subscriptions that began and ended in it, and failed cycles that were recovered. ${EVERY_REPORT}`,
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: REPORT_DEADLINE_MS,
  query: Type.Object({ ...RANGE_QUERY, ...GRANULARITY_QUERY, ...CURRENCY_QUERY }),
  responses: {
    200: {
      description: "The figures.",
      body: okOf(SubscriptionsReport),
      example: {
        status: "ok",
        data: {
          ...DAYS_EXAMPLE,
          granularity: "day",
          series: [{ ...POINT_EXAMPLE, figures: [FIGURES_EXAMPLE] }],
          totals: [FIGURES_EXAMPLE],
          ...COUNTED_EXAMPLE,
          definitions: { mrrMinor: SUBSCRIPTIONS.mrrMinor },
        },
      },
    },
    ...analytics.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, query, request }) => {
    const { localTime } = operations;
    const answer = await answerReport(operations, { caller, query, request }, "subscriptions", SUBSCRIPTIONS, {
      queryOf: (period) => overPeriod(query, period),
      membersOf: ({ buckets, totals }, period) =>
        seriesOf({ ...{ period, localTime, buckets, totals, nothing }, keyOf: ({ currency }) => currency, json: figuresJson }),
    });
    return { status: 200, body: ok(answer) };
  },
});

function nothing({ currency }: SubscriptionFigures): SubscriptionFigures {
  return {
    ...{ currency, active: 0, mrrMinor: 0, activeBefore: 0, mrrBeforeMinor: 0, started: 0, startedMrrMinor: 0 },
    ...{ churnedVoluntary: 0, churnedVoluntaryMrrMinor: 0, churnedDunning: 0, churnedDunningMrrMinor: 0 },
    ...{ failedCycles: 0, recoveredCycles: 0, medianDaysToRecover: null },
  };
}

function figuresJson(figures: SubscriptionFigures) {
  const { activeBefore, churnedVoluntary, churnedDunning, failedCycles, recoveredCycles } = figures;
  return {
    ...figures,
    voluntaryChurnRate: rateOf(churnedVoluntary, activeBefore),
    dunningChurnRate: rateOf(churnedDunning, activeBefore),
    recoveryRate: rateOf(recoveredCycles, failedCycles),
  };
}
