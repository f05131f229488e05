import { clientOf } from "../../parts/factor-proof.ts";
import { ClientHeaders } from "../../parts/factor-schemas.ts";
import { refusal } from "../envelope.ts";
import { ownSession, StateAndCookie, stateBody } from "../sign-in/surface.ts";
import { MERCHANT_BASE, SIGN_IN_RATE } from "../surface.ts";
import { InvitationParams, USED_OR_EXPIRED, usedOrExpired } from "./invitation-token.ts";
import { AcceptInvitation } from "./schemas.ts";
import { team } from "./surface.ts";

export const acceptInvitation = team.endpoint({
  name: "portalAcceptInvitation",
  method: "POST",
  path: `${MERCHANT_BASE}/invitations/{token}/accept`,
  summary: "Accept an invitation",
  description:
    "A person without an account chooses a password; a person with an account sends its password, and the relay limits wrong ones as at a sign-in. The call begins a session like a sign-in: its stage is `enrol` for an account without a second factor, otherwise `factor`. The browser's previous session ends.",
  // No session is needed, but only the portal's own pages may sign a visitor in.
  auth: "optionalPortalSession",
  noStepUp: "The token of the mail and the password are the proof; there is no session yet.",
  rateLimit: SIGN_IN_RATE,
  params: InvitationParams,
  headers: ClientHeaders,
  body: AcceptInvitation,
  bodyExample: { password: "a long and secret sentence", locale: "it" },
  responses: {
    200: StateAndCookie,
    ...team.errors(400, 401, 403, 413, 415, 429, 503),
    410: { description: USED_OR_EXPIRED, body: team.envelope.schema },
  },
  handle: async (operations, { params, headers, body, request, caller }) => {
    const { invitations, signIn, portalCookie } = operations;
    const outcome = await invitations.accept(params.token, { ...body, ipAddress: request.ipAddress });
    switch (outcome.type) {
      case "used_or_expired":
        return usedOrExpired();
      case "password_too_common":
        return refusal(400, "password_too_common", "password: is too easy to guess; choose another one");
      case "invalid_login":
        return refusal(401, "invalid_login", "The password of the account with this address is wrong");
      case "joined": {
        const { email } = outcome.account.record;
        const { id: requestId, ipAddress } = request;
        operations.personAudited({ action: "invitation.accept", email, merchantIds: [outcome.merchantId], ipAddress, requestId });
        const begun = await signIn.afterPassword(outcome.account, clientOf(request, headers), ownSession(caller));
        // The person has joined, but their password was changed at the same moment.
        if (begun === null) return refusal(401, "invalid_login", "You have joined; sign in with your password");
        const body = await stateBody(operations, begun.session);
        return { status: 200, body, headers: { "Set-Cookie": portalCookie.handOut(begun.token) } };
      }
    }
  },
});
