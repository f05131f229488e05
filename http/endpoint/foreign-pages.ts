import type { AuthRequirement, EndpointFacts } from "./endpoint.ts";
import { isAdminSessionAuth, isPortalAuth, takesSession } from "./portal-auth.ts";

/**
 * Credentials that a browser attaches automatically, whichever page sends the request, such as a
 * login that it remembers. An API key, a bearer key or a signature is sent only by a page that has
 * it.
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
 * Returns true if a page of another origin must not call the endpoint with a login, because it
 * changes something or hands something out. Other GETs only read, and a browser does not show the
 * response to such a page.
 */
export function refusesForeignPages({ auth, method, handsOut }: Pick<EndpointFacts, "auth" | "method" | "handsOut">): boolean {
  // No browser attaches an agent's token, but the Model Context Protocol requires a check of the
  // origin.
  return (ATTACHED_BY_BROWSERS[auth] || auth === "agent") && (method !== "GET" || handsOut === true);
}

/**
 * Returns true if a page of another site could make a browser send the request with its credential.
 * The page does not see the response, but an observer of the network sees its length.
 */
export function hidesLength({ auth }: Pick<EndpointFacts, "auth">): boolean {
  return ATTACHED_BY_BROWSERS[auth] || isPortalAuth(auth) || isAdminSessionAuth(auth);
}

/**
 * Returns true if a call with a session must come from one of the relay's own pages
 * (`requireOwnPage` in http/auth/portal-session.ts), which holds for every change.
 */
export function checksOwnPage({ auth, method }: Pick<EndpointFacts, "auth" | "method">): boolean {
  return takesSession(auth) && method !== "GET";
}
