import { iso } from "../../../endpoint/time.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, SIGN_IN_RATE } from "../surface.ts";
import { InvitationParams, USED_OR_EXPIRED, usedOrExpired } from "./invitation-token.ts";
import { Invitation } from "./schemas.ts";
import { team } from "./surface.ts";

export const showInvitation = team.endpoint({
  name: "portalShowInvitation",
  method: "GET",
  path: `${MERCHANT_BASE}/invitations/{token}`,
  summary: "Get an invitation",
  auth: "none",
  rateLimit: SIGN_IN_RATE,
  params: InvitationParams,
  responses: {
    200: { description: "The invitation can be accepted.", body: okOf(Invitation) },
    ...team.errors(400, 429, 503),
    410: { description: USED_OR_EXPIRED, body: team.envelope.schema },
  },
  handle: async ({ invitations }, { params }) => {
    const shown = await invitations.look(params.token);
    if (shown === null) return usedOrExpired();
    const { expiresAtMs, ...facts } = shown;
    return { status: 200, body: ok({ ...facts, expiresAt: iso(expiresAtMs) }) };
  },
});
