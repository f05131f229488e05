import type { MerchantUserGrant } from "../access/merchant-user-grant.ts";
import type { Membership, Memberships } from "./memberships.ts";
import { LAST_USED_EVERY_MS, type SessionRecord } from "./session.ts";
import type { SessionStore } from "./session-store.ts";

/** Finds who a session speaks for, by the SHA-256 (hex) of its token. Rejects with RelayError `unavailable`. */
export type CheckSession = (tokenSha256: string) => Promise<MerchantUserGrant | null>;

export interface CheckSessionOptions {
  sessions: Pick<SessionStore, "find" | "replace">;
  memberships: Pick<Memberships, "at">;
  nowMs(): number;
}

/** Sessions whose last use is being stored at once; more are stored with their next request. */
const STORING_MAX = 64;

/**
 * Checks a session with every request, by the store: what changes at the person, its team, its merchant or the partner counts from the next request on, on
 * every node. A session without its second factor is nobody's at any merchant yet.
 */
export function createCheckSession({ sessions, memberships, nowMs }: CheckSessionOptions): CheckSession {
  let storing = 0;

  /** Nobody waits for it: a session that is used goes on for half an hour from a time that is a minute old at most. */
  function used(stored: { record: SessionRecord; version: number }): void {
    if (nowMs() - stored.record.lastUsedAtMs < LAST_USED_EVERY_MS || storing >= STORING_MAX) return;
    storing += 1;
    sessions
      .replace(stored, { ...stored.record, lastUsedAtMs: nowMs() })
      // Where the store does not answer, the next request tries again.
      .catch(() => null)
      .finally(() => {
        storing -= 1;
      });
  }

  return async (tokenSha256) => {
    const stored = await sessions.find(tokenSha256);
    if (stored === null) return null;
    const { record } = stored;
    const membership = record.merchantId === null ? null : await memberships.at(record.accountId, record.merchantId);
    if (record.stage === "full" && membership === null) return null;
    used(stored);
    return grantOf(record, membership);
  };
}

function grantOf(session: SessionRecord, membership: Membership | null): MerchantUserGrant {
  const { sessionId, stage, accountId, email, steppedUpUntilMs } = session;
  const nowhere = { merchantId: "", partnerId: 0, livemode: false, userId: "", role: "VIEWER" } as const;
  const person = { sessionId, stage, accountId, email, steppedUpUntilMs };
  if (membership === null) return { ...person, ...nowhere };
  const { merchantId, partnerId, environment, userId, role } = membership;
  return { ...person, merchantId, partnerId, livemode: environment === "LIVE", userId, role };
}
