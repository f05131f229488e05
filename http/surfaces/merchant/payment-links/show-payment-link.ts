import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { PAYMENT_LINK_EXAMPLE, paymentLinkJson } from "./payment-link-json.ts";
import { PaymentLink } from "./schemas.ts";
import { noSuchLink, PaymentLinkParams, paymentLinks } from "./surface.ts";

export const showPaymentLink = paymentLinks.endpoint({
  name: "showPaymentLink",
  method: "GET",
  path: `${MERCHANT_BASE}/payment-links/{id}`,
  summary: "Get a payment link",
  description:
    "Returns what the relay knows, with the payments that were started by the link. The `uuid` of a payment is the uuid of its transaction.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  params: PaymentLinkParams,
  responses: {
    200: { description: "The link.", body: okOf(PaymentLink), example: { status: "ok", data: PAYMENT_LINK_EXAMPLE } },
    ...paymentLinks.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async (operations, { caller, params }) => {
    const link = await operations.portalLinks.find(merchantOwnerOf(caller), params.id);
    if (link === null) throw noSuchLink();
    return { status: 200, body: ok(await paymentLinkJson(operations, caller, link)) };
  },
});
