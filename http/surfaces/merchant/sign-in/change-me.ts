import { ok, okOf } from "../envelope.ts";
import { PORTAL_RATE, userOf } from "../surface.ts";
import { meJson } from "./me-json.ts";
import { Me, MeChange } from "./schemas.ts";
import { signInSurface } from "./surface.ts";

/** Leaves room for 160 saved views with queries of a kilobyte. */
const ME_BYTES_MAX = 262_144;

export const changeMe = signInSurface.endpoint({
  name: "changeOwnPortalAccount",
  method: "PATCH",
  path: "/api/merchant/me",
  summary: "Update your account",
  auth: "merchantUser",
  may: "look",
  noStepUp: "Language, appearance and saved views are the person's own, and open nothing.",
  rateLimit: PORTAL_RATE,
  bodyBytesMax: ME_BYTES_MAX,
  body: MeChange,
  bodyExample: { locale: "en", theme: "dark" },
  audit: { action: "account.change", subject: ({ caller }) => userOf(caller).email },
  responses: { 200: { description: "The account.", body: okOf(Me) }, ...signInSurface.errors(400, 401, 403, 409, 429, 503) },
  handle: async ({ ownAccount }, { body, caller }) => ({ status: 200, body: ok(meJson(await ownAccount.change(userOf(caller), body))) }),
});
