import { sessionPurpose } from "../../../../engine/accounts/factor-steps.ts";
import { clientOf } from "../../parts/factor-proof.ts";
import { ClientHeaders, PASSKEY_BYTES_MAX, PasskeyAnswer } from "../../parts/factor-schemas.ts";
import { SIGN_IN_RATE } from "../surface.ts";
import { factorAnswer } from "./factor-proof.ts";
import { StateAndCookie, signInSurface } from "./surface.ts";

export const passkeySession = signInSurface.endpoint({
  name: "portalPasskeySignIn",
  method: "POST",
  path: "/api/merchant/session/passkey",
  summary: "Sign in to the portal with a passkey",
  description:
    "The answer of the authenticator to POST /api/merchant/session/passkey/options. Without a session it signs in alone; in the stage `factor` it is the second factor, in the stage `full` a fresh one.",
  auth: "optionalPortalSession",
  noStepUp: "It is how a passkey is shown as the factor.",
  rateLimit: SIGN_IN_RATE,
  bodyBytesMax: PASSKEY_BYTES_MAX,
  headers: ClientHeaders,
  body: PasskeyAnswer,
  audit: "changes nothing",
  responses: { 200: StateAndCookie, ...signInSurface.errors(400, 401, 403, 429, 503) },
  handle: async (operations, { body: { response }, headers, request, caller }) => {
    const { signIn, signInAudited } = operations;
    const client = clientOf(request, headers);
    const { id: requestId, ipAddress } = request;
    const own = caller.type === "merchantUser" ? caller.user : null;
    const proof = own === null ? null : ({ type: "passkey", response, purpose: sessionPurpose(own) } as const);
    const outcome =
      own === null || proof === null
        ? await signIn.withPasskey(response, client)
        : await (own.stage === "full" ? signIn.stepUp(own, proof, client) : signIn.withFactor(own, proof, client));
    if (outcome.type === "begun") {
      const { email, merchantId } = outcome.session;
      const account = { email, merchantIds: merchantId === null ? [] : [merchantId] };
      signInAudited({ account, way: "passkey", outcome: { type: "done" }, ipAddress, requestId });
    } else if (outcome.type !== "ended" && outcome.account !== null) {
      const code = outcome.type === "invalid" ? "invalid_code" : "forbidden";
      signInAudited({ account: outcome.account, way: "passkey", outcome: { type: "refused", code }, ipAddress, requestId });
    }
    return factorAnswer(operations, outcome);
  },
});
