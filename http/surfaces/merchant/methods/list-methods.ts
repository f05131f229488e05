import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOf, PORTAL_RATE } from "../surface.ts";
import { METHOD_EXAMPLE, methodOf } from "./method-json.ts";
import { PaymentMethods } from "./schemas.ts";
import { methods } from "./surface.ts";

export const listPaymentMethods = methods.endpoint({
  name: "merchantPaymentMethods",
  method: "GET",
  path: `${MERCHANT_BASE}/payment-methods`,
  summary: "List payment methods",
  description: "Lists the methods that the merchant's partner permits, configured or not.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  responses: {
    200: {
      description: "All permitted methods.",
      body: okOf(PaymentMethods),
      example: { status: "ok", data: { items: [METHOD_EXAMPLE] } },
    },
    ...methods.errors(401, 403, 429, 503),
  },
  handle: async ({ ownMerchant }, { caller }) => {
    const { merchant, permitted } = await ownMerchant.services(merchantOf(caller));
    return { status: 200, body: ok({ items: permitted.map((service) => methodOf(merchant, service)) }) };
  },
});
