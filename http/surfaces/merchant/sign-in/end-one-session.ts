import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { ok, okOf } from "../envelope.ts";
import { PORTAL_RATE, userOf } from "../surface.ts";
import { Ended } from "./list-sessions.ts";
import { signInSurface } from "./surface.ts";

export const endOneSession = signInSurface.endpoint({
  name: "endPortalSession",
  method: "DELETE",
  path: "/api/merchant/sessions/{id}",
  summary: "Delete one of your sessions",
  auth: "merchantUser",
  may: "look",
  noStepUp: "Ending a session takes access away and gives none, and whoever sees a stranger's session has to end it at once.",
  rateLimit: PORTAL_RATE,
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) }),
  audit: { action: "session.end" },
  responses: { 200: { description: "The session has ended.", body: okOf(Ended) }, ...signInSurface.errors(401, 403, 404, 429, 503) },
  handle: async ({ portalSessions }, { params: { id }, caller }) => {
    const ended = await portalSessions.end(userOf(caller).accountId, ({ sessionId }) => sessionId === id);
    if (ended === 0) throw new RelayError("not_found", "You have no such session");
    return { status: 200, body: ok({ ended: 1 }) };
  },
});
