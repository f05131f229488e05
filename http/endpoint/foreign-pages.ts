import type { AuthRequirement, EndpointFacts } from "./endpoint.ts";
import { isAdminSessionAuth, isPortalAuth, takesSession } from "./portal-auth.ts";

/**
 * Credentials that a browser attaches by itself, whichever page sends the request: a login that it remembers. An API key, a bearer key and a
 * signature are only sent by a page that has them.
 */
const ATTACHED_BY_BROWSERS: Readonly<Record<AuthRequirement, boolean>> = {
  none: false,
  optionalBasic: true,
  basic: true,
  apiKey: false,
  basicOrApiKey: true,
  admin: true,
  partnerApi: false,
  signature: false,
  merchantKey: true,
  optionalMerchantKey: true,
  // The check of a session is stricter: `checksOwnPage`.
  optionalPortalSession: false,
  portalSession: false,
  merchantUser: false,
  merchantUserOrKey: false,
  merchantUserOrAnyKey: false,
  agent: false,
  optionalAdminSession: false,
  adminSession: false,
  fullAdminSession: false,
};

/**
 * Whether a page of another origin must not call the endpoint with a login: it changes something, or hands something out. Other GETs only
 * read, and a browser does not let such a page see the response.
 */
export function refusesForeignPages({ auth, method, handsOut }: Pick<EndpointFacts, "auth" | "method" | "handsOut">): boolean {
  // No browser attaches an agent's token; the Model Context Protocol wants the origin checked all the same.
  return (ATTACHED_BY_BROWSERS[auth] || auth === "agent") && (method !== "GET" || handsOut === true);
}

/**
 * Whether a page of another site could have a browser ask, with the credential attached. It does not see the answer, but whoever sees its length on the way does.
 */
export function hidesLength({ auth }: Pick<EndpointFacts, "auth">): boolean {
  return ATTACHED_BY_BROWSERS[auth] || isPortalAuth(auth) || isAdminSessionAuth(auth);
}

/**
 * Whether a call by a session has to come from one of the relay's own pages (`requireOwnPage` in http/auth/portal-session.ts): whatever changes something.
 */
export function checksOwnPage({ auth, method }: Pick<EndpointFacts, "auth" | "method">): boolean {
  return takesSession(auth) && method !== "GET";
}
