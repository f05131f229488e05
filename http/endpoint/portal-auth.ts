import type { AuthRequirement } from "./endpoint.ts";

/** Endpoints that a session of the portal opens. */
export type PortalAuth = Extract<AuthRequirement, "optionalPortalSession" | "portalSession" | "merchantUser" | "merchantUserOrKey">;

const PORTAL_AUTHS: ReadonlySet<AuthRequirement> = new Set<PortalAuth>([
  "optionalPortalSession",
  "portalSession",
  "merchantUser",
  "merchantUserOrKey",
]);

export function isPortalAuth(auth: AuthRequirement): auth is PortalAuth {
  return PORTAL_AUTHS.has(auth);
}
