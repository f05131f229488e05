import { WebAuthnJson } from "../../parts/factor-schemas.ts";
import { ok, okOf } from "../envelope.ts";
import { SIGN_IN_RATE } from "../surface.ts";
import { ownSession, signInSurface } from "./surface.ts";

export const passkeyOptions = signInSurface.endpoint({
  name: "portalPasskeyOptions",
  method: "POST",
  path: "/api/merchant/session/passkey/options",
  summary: "Get options for a portal passkey sign-in",
  description:
    "What the browser asks the authenticator (`PublicKeyCredentialRequestOptionsJSON`): any passkey of this installation where nobody is signed in, else one of the account. The challenge counts once, for five minutes.",
  auth: "optionalPortalSession",
  noStepUp: "It is a step of showing the factor.",
  rateLimit: SIGN_IN_RATE,
  audit: "changes nothing",
  responses: { 200: { description: "The options.", body: okOf(WebAuthnJson) }, ...signInSurface.errors(400, 403, 429, 503) },
  handle: async ({ signIn }, { caller }) => ({ status: 200, body: ok(await signIn.passkeyOptions(ownSession(caller))) }),
});
