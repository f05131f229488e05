import { totpBegun } from "../../parts/factor-proof.ts";
import { NO_STORE, NoStore, TotpBegun } from "../../parts/factor-schemas.ts";
import { ok, okOf } from "../envelope.ts";
import { PORTAL_RATE } from "../surface.ts";
import { enrollingUser, signInSurface } from "./surface.ts";

export const beginTotp = signInSurface.endpoint({
  name: "beginPortalTotp",
  method: "POST",
  path: "/api/merchant/me/totp",
  summary: "Start adding an authenticator app",
  description: "Nothing changes before POST /api/merchant/me/totp/confirm. An app that was added before is then replaced.",
  auth: "portalSession",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  audit: "changes nothing",
  responses: {
    200: { description: "The secret, shown this once.", body: okOf(TotpBegun), headers: NoStore },
    ...signInSurface.errors(401, 403, 429, 503),
  },
  handle: async ({ ownAccount }, { caller }) => {
    const begun = await totpBegun(await ownAccount.beginTotp(enrollingUser(caller)));
    return { status: 200, body: ok(begun), headers: NO_STORE };
  },
});
