import type { AdministratorSessionGrant } from "../../engine/access/administrator-session-grant.ts";
import type { Caller } from "../../engine/access/caller.ts";
import type { AdminSessionAuth } from "../endpoint/portal-auth.ts";
import type { Refusal } from "./credential-source.ts";
import { unclearCookie } from "./portal-session.ts";
import { type SessionCookie, sessionCookie, sessionTokenSha256 } from "./session-cookie.ts";

/** Finds the session of a token by its SHA-256 (hex). Null for one that was never there or has ended. Rejects with RelayError `unavailable`. */
export type FindAdministratorSession = (tokenSha256: string) => Promise<AdministratorSessionGrant | null>;

/** What the authenticator needs for sessions of administrators. */
export interface AdministratorSessions {
  find: FindAdministratorSession;
  cookie: SessionCookie;
}

/** Another one than the portal's: whoever is both has both, and each opens only its own. */
export function administratorCookie(options: { isSecure: boolean }): SessionCookie {
  return sessionCookie("relay_admin", options);
}

const ANONYMOUS: Caller = { type: "anonymous" };

function refused(message: string): Refusal {
  return { type: "refused", code: "unauthorized", message };
}

const NO_SESSION = refused("Sign in: there is no session, or it has ended");
const NO_SECOND_FACTOR = refused("Sign in: the second factor is missing");
const NOT_ENROLLED = refused("Sign in and enrol a second factor: you have none yet, and every other call needs one");

/** The session that a request's cookie names. `optionalAdminSession` refuses nobody; `fullAdminSession` wants all factors. */
export async function callerByAdministratorSession(
  { find, cookie }: AdministratorSessions,
  header: string,
  auth: AdminSessionAuth,
): Promise<Caller | Refusal> {
  const token = cookie.tokenIn(header);
  const session = token === null || token === "unclear" ? null : await find(sessionTokenSha256(token));
  if (session === null) {
    if (auth === "optionalAdminSession") return ANONYMOUS;
    return token === "unclear" ? unclearCookie(cookie) : NO_SESSION;
  }
  const { stage, username, role } = session;
  if (stage === "full") return { type: "administrator", username, role, session };
  if (auth === "fullAdminSession") return stage === "factor" ? NO_SECOND_FACTOR : NOT_ENROLLED;
  return { type: "administratorSigningIn", session };
}
