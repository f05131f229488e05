import { Type } from "@sinclair/typebox";
import { ok, okOf } from "../envelope.ts";
import { listOf, PAGE_QUERY } from "../schema-parts.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { rangeOfQuery } from "../transaction-query.ts";
import { ALERT_EXAMPLE, alertList } from "./alert-json.ts";
import { ALERT_FILTERS, Alert } from "./schemas.ts";
import { alerts } from "./surface.ts";

export const listAlerts = alerts.endpoint({
  name: "listAlerts",
  method: "GET",
  path: `${MERCHANT_BASE}/alerts`,
  summary: "List alerts",
  description:
    "The newest first, unless `order` is `due`. A page of a filtered list may have fewer items than `limit`, or none, and still a `next`.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  query: Type.Object({ ...ALERT_FILTERS, ...PAGE_QUERY }),
  responses: {
    200: {
      description: "A page.",
      body: okOf(listOf(Alert)),
      example: { status: "ok", data: { items: [ALERT_EXAMPLE], next: null } },
    },
    ...alerts.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, query }) => {
    const { state = null, source = null, currency = null, order = "newest", limit, cursor = null } = query;
    const { fromMs = null, untilMs = null } = rangeOfQuery(query, operations.localTime);
    const filter = { limit, cursor, order, state, source, currency, fromMs, beforeMs: untilMs };
    const { items, next } = await operations.alerts.list(merchantOwnerOf(caller), filter);
    return { status: 200, body: ok({ items: await alertList(operations, caller, items), next }) };
  },
});
