import { Type } from "@sinclair/typebox";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, SIGN_IN_RATE } from "../surface.ts";
import { ForgotPassword } from "./schemas.ts";
import { team } from "./surface.ts";

export const forgotPassword = team.endpoint({
  name: "portalForgotPassword",
  method: "POST",
  path: `${MERCHANT_BASE}/password/forgot`,
  summary: "Send a mail for a new password",
  description:
    "If there is an account with this address, the relay sends it a mail with a link that works once, for an hour; it sends at most three mails an hour. The response, and the time that it takes, is the same if there is no account.",
  auth: "none",
  noStepUp: "It only sends a mail to the address of the account; there is no session yet.",
  rateLimit: SIGN_IN_RATE,
  body: ForgotPassword,
  bodyExample: { email: "anna@example.com" },
  audit: "changes nothing",
  responses: {
    200: { description: "The response is the same whether the account exists or not.", body: okOf(Type.Object({})) },
    ...team.errors(400, 413, 415, 429, 503),
  },
  handle: async ({ forgottenPasswords }, { body, request }) => {
    await forgottenPasswords.ask(body.email, request.ipAddress);
    return { status: 200, body: ok({}) };
  },
});
