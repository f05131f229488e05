import type { AdministratorRole } from "../access/administrator-role.ts";
import type { SessionCore } from "../accounts/session.ts";
import type { SessionPlace } from "../accounts/session-store.ts";

/** An administrator's session, as stored. */
export interface AdministratorSession extends SessionCore {
  username: string;
  /** What they were at the password: the session ends where one of them is another by now. `mark`: signing-administrators.ts. */
  role: AdministratorRole;
  mark: string;
}

/** For `createSessionStoreAt`: `administrator-session/<sha256 of the token>`. */
export const ADMINISTRATOR_SESSIONS: SessionPlace = {
  kind: "administratorSession",
  sessions: "administrator-session/",
  ofAccount: "administrator-sessions-of/",
};

/** Where a secret that a session is enrolling is sealed for. */
export function administratorPendingPlace(sessionId: string): string {
  return `${ADMINISTRATOR_SESSIONS.sessions}${sessionId}/totp`;
}
