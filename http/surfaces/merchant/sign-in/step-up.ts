import { clientOf, stepUpProof } from "../../parts/factor-proof.ts";
import { ClientHeaders, PASSKEY_BYTES_MAX, StepUp } from "../../parts/factor-schemas.ts";
import { SIGN_IN_RATE, userOf } from "../surface.ts";
import { factorAnswer } from "./factor-proof.ts";

import { StateAndCookie, signInSurface } from "./surface.ts";

export const stepUp = signInSurface.endpoint({
  name: "portalStepUp",
  method: "POST",
  path: "/api/merchant/session/step-up",
  summary: "Verify a fresh second factor",
  description:
    "For ten minutes it opens what needs one. Send `code`, `recoveryCode` or a passkey's `response`. Five wrong codes end the session.",
  auth: "merchantUser",
  may: "look",
  noStepUp: "It is how the fresh factor is shown.",
  rateLimit: SIGN_IN_RATE,
  bodyBytesMax: PASSKEY_BYTES_MAX,
  headers: ClientHeaders,
  body: StepUp,
  bodyExample: { code: "123456" },
  audit: { action: "session.step-up", subject: ({ caller }) => userOf(caller).email },
  responses: { 200: StateAndCookie, ...signInSurface.errors(400, 401, 403, 429, 503) },
  handle: async (operations, { body, headers, request, caller }) => {
    const own = userOf(caller);
    return factorAnswer(operations, await operations.signIn.stepUp(own, stepUpProof(own, body), clientOf(request, headers)));
  },
});
