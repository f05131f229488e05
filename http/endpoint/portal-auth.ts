import type { AuthRequirement } from "./endpoint.ts";

/** The `auth` values that accept a session of the portal. */
export type PortalAuth = Extract<
  AuthRequirement,
  "optionalPortalSession" | "portalSession" | "merchantUser" | "merchantUserOrKey" | "merchantUserOrAnyKey"
>;

const PORTAL_AUTHS: ReadonlySet<AuthRequirement> = new Set<PortalAuth>([
  "optionalPortalSession",
  "portalSession",
  "merchantUser",
  "merchantUserOrKey",
  "merchantUserOrAnyKey",
]);

/** Returns true if the endpoint declares what a person must be permitted to do. */
export function needsAct(auth: AuthRequirement): boolean {
  return auth === "merchantUser" || takesMerchantKey(auth);
}

/** Returns true if a merchant's key is accepted in place of a session. */
export function takesMerchantKey(auth: AuthRequirement): auth is "merchantUserOrKey" | "merchantUserOrAnyKey" {
  return auth === "merchantUserOrKey" || auth === "merchantUserOrAnyKey";
}

export function isPortalAuth(auth: AuthRequirement): auth is PortalAuth {
  return PORTAL_AUTHS.has(auth);
}

/** The `auth` values that accept a session of an administrator and nothing else. */
export type AdminSessionAuth = Extract<AuthRequirement, "optionalAdminSession" | "adminSession" | "fullAdminSession">;

const ADMIN_SESSION_AUTHS: ReadonlySet<AuthRequirement> = new Set<AdminSessionAuth>([
  "optionalAdminSession",
  "adminSession",
  "fullAdminSession",
]);

export function isAdminSessionAuth(auth: AuthRequirement): auth is AdminSessionAuth {
  return ADMIN_SESSION_AUTHS.has(auth);
}

/** Returns true if a session is accepted, alone or among other credentials. */
export function takesSession(auth: AuthRequirement): boolean {
  return auth === "admin" || isAdminSessionAuth(auth) || isPortalAuth(auth);
}

/** Returns true if the session may be absent. */
export function isSessionOptional(auth: AuthRequirement): boolean {
  return auth === "optionalPortalSession" || auth === "optionalAdminSession";
}
