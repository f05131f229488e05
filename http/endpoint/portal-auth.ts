import type { AuthRequirement } from "./endpoint.ts";

/** Endpoints that a session of the portal opens. */
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

/** Endpoints that say what a person has to be permitted to do. */
export function needsAct(auth: AuthRequirement): boolean {
  return auth === "merchantUser" || takesMerchantKey(auth);
}

/** Endpoints that a merchant's key opens beside a session. */
export function takesMerchantKey(auth: AuthRequirement): auth is "merchantUserOrKey" | "merchantUserOrAnyKey" {
  return auth === "merchantUserOrKey" || auth === "merchantUserOrAnyKey";
}

export function isPortalAuth(auth: AuthRequirement): auth is PortalAuth {
  return PORTAL_AUTHS.has(auth);
}

/** Endpoints that a session of an administrator opens, and nothing else. */
export type AdminSessionAuth = Extract<AuthRequirement, "optionalAdminSession" | "adminSession" | "fullAdminSession">;

const ADMIN_SESSION_AUTHS: ReadonlySet<AuthRequirement> = new Set<AdminSessionAuth>([
  "optionalAdminSession",
  "adminSession",
  "fullAdminSession",
]);

export function isAdminSessionAuth(auth: AuthRequirement): auth is AdminSessionAuth {
  return ADMIN_SESSION_AUTHS.has(auth);
}

/** Whether a session opens the endpoint, alone or beside other credentials. */
export function takesSession(auth: AuthRequirement): boolean {
  return auth === "admin" || isAdminSessionAuth(auth) || isPortalAuth(auth);
}

/** Whether a session may be left out. */
export function isSessionOptional(auth: AuthRequirement): boolean {
  return auth === "optionalPortalSession" || auth === "optionalAdminSession";
}
