import { clientOf } from "../../parts/factor-proof.ts";
import { ClientHeaders } from "../../parts/factor-schemas.ts";
import { okOf } from "../envelope.ts";
import { PORTAL_RATE, userOf } from "../surface.ts";
import { removedAnswer } from "./factor-answers.ts";
import { Me } from "./schemas.ts";
import { signInSurface } from "./surface.ts";

export const removeTotp = signInSurface.endpoint({
  name: "removePortalTotp",
  method: "DELETE",
  path: "/api/merchant/me/totp",
  summary: "Delete your authenticator app",
  auth: "merchantUser",
  may: "look",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  headers: ClientHeaders,
  audit: { action: "account.remove-totp", subject: ({ caller }) => userOf(caller).email },
  responses: { 200: { description: "It was removed.", body: okOf(Me) }, ...signInSurface.errors(401, 403, 404, 409, 429, 503) },
  handle: async ({ ownAccount }, { headers, request, caller }) => {
    const own = userOf(caller);
    return removedAnswer(ownAccount, own, await ownAccount.removeTotp(own, clientOf(request, headers)));
  },
});
