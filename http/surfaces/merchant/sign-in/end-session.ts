import { PORTAL_RATE } from "../surface.ts";
import { ownSession, StateAndCookie, signInSurface, stateBody } from "./surface.ts";

export const endSession = signInSurface.endpoint({
  name: "portalSignOut",
  method: "DELETE",
  path: "/api/merchant/session",
  summary: "Sign out of the portal",
  description: "Ends the caller's session and deletes its cookie. The call also succeeds if the session has already ended.",
  auth: "optionalPortalSession",
  noStepUp: "Signing out gives nothing to anybody.",
  rateLimit: PORTAL_RATE,
  audit: "changes nothing",
  responses: { 200: StateAndCookie, ...signInSurface.errors(403, 429, 503) },
  handle: async (operations, { caller }) => {
    const own = ownSession(caller);
    if (own !== null) await operations.portalSessions.end(own.accountId, ({ sessionId }) => sessionId === own.sessionId);
    return { status: 200, body: await stateBody(operations, null), headers: { "Set-Cookie": operations.portalCookie.takenBack } };
  },
});
