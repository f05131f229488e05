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
    "Lists the newest disputes first. With `dueWithinDays` it lists only disputes that need a response, the most urgent first. The list includes alerts that need an answer, with the status `ALERT`, unless `includeAlerts` is false or `stage` is given (alerts have no stage). A page of a filtered list may have fewer items than `limit`, or none, and still have a `next`.",
  query: Type.Object({ ...DISPUTE_FILTERS, ...PAGE_QUERY }),
  item: disputeItem,
  page: async ({ disputeBoard, localTime, clock }, owner, query) => {
    const { limit, cursor = null } = query;
    const { items, next } = await disputeBoard.list(owner, { ...disputeFilterOf(query, localTime, clock.nowMs()), limit, cursor });
    return { items: items.map(itemOf), next };
  },
  context: (_, caller) => ({ caller }),
});
