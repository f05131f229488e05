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
    "Returns the keys of the merchant's current environment, and in `other` those of the other one: the publishable key, and the beginning of the secret key, because the relay stores only a digest of it. `pending`: keys that the merchant's partner requested; an owner can confirm or reject them before they replace the current ones.",
  auth: "merchantUser",
  may: "administer keys",
  rateLimit: PORTAL_RATE,
  responses: {
    200: {
      description: "The current pairs.",
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
