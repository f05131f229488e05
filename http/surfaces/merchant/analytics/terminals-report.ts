import { Type } from "@sinclair/typebox";
import type { PaymentSums, TerminalFigures } from "../../../../engine/reports/merchant-reports.ts";
import { iso } from "../../../endpoint/time.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE } from "../surface.ts";
import { answerReport, overPeriod, seriesOf } from "./answer-report.ts";
import { TERMINALS } from "./definitions.ts";
import { sumsJson } from "./figures.ts";
import { COUNTED_EXAMPLE, DAYS_EXAMPLE, EVERY_REPORT, POINT_EXAMPLE, SUMS_EXAMPLE } from "./report-text.ts";
import { GRANULARITY_QUERY, PAYMENT_QUERY, RANGE_QUERY, TerminalsReport } from "./schemas.ts";
import { analytics, REPORT_DEADLINE_MS } from "./surface.ts";

const FIGURES_EXAMPLE = { currency: "EUR", ...SUMS_EXAMPLE };

export const terminalsReport = analytics.endpoint({
  name: "terminalsReport",
  method: "GET",
  path: `${MERCHANT_BASE}/analytics/terminals`,
  summary: "Get the report of terminals",
  description: `The payments of each terminal, and the number of active terminals. ${EVERY_REPORT}`,
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: REPORT_DEADLINE_MS,
  query: Type.Object({ ...RANGE_QUERY, ...GRANULARITY_QUERY, ...PAYMENT_QUERY }),
  responses: {
    200: {
      description: "The figures.",
      body: okOf(TerminalsReport),
      example: {
        status: "ok",
        data: {
          ...DAYS_EXAMPLE,
          granularity: "day",
          series: [{ ...POINT_EXAMPLE, activeTerminals: 1, figures: [FIGURES_EXAMPLE] }],
          totals: [FIGURES_EXAMPLE],
          activeTerminals: 1,
          terminals: [{ terminalId: "SIM00001", ...FIGURES_EXAMPLE, lastAt: "2026-11-25T17:31:08.000Z" }],
          ...COUNTED_EXAMPLE,
          definitions: { activeTerminals: TERMINALS.activeTerminals },
        },
      },
    },
    ...analytics.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, query, request }) => {
    const { localTime } = operations;
    const answer = await answerReport(operations, { caller, query, request }, "terminals", TERMINALS, {
      queryOf: (period) => overPeriod(query, period),
      membersOf: ({ buckets, totals, activeTerminals, activeTerminalsInAll, terminals }, period) => {
        const { series, ...rest } = seriesOf({
          ...{ period, localTime, buckets, totals, nothing },
          keyOf: ({ currency }) => currency,
          json: (figures: PaymentSums) => ({ currency: figures.currency, ...sumsJson(figures) }),
        });
        return {
          ...rest,
          series: series.map((point, index) => ({ ...point, activeTerminals: activeTerminals[index] ?? 0 })),
          activeTerminals: activeTerminalsInAll,
          terminals: terminals.map(terminalJson),
        };
      },
    });
    return { status: 200, body: ok(answer) };
  },
});

function terminalJson(figures: TerminalFigures) {
  const { terminalId, currency, lastAtMs } = figures;
  return { terminalId, currency, ...sumsJson(figures), lastAt: iso(lastAtMs) };
}

function nothing({ currency }: PaymentSums): PaymentSums {
  return { currency, volumeMinor: 0, approved: 0, declined: 0 };
}
