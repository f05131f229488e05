import type { AdministratorSessionGrant } from "../access/administrator-session-grant.ts";
import { createLastUse } from "../accounts/last-use.ts";
import type { SessionStore } from "../accounts/session-store.ts";
import type { AdministratorSession } from "./administrator-session.ts";
import type { SigningAdministrators } from "./signing-administrators.ts";

/** Finds who a session speaks for, by the SHA-256 (hex) of its token. Rejects with RelayError `unavailable`. */
export type CheckAdministratorSession = (tokenSha256: string) => Promise<AdministratorSessionGrant | null>;

export interface CheckAdministratorSessionOptions {
  sessions: Pick<SessionStore<AdministratorSession>, "find" | "replace">;
  administrators: Pick<SigningAdministrators, "byAccountId">;
  nowMs(): number;
}

/**
 * Checks a session with every request: the session by the store, and the administrator by what this shard has in memory, where a change of it is on every node
 * before it is answered. The session of one that was disabled, removed or changed in any way since opens nothing, also where that was undone.
 */
export function createCheckAdministratorSession(options: CheckAdministratorSessionOptions): CheckAdministratorSession {
  const { sessions, administrators, nowMs } = options;
  const used = createLastUse(sessions, nowMs);
  return async (tokenSha256) => {
    const stored = await sessions.find(tokenSha256);
    if (stored === null) return null;
    const { sessionId, stage, accountId, username, role, mark, steppedUpUntilMs } = stored.record;
    const administrator = administrators.byAccountId(accountId);
    if (administrator?.username !== username || administrator.role !== role || administrator.mark !== mark) return null;
    used(stored);
    return { sessionId, stage, accountId, username, role, steppedUpUntilMs };
  };
}
