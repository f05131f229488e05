import { Type } from "@sinclair/typebox";
import { clientOf } from "../../parts/factor-proof.ts";
import { ClientHeaders } from "../../parts/factor-schemas.ts";
import { okOf } from "../envelope.ts";
import { PORTAL_RATE, userOf } from "../surface.ts";
import { removedAnswer } from "./factor-answers.ts";
import { Me } from "./schemas.ts";
import { signInSurface } from "./surface.ts";

export const removePasskey = signInSurface.endpoint({
  name: "removePortalPasskey",
  method: "DELETE",
  path: "/api/merchant/me/passkeys/{id}",
  summary: "Delete a passkey",
  auth: "merchantUser",
  may: "look",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  params: Type.Object({ id: Type.String({ pattern: "^[A-Za-z0-9_-]{1,1400}$" }) }),
  headers: ClientHeaders,
  audit: { action: "account.remove-passkey", subject: ({ caller }) => userOf(caller).email },
  responses: { 200: { description: "It was removed.", body: okOf(Me) }, ...signInSurface.errors(401, 403, 404, 409, 429, 503) },
  handle: async ({ ownAccount }, { params: { id }, headers, request, caller }) => {
    const own = userOf(caller);
    return removedAnswer(ownAccount, own, await ownAccount.removePasskey(own, id, clientOf(request, headers)));
  },
});
