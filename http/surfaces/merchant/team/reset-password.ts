import { Type } from "@sinclair/typebox";
import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, SIGN_IN_RATE } from "../surface.ts";
import { USED_OR_EXPIRED, usedOrExpired } from "./invitation-token.ts";
import { ResetPassword } from "./schemas.ts";
import { team } from "./surface.ts";

export const resetPassword = team.endpoint({
  name: "portalResetPassword",
  method: "POST",
  path: `${MERCHANT_BASE}/password/reset`,
  summary: "Reset your password by the link of a mail",
  description: "Ends all sessions of the account, and keeps its second factors. The relay informs the person by mail.",
  auth: "none",
  noStepUp: "The token of the mail is the proof, and the second factor stays as it is.",
  rateLimit: SIGN_IN_RATE,
  body: ResetPassword,
  bodyExample: { token: "...", password: "quite another passphrase" },
  responses: {
    200: { description: "The password is set. Sign in with it.", body: okOf(Type.Object({})) },
    ...team.errors(400, 413, 415, 429, 503),
    410: { description: USED_OR_EXPIRED, body: team.envelope.schema },
  },
  handle: async ({ forgottenPasswords, personAudited }, { body, request }) => {
    const outcome = await forgottenPasswords.reset(body.token, body.password);
    switch (outcome.type) {
      case "used_or_expired":
        return usedOrExpired();
      case "password_too_common":
        return refusal(400, "password_too_common", "password: is too easy to guess; choose another one");
      case "done": {
        const { email, merchantIds } = outcome.account;
        personAudited({ action: "account.reset-password", email, merchantIds, ipAddress: request.ipAddress, requestId: request.id });
        return { status: 200, body: ok({}) };
      }
    }
  },
});
