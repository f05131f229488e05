import { Type } from "@sinclair/typebox";
import { listEndpoint } from "../resource-endpoints.ts";
import { PAGE_QUERY } from "../schema-parts.ts";
import { rangeOfQuery } from "../transaction-query.ts";
import { ALERT_FILTERS, alert } from "./schemas.ts";
import { alertContext, alerts } from "./surface.ts";

export const listAlerts = listEndpoint(alerts, {
  name: "listAlerts",
  path: "/alerts",
  summary: "List alerts",
  description:
    "Lists the newest alerts first, unless `order` is `due`. A page of a filtered list may have fewer items than `limit`, or none, and still have a `next`.",
  query: Type.Object({ ...ALERT_FILTERS, ...PAGE_QUERY }),
  item: alert,
  page: ({ alerts: ofMerchant, localTime }, owner, query) => {
    const { state = null, source = null, currency = null, order = "newest", limit, cursor = null } = query;
    const { fromMs = null, untilMs = null } = rangeOfQuery(query, localTime);
    return ofMerchant.list(owner, { limit, cursor, order, state, source, currency, fromMs, beforeMs: untilMs });
  },
  context: alertContext,
});
