import { Type } from "@sinclair/typebox";
import { ok, okOf } from "../envelope.ts";
import { listOf, PAGE_QUERY } from "../schema-parts.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { PAYMENT_LINK_EXAMPLE, paymentLinkList } from "./payment-link-json.ts";
import { paymentLinkFilterOf } from "./payment-link-query.ts";
import { PAYMENT_LINK_FILTERS, PaymentLink } from "./schemas.ts";
import { paymentLinks } from "./surface.ts";

export const listPaymentLinks = paymentLinks.endpoint({
  name: "listPaymentLinks",
  method: "GET",
  path: `${MERCHANT_BASE}/payment-links`,
  summary: "List payment links",
  description:
    "Days are those of the installation's time zone on which a link was created. A page of a filtered list may have fewer items than `limit`, or none, and still have a `next`. Only roles that see personal data may filter by `customerEmail`.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  query: Type.Object({ ...PAYMENT_LINK_FILTERS, ...PAGE_QUERY }),
  responses: {
    200: {
      description: "A page.",
      body: okOf(listOf(PaymentLink)),
      example: { status: "ok", data: { items: [{ ...PAYMENT_LINK_EXAMPLE, qr: null }], next: null } },
    },
    ...paymentLinks.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, query }) => {
    const { limit, cursor = null } = query;
    const filter = { ...paymentLinkFilterOf(query, caller, operations.localTime), limit, cursor };
    const { items, next } = await operations.portalLinks.list(merchantOwnerOf(caller), filter);
    return { status: 200, body: ok({ items: await paymentLinkList(operations, caller, items), next }) };
  },
});
