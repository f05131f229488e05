import { Type } from "@sinclair/typebox";
import { ok, okOf } from "../envelope.ts";
import { listOf, PAGE_QUERY } from "../schema-parts.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { boardItemJson, DISPUTE_ITEM_EXAMPLE } from "./dispute-json.ts";
import { disputeFilterOf } from "./dispute-query.ts";
import { DISPUTE_FILTERS, DisputeItem } from "./schemas.ts";
import { disputes } from "./surface.ts";

export const listDisputes = disputes.endpoint({
  name: "listDisputes",
  method: "GET",
  path: `${MERCHANT_BASE}/disputes`,
  summary: "List disputes",
  description:
    "The newest first; with `dueWithinDays` those that are to be answered, the most urgent first. Alerts that are still to be answered are among them with the status `ALERT`, unless `includeAlerts` is false or a `stage` is asked for, which alerts have none. A page of a filtered list may have fewer items than `limit`, or none, and still a `next`.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  query: Type.Object({ ...DISPUTE_FILTERS, ...PAGE_QUERY }),
  responses: {
    200: {
      description: "A page.",
      body: okOf(listOf(DisputeItem)),
      example: { status: "ok", data: { items: [DISPUTE_ITEM_EXAMPLE], next: null } },
    },
    ...disputes.errors(400, 401, 403, 429, 503),
  },
  handle: async ({ disputeBoard, localTime, clock }, { caller, query }) => {
    const { limit, cursor = null } = query;
    const filter = { ...disputeFilterOf(query, localTime, clock.nowMs()), limit, cursor };
    const { items, next } = await disputeBoard.list(merchantOwnerOf(caller), filter);
    return { status: 200, body: ok({ items: items.map(boardItemJson), next }) };
  },
});
