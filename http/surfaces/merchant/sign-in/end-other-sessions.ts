import { ok, okOf } from "../envelope.ts";
import { PORTAL_RATE, userOf } from "../surface.ts";
import { Ended } from "./list-sessions.ts";
import { signInSurface } from "./surface.ts";

export const endOtherSessions = signInSurface.endpoint({
  name: "endOtherPortalSessions",
  method: "DELETE",
  path: "/api/merchant/sessions",
  summary: "Delete your other sessions",
  auth: "merchantUser",
  may: "look",
  noStepUp: "Ending sessions takes access away and gives none, and whoever sees a stranger's session has to end it at once.",
  rateLimit: PORTAL_RATE,
  audit: { action: "session.end-others", subject: ({ caller }) => userOf(caller).email },
  responses: { 200: { description: "How many sessions were ended.", body: okOf(Ended) }, ...signInSurface.errors(401, 403, 429, 503) },
  handle: async ({ portalSessions }, { caller }) => {
    const own = userOf(caller);
    const ended = await portalSessions.end(own.accountId, ({ sessionId }) => sessionId !== own.sessionId);
    return { status: 200, body: ok({ ended }) };
  },
});
