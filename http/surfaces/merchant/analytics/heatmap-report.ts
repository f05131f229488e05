import { Type } from "@sinclair/typebox";
import type { HeatmapReport as HeatmapCounted } from "../../../../engine/reports/merchant-reports.ts";
import { daysAfter } from "../../parts/time.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE } from "../surface.ts";
import { answerReport, overPeriod } from "./answer-report.ts";
import { clockOffsets, weekdayOf } from "./buckets.ts";
import { HEATMAP } from "./definitions.ts";
import { sumsJson } from "./figures.ts";
import type { Period } from "./periods.ts";
import { COUNTED_EXAMPLE, DAYS_EXAMPLE, EVERY_REPORT, SUMS_EXAMPLE } from "./report-text.ts";
import { HeatmapReport, PAYMENT_QUERY, RANGE_QUERY } from "./schemas.ts";
import { analytics, REPORT_DEADLINE_MS } from "./surface.ts";

const FIGURES_EXAMPLE = { currency: "EUR", ...SUMS_EXAMPLE };

export const heatmapReport = analytics.endpoint({
  name: "heatmapReport",
  method: "GET",
  path: `${MERCHANT_BASE}/analytics/heatmap`,
  summary: "Get the report of payments by hour and weekday",
  description: `What was taken in each hour of the clock on each day of the week. Lists have no filter by hours: no list is equal to a figure but to those of \`totals\`. ${EVERY_REPORT}`,
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: REPORT_DEADLINE_MS,
  query: Type.Object({ ...RANGE_QUERY, ...PAYMENT_QUERY }),
  responses: {
    200: {
      description: "The figures.",
      body: okOf(HeatmapReport),
      example: {
        status: "ok",
        data: {
          ...DAYS_EXAMPLE,
          series: [{ weekday: 3, hour: 9, days: 1, figures: [FIGURES_EXAMPLE] }],
          totals: [FIGURES_EXAMPLE],
          ...COUNTED_EXAMPLE,
          definitions: { approvalRate: HEATMAP.approvalRate },
        },
      },
    },
    ...analytics.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, query, request }) => {
    const answer = await answerReport(operations, { caller, query, request }, "heatmap", HEATMAP, {
      queryOf: (period) => {
        const { edges, ...filter } = overPeriod(query, period);
        const [fromMs = 0, untilMs = fromMs] = [edges[0], edges.at(-1)];
        return { ...filter, fromMs, untilMs, offsets: clockOffsets(fromMs, untilMs, operations.localTime) };
      },
      membersOf: cellsOf,
    });
    return { status: 200, body: ok(answer) };
  },
});

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7];
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

function cellsOf({ cells, totals }: HeatmapCounted, { from, to }: Period) {
  const found = new Map(cells.map((cell) => [`${cell.weekday} ${cell.hour} ${cell.currency}`, cell]));
  const days = new Map<number, number>();
  for (let day = from; day <= to; day = daysAfter(day, 1)) days.set(weekdayOf(day), (days.get(weekdayOf(day)) ?? 0) + 1);
  const nothing = { volumeMinor: 0, approved: 0, declined: 0 };
  return {
    series: WEEKDAYS.flatMap((weekday) =>
      HOURS.map((hour) => ({
        ...{ weekday, hour, days: days.get(weekday) ?? 0 },
        figures: totals.map(({ currency }) => {
          return { currency, ...sumsJson(found.get(`${weekday} ${hour} ${currency}`) ?? { currency, ...nothing }) };
        }),
      })),
    ),
    totals: totals.map((figures) => ({ currency: figures.currency, ...sumsJson(figures) })),
  };
}
