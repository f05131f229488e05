import { clientOf } from "../../parts/factor-proof.ts";
import { ClientHeaders, NO_STORE, NoStore, RecoveryCodes } from "../../parts/factor-schemas.ts";
import { ok, okOf } from "../envelope.ts";
import { SIGN_IN_RATE, userOf } from "../surface.ts";
import { signInSurface } from "./surface.ts";

export const replaceRecoveryCodes = signInSurface.endpoint({
  name: "replacePortalRecoveryCodes",
  method: "POST",
  path: "/api/merchant/me/recovery-codes",
  summary: "Rotate your recovery codes",
  description: "They are shown this once; the earlier ones no longer work.",
  auth: "merchantUser",
  may: "look",
  stepUp: true,
  rateLimit: SIGN_IN_RATE,
  headers: ClientHeaders,
  audit: { action: "account.replace-recovery-codes", subject: ({ caller }) => userOf(caller).email },
  responses: {
    200: { description: "The codes.", body: okOf(RecoveryCodes), headers: NoStore },
    ...signInSurface.errors(401, 403, 429, 503),
  },
  handle: async ({ ownAccount }, { headers, request, caller }) => {
    const codes = await ownAccount.replaceRecoveryCodes(userOf(caller), clientOf(request, headers));
    return { status: 200, body: ok({ recoveryCodes: [...codes] }), headers: NO_STORE };
  },
});
