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
    "If there is an account with this address, it is written to with a link that can be used once, for an hour; at most three times an hour. The answer, and the time that it takes, is the same if there is none.",
  auth: "none",
  noStepUp: "It only sends a mail to the address of the account; there is no session yet.",
  rateLimit: SIGN_IN_RATE,
  body: ForgotPassword,
  bodyExample: { email: "anna@example.com" },
  audit: "changes nothing",
  responses: {
    200: { description: "Whether there is such an account or not.", body: okOf(Type.Object({})) },
    ...team.errors(400, 413, 415, 429, 503),
  },
  handle: async ({ forgottenPasswords }, { body, request }) => {
    await forgottenPasswords.ask(body.email, request.ipAddress);
    return { status: 200, body: ok({}) };
  },
});
