import { clientOf } from "../../parts/factor-proof.ts";
import { ClientHeaders } from "../../parts/factor-schemas.ts";
import { ok, okOf, refusal } from "../envelope.ts";
import { SIGN_IN_RATE, userOf } from "../surface.ts";
import { meJson } from "./me-json.ts";
import { Me, PasswordChange } from "./schemas.ts";
import { signInSurface } from "./surface.ts";

export const changePassword = signInSurface.endpoint({
  name: "changeOwnPortalPassword",
  method: "POST",
  path: "/api/merchant/me/password",
  summary: "Update your portal password",
  description: "Ends all other sessions of the account. The person is told by mail.",
  auth: "merchantUser",
  may: "look",
  stepUp: true,
  rateLimit: SIGN_IN_RATE,
  headers: ClientHeaders,
  body: PasswordChange,
  bodyExample: { password: "a long and secret sentence", newPassword: "another long and secret sentence" },
  audit: { action: "account.change-password", subject: ({ caller }) => userOf(caller).email },
  responses: { 200: { description: "It was changed.", body: okOf(Me) }, ...signInSurface.errors(400, 401, 403, 429, 503) },
  handle: async ({ ownAccount }, { body, headers, request, caller }) => {
    const own = userOf(caller);
    const outcome = await ownAccount.changePassword(own, body, clientOf(request, headers));
    if (outcome === "invalid") return refusal(403, "invalid_login", "The present password is not right");
    if (outcome === "common") return refusal(400, "password_too_common", "This password is too easy to guess; choose another one");
    return { status: 200, body: ok(meJson(await ownAccount.find(own))) };
  },
});
