import { clientOf, codeProof } from "../../parts/factor-proof.ts";
import { ClientHeaders, SecondFactor } from "../../parts/factor-schemas.ts";
import { SIGN_IN_RATE, userOf } from "../surface.ts";
import { factorAnswer } from "./factor-proof.ts";
import { StateAndCookie, signInSurface } from "./surface.ts";

export const secondFactor = signInSurface.endpoint({
  name: "portalSecondFactor",
  method: "POST",
  path: "/api/merchant/session/second-factor",
  summary: "Verify the second factor of a portal sign-in",
  description:
    "A code of the authenticator app, or one of the recovery codes, which counts once. After five wrong ones the sign-in begins again with the password.",
  auth: "portalSession",
  noStepUp: "It is how the factor is shown.",
  rateLimit: SIGN_IN_RATE,
  headers: ClientHeaders,
  body: SecondFactor,
  bodyExample: { code: "123456" },
  audit: { action: "session.begin", subject: ({ caller }) => userOf(caller).email },
  responses: { 200: StateAndCookie, ...signInSurface.errors(400, 401, 403, 429, 503) },
  handle: async (operations, { body, headers, request, caller }) =>
    factorAnswer(operations, await operations.signIn.withFactor(userOf(caller), codeProof(body), clientOf(request, headers))),
});
