import { clientOf } from "../../parts/factor-proof.ts";
import { ClientHeaders } from "../../parts/factor-schemas.ts";
import { refusal } from "../envelope.ts";
import { SIGN_IN_RATE } from "../surface.ts";
import { SignIn } from "./schemas.ts";
import { ownSession, StateAndCookie, signInSurface, stateBody } from "./surface.ts";

export const beginSession = signInSurface.endpoint({
  name: "portalSignIn",
  method: "POST",
  path: "/api/merchant/session",
  summary: "Sign in to the portal",
  description:
    "Begins a session that lacks its second factor: stage `factor`, or `enrol` for an account that has none yet. The answer to an address that is nobody's is that to a wrong password.",
  auth: "optionalPortalSession",
  noStepUp: "It is the first step of a sign-in, before there is a session.",
  rateLimit: SIGN_IN_RATE,
  headers: ClientHeaders,
  body: SignIn,
  bodyExample: { email: "anna@example.com", password: "a long and secret sentence" },
  audit: "changes nothing",
  responses: { 200: StateAndCookie, ...signInSurface.errors(400, 401, 403, 429, 503) },
  handle: async (operations, { body, headers, request, caller }) => {
    const { signIn, signInAudited, portalCookie } = operations;
    const { id: requestId, ipAddress } = request;
    const outcome = await signIn.withPassword({ ...body, client: clientOf(request, headers), replaces: ownSession(caller) });
    if (outcome.type === "invalid") {
      const { account } = outcome;
      const refused = { type: "refused", code: "invalid_login" } as const;
      if (account !== null) signInAudited({ account, way: "password", outcome: refused, ipAddress, requestId });
      return refusal(401, "invalid_login", "The e-mail address or the password is not right");
    }
    return {
      status: 200,
      body: await stateBody(operations, outcome.session),
      headers: { "Set-Cookie": portalCookie.handOut(outcome.token) },
    };
  },
});
