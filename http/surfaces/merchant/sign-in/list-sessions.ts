import { Type } from "@sinclair/typebox";
import { iso } from "../../../endpoint/time.ts";
import { ok, okOf } from "../envelope.ts";
import { listOf } from "../schema-parts.ts";
import { PORTAL_RATE, userOf } from "../surface.ts";
import { SessionItem } from "./schemas.ts";
import { signInSurface } from "./surface.ts";

export const listSessions = signInSurface.endpoint({
  name: "listPortalSessions",
  method: "GET",
  path: "/api/merchant/sessions",
  summary: "List your sessions",
  description: "Lists all sessions of the account, the latest first; an account has at most ten, and a few that lack their second factor.",
  auth: "merchantUser",
  may: "look",
  rateLimit: PORTAL_RATE,
  responses: { 200: { description: "The sessions.", body: okOf(listOf(SessionItem)) }, ...signInSurface.errors(401, 403, 429, 503) },
  handle: async ({ portalSessions }, { caller }) => {
    const user = userOf(caller);
    const sessions = await portalSessions.ofAccount(user.accountId);
    const items = sessions.map(({ sessionId, createdAtMs, lastUsedAtMs, ipAddress, userAgent }) => ({
      sessionId,
      current: sessionId === user.sessionId,
      createdAt: iso(createdAtMs),
      lastUsedAt: iso(lastUsedAtMs),
      ipAddress,
      userAgent,
    }));
    return { status: 200, body: ok({ items, next: null }) };
  },
});

/** The number of ended sessions. */
export const Ended = Type.Object({ ended: Type.Integer() });
