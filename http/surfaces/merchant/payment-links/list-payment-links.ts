import { Type } from "@sinclair/typebox";
import { sortOf } from "../list-filters.ts";
import { listEndpoint } from "../resource-endpoints.ts";
import { PAGE_QUERY } from "../schema-parts.ts";
import { BY_CREATION } from "../sorts.ts";
import { paymentLinkFilterOf } from "./payment-link-query.ts";
import { PAYMENT_LINK_FILTERS, paymentLink } from "./schemas.ts";
import { paymentLinkContext, paymentLinks } from "./surface.ts";

export const listPaymentLinks = listEndpoint(paymentLinks, {
  name: "listPaymentLinks",
  path: "/payment-links",
  summary: "List payment links",
  description:
    "Days are those of the installation's time zone on which a link was created. A page of a filtered list may have fewer items than `limit`, or none, and still have a `next`. Only roles that see personal data may filter by `customerEmail`.",
  query: Type.Object({ ...PAYMENT_LINK_FILTERS, ...sortOf(BY_CREATION), ...PAGE_QUERY }),
  item: { ...paymentLink, example: { ...paymentLink.example, qr: null } },
  page: ({ portalLinks, localTime }, owner, query, caller) => {
    const { limit, cursor = null, sort: order = "newest" } = query;
    return portalLinks.list(owner, { ...paymentLinkFilterOf(query, caller, localTime), limit, cursor, order });
  },
  context: paymentLinkContext,
});
