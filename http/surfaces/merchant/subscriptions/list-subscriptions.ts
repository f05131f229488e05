import { Type } from "@sinclair/typebox";
import { ok, okOf } from "../envelope.ts";
import { PAGE_QUERY } from "../schema-parts.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { SUBSCRIPTION_FILTERS, SubscriptionPage } from "./schemas.ts";
import { SUBSCRIPTION_EXAMPLE, subscriptionList } from "./subscription-json.ts";
import { subscriptionFilterOf } from "./subscription-query.ts";
import { subscriptions } from "./surface.ts";

export const listSubscriptions = subscriptions.endpoint({
  name: "listSubscriptions",
  method: "GET",
  path: `${MERCHANT_BASE}/subscriptions`,
  summary: "List subscriptions",
  description:
    "Newest first. Days are those of the installation's time zone on which a subscription was created. A page of a filtered list may have fewer items than `limit`, or none, and still have a `next`. Only roles that see personal data may filter by `customerEmail`.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  query: Type.Object({ ...SUBSCRIPTION_FILTERS, ...PAGE_QUERY }),
  responses: {
    200: {
      description: "A page.",
      body: okOf(SubscriptionPage),
      example: { status: "ok", data: { items: [SUBSCRIPTION_EXAMPLE], next: null } },
    },
    ...subscriptions.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, query }) => {
    const { limit, cursor = null } = query;
    const filter = { ...subscriptionFilterOf(query, caller, operations.localTime), limit, cursor };
    const { items, next } = await operations.subscriptions.list(merchantOwnerOf(caller), filter);
    return { status: 200, body: ok({ items: await subscriptionList(operations, caller, items), next }) };
  },
});
