import { PORTAL_RATE } from "../surface.ts";
import { StateAnswer, signInSurface, stateBody } from "./surface.ts";

export const showSession = signInSurface.endpoint({
  name: "showPortalSession",
  method: "GET",
  path: "/api/merchant/session",
  summary: "Get your portal session",
  description: "Without a session the response has the stage `none`; this is not an error.",
  auth: "optionalPortalSession",
  rateLimit: PORTAL_RATE,
  responses: { 200: StateAnswer, ...signInSurface.errors(429, 503) },
  handle: async (operations, { caller }) => ({
    status: 200,
    body: await stateBody(operations, caller.type === "merchantUser" ? caller.user : null),
  }),
});
