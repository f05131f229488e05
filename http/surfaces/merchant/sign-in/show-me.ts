import { ok, okOf } from "../envelope.ts";
import { PORTAL_RATE, userOf } from "../surface.ts";
import { meJson } from "./me-json.ts";
import { Me } from "./schemas.ts";
import { signInSurface } from "./surface.ts";

export const showMe = signInSurface.endpoint({
  name: "showOwnPortalAccount",
  method: "GET",
  path: "/api/merchant/me",
  summary: "Get your account",
  auth: "merchantUser",
  may: "look",
  rateLimit: PORTAL_RATE,
  responses: { 200: { description: "The account.", body: okOf(Me) }, ...signInSurface.errors(401, 403, 429, 503) },
  handle: async ({ ownAccount }, { caller }) => ({ status: 200, body: ok(meJson(await ownAccount.find(userOf(caller)))) }),
});
