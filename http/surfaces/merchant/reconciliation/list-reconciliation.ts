import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { DaySummary } from "../../../../engine/reconciliation/reconciliation.ts";
import { iso } from "../../../endpoint/time.ts";
import { DAY } from "../../parts/time.ts";
import { ok, okOf } from "../envelope.ts";
import { PAGE_QUERY } from "../schema-parts.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { damagedCursor, dayOfQuery } from "../transaction-query.ts";
import { RECONCILIATION_FILTERS, type ReconciliationItemJson, ReconciliationPage } from "./schemas.ts";
import { reconciliation } from "./surface.ts";

const IS_DAY = new RegExp(DAY.pattern);

export const listReconciliation = reconciliation.endpoint({
  name: "listReconciliation",
  method: "GET",
  path: `${MERCHANT_BASE}/reconciliation`,
  summary: "List closed days",
  description:
    "Lists the closed days with the figures of their closing, newest first. It begins with the merchant's first day with any activity; later days without any are listed without figures.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  query: Type.Object({ ...RECONCILIATION_FILTERS, ...PAGE_QUERY }),
  responses: {
    200: {
      description: "A page.",
      body: okOf(ReconciliationPage),
      example: {
        status: "ok",
        data: {
          items: [
            {
              ...{ day: "2026-11-23", closedAt: "2026-11-25T02:00:01.000Z", unknown: 1, conflicting: 0, corrections: 1 },
              totals: [
                { currency: "EUR", approved: 2, approvedMinor: 3_050, declined: 1, refunds: 1, refundedMinor: 1_050, netMinor: 2_000 },
              ],
            },
          ],
          next: null,
        },
      },
    },
    ...reconciliation.errors(400, 401, 403, 429, 503),
  },
  handle: async ({ reconciliation: days, localTime }, { caller, query: { from, to, limit, cursor, activeOnly = false } }) => {
    if (from !== undefined) dayOfQuery("from", from, localTime);
    if (to !== undefined) dayOfQuery("to", to, localTime);
    if (from !== undefined && to !== undefined && from > to) throw new RelayError("invalid_request", "from: is after to");
    if (cursor !== undefined && !IS_DAY.test(cursor)) throw damagedCursor();
    const asked = { limit, before: cursor ?? null, from: from ?? null, to: to ?? null, activeOnly };
    const { items, next } = await days.days(merchantOwnerOf(caller), asked);
    return { status: 200, body: ok({ items: items.map(itemJson), next }) };
  },
});

function itemJson({ closedAtMs, totals, ...summary }: DaySummary): ReconciliationItemJson {
  return { ...summary, closedAt: closedAtMs === null ? null : iso(closedAtMs), totals: totals.map((total) => ({ ...total })) };
}
