import { Type } from "@sinclair/typebox";
import { listEndpoint } from "../resource-endpoints.ts";
import { PAGE_QUERY } from "../schema-parts.ts";
import { SUBSCRIPTION_FILTERS, subscription } from "./schemas.ts";
import { subscriptionFilterOf } from "./subscription-query.ts";
import { subscriptionContext, subscriptions } from "./surface.ts";

export const listSubscriptions = listEndpoint(subscriptions, {
  name: "listSubscriptions",
  path: "/subscriptions",
  summary: "List subscriptions",
  description:
    "Newest first. Days are those of the installation's time zone on which a subscription was created. A page of a filtered list may have fewer items than `limit`, or none, and still have a `next`. Only roles that see personal data may filter by `customerEmail`.",
  query: Type.Object({ ...SUBSCRIPTION_FILTERS, ...PAGE_QUERY }),
  item: subscription.item,
  page: ({ subscriptions: ofMerchant, localTime }, owner, query, caller) => {
    const { limit, cursor = null } = query;
    return ofMerchant.list(owner, { ...subscriptionFilterOf(query, caller, localTime), limit, cursor });
  },
  context: subscriptionContext,
});
