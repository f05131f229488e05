import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE, userOf } from "../surface.ts";
import { KEYS_EXAMPLE, keysJson } from "./keys-json.ts";
import { Keys } from "./schemas.ts";
import { methods } from "./surface.ts";

export const showKeys = methods.endpoint({
  name: "portalShowKeys",
  method: "GET",
  path: `${MERCHANT_BASE}/keys`,
  summary: "Get the API keys of the merchant",
  description:
    "The keys of the environment that the merchant is in, and in `other` those of the other one: the publishable key, and of the secret key its beginning: the relay keeps a digest of it. `pending`: keys that the merchant's partner asked for; an owner can confirm or refuse them before they replace the present ones.",
  auth: "merchantUser",
  may: "administer keys",
  rateLimit: PORTAL_RATE,
  responses: {
    200: {
      description: "The present pairs.",
      body: okOf(Keys),
      example: { status: "ok", data: KEYS_EXAMPLE },
    },
    ...methods.errors(401, 403, 429, 503),
  },
  handle: async ({ ownMerchant }, { caller }) => ({
    status: 200,
    body: ok(keysJson(await ownMerchant.find(userOf(caller).merchantId))),
  }),
});
