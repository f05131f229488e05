import { Type } from "@sinclair/typebox";
import { listEndpoint } from "../resource-endpoints.ts";
import { PAGE_QUERY } from "../schema-parts.ts";
import { disputeFilterOf } from "./dispute-query.ts";
import { DISPUTE_FILTERS, disputeItem, itemOf } from "./schemas.ts";
import { disputes } from "./surface.ts";

export const listDisputes = listEndpoint(disputes, {
  name: "listDisputes",
  path: "/disputes",
  summary: "List disputes",
  description:
    "The newest first; with `dueWithinDays` those that are to be answered, the most urgent first. Alerts that are still to be answered are among them with the status `ALERT`, unless `includeAlerts` is false or a `stage` is asked for, which alerts have none. A page of a filtered list may have fewer items than `limit`, or none, and still a `next`.",
  query: Type.Object({ ...DISPUTE_FILTERS, ...PAGE_QUERY }),
  item: disputeItem,
  page: async ({ disputeBoard, localTime, clock }, owner, query) => {
    const { limit, cursor = null } = query;
    const { items, next } = await disputeBoard.list(owner, { ...disputeFilterOf(query, localTime, clock.nowMs()), limit, cursor });
    return { items: items.map(itemOf), next };
  },
  context: (_, caller) => ({ caller }),
});
