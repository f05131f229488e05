import { Type } from "@sinclair/typebox";
import type { LinkFigures } from "../../../../engine/reports/merchant-reports.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE } from "../surface.ts";
import { answerReport, overPeriod, seriesOf } from "./answer-report.ts";
import { LINKS } from "./definitions.ts";
import { linkSumsJson } from "./figures.ts";
import { COUNTED_EXAMPLE, DAYS_EXAMPLE, EVERY_REPORT, LINK_SUMS_EXAMPLE, POINT_EXAMPLE } from "./report-text.ts";
import { CURRENCY_QUERY, GRANULARITY_QUERY, LinksReport, RANGE_QUERY } from "./schemas.ts";
import { analytics, REPORT_DEADLINE_MS } from "./surface.ts";

const FIGURES_EXAMPLE = { currency: "EUR", ...LINK_SUMS_EXAMPLE, late: 0, pending: 2, medianMinutesToPay: 12.5 };

export const linksReport = analytics.endpoint({
  name: "linksReport",
  method: "GET",
  path: `${MERCHANT_BASE}/analytics/links`,
  summary: "Get the report of payment links",
  description: `The outcomes of the payment links created in the period, and the time until they were paid. ${EVERY_REPORT}`,
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: REPORT_DEADLINE_MS,
  query: Type.Object({ ...RANGE_QUERY, ...GRANULARITY_QUERY, ...CURRENCY_QUERY }),
  responses: {
    200: {
      description: "The figures.",
      body: okOf(LinksReport),
      example: {
        status: "ok",
        data: {
          ...DAYS_EXAMPLE,
          granularity: "day",
          series: [{ ...POINT_EXAMPLE, figures: [FIGURES_EXAMPLE] }],
          totals: [FIGURES_EXAMPLE],
          creators: [{ creator: "user", currency: "EUR", ...LINK_SUMS_EXAMPLE }],
          ...COUNTED_EXAMPLE,
          definitions: { conversionRate: LINKS.conversionRate },
        },
      },
    },
    ...analytics.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, query, request }) => {
    const { localTime } = operations;
    const answer = await answerReport(operations, { caller, query, request }, "links", LINKS, {
      queryOf: (period) => overPeriod(query, period),
      membersOf: ({ buckets, totals, creators }, period) => ({
        ...seriesOf({ ...{ period, localTime, buckets, totals, nothing }, keyOf: ({ currency }) => currency, json: figuresJson }),
        creators: creators.map((figures) => ({ creator: figures.creator, currency: figures.currency, ...linkSumsJson(figures) })),
      }),
    });
    return { status: 200, body: ok(answer) };
  },
});

function nothing({ currency }: LinkFigures): LinkFigures {
  const none = { created: 0, createdMinor: 0, paid: 0, paidMinor: 0, late: 0, cancelled: 0, expired: 0, pending: 0 };
  return { currency, ...none, medianMinutesToPay: null };
}

function figuresJson(figures: LinkFigures) {
  const { currency, late, pending, medianMinutesToPay } = figures;
  return { currency, ...linkSumsJson(figures), late, pending, medianMinutesToPay };
}
