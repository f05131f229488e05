import { WebAuthnJson } from "../../parts/factor-schemas.ts";
import { ok, okOf } from "../envelope.ts";
import { PORTAL_RATE } from "../surface.ts";
import { enrollingUser, signInSurface } from "./surface.ts";

export const beginPasskey = signInSurface.endpoint({
  name: "beginPortalPasskey",
  method: "POST",
  path: "/api/merchant/me/passkeys/options",
  summary: "Start adding a passkey",
  description: "What the browser asks the authenticator (`PublicKeyCredentialCreationOptionsJSON`). The challenge counts for five minutes.",
  auth: "portalSession",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  audit: "changes nothing",
  responses: { 200: { description: "The options.", body: okOf(WebAuthnJson) }, ...signInSurface.errors(400, 401, 403, 429, 503) },
  handle: async ({ ownAccount }, { caller }) => ({ status: 200, body: ok(await ownAccount.passkeyOptions(enrollingUser(caller))) }),
});
