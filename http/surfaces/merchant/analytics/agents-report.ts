import { Type } from "@sinclair/typebox";
import type { RefusedAgent } from "../../../../engine/reports/agent-refusals.ts";
import type { LinkSums } from "../../../../engine/reports/merchant-reports.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { answerReport, overPeriod, seriesOf } from "./answer-report.ts";
import { AGENTS } from "./definitions.ts";
import { linkSumsJson } from "./figures.ts";
import { COUNTED_EXAMPLE, DAYS_EXAMPLE, EVERY_REPORT, LINK_SUMS_EXAMPLE, POINT_EXAMPLE } from "./report-text.ts";
import { AgentsReport, CURRENCY_QUERY, GRANULARITY_QUERY, RANGE_QUERY } from "./schemas.ts";
import { analytics, REPORT_DEADLINE_MS } from "./surface.ts";

const FIGURES_EXAMPLE = { currency: "EUR", ...LINK_SUMS_EXAMPLE };

export const agentsReport = analytics.endpoint({
  name: "agentsReport",
  method: "GET",
  path: `${MERCHANT_BASE}/analytics/agents`,
  summary: "Get the report of AI agents",
  description: `The outcomes of the payment links that AI agents created in the period, and what the limits of their credentials have rejected since these were created. ${EVERY_REPORT}`,
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: REPORT_DEADLINE_MS,
  query: Type.Object({ ...RANGE_QUERY, ...GRANULARITY_QUERY, ...CURRENCY_QUERY }),
  responses: {
    200: {
      description: "The figures.",
      body: okOf(AgentsReport),
      example: {
        status: "ok",
        data: {
          ...DAYS_EXAMPLE,
          granularity: "day",
          series: [{ ...POINT_EXAMPLE, figures: [FIGURES_EXAMPLE] }],
          totals: [FIGURES_EXAMPLE],
          credentials: [{ credentialId: "ac_q8sZk2WfH0bLx4TnV6yCr1Ed", ...FIGURES_EXAMPLE }],
          ...COUNTED_EXAMPLE,
          definitions: { refused: AGENTS.refused },
          refusals: [{ credentialId: "ac_q8sZk2WfH0bLx4TnV6yCr1Ed", name: "Shop assistant", limit: "perLinkMax", refused: 2 }],
        },
      },
    },
    ...analytics.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, query, request }) => {
    const { localTime, agentRefusals } = operations;
    const [answer, agents] = await Promise.all([
      answerReport(operations, { caller, query, request }, "agents", AGENTS, {
        queryOf: (period) => overPeriod(query, period),
        membersOf: ({ buckets, totals, credentials }, period) => ({
          ...seriesOf({ ...{ period, localTime, buckets, totals, nothing }, keyOf: ({ currency }) => currency, json: figuresJson }),
          credentials: credentials.map((figures) => ({ credentialId: figures.credentialId, ...figuresJson(figures) })),
        }),
      }),
      agentRefusals.of(merchantOwnerOf(caller)),
    ]);
    return { status: 200, body: ok({ ...answer, refusals: agents.flatMap(refusalsOf) }) };
  },
});

function nothing({ currency }: LinkSums): LinkSums {
  return { currency, created: 0, createdMinor: 0, paid: 0, paidMinor: 0, cancelled: 0, expired: 0 };
}

function figuresJson(figures: LinkSums) {
  return { currency: figures.currency, ...linkSumsJson(figures) };
}

function refusalsOf({ credentialId, name, refused }: RefusedAgent) {
  return Object.entries(refused)
    .filter(([, count]) => count > 0)
    .map(([limit, count]) => ({ credentialId, name, limit, refused: count }));
}
