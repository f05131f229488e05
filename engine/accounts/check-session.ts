import type { MerchantUserGrant } from "../access/merchant-user-grant.ts";
import { createLastUse } from "./last-use.ts";
import type { Membership, Memberships } from "./memberships.ts";
import type { SessionRecord } from "./session.ts";
import type { SessionStore } from "./session-store.ts";

/** Finds who a session speaks for, by the SHA-256 (hex) of its token. Rejects with RelayError `unavailable`. */
export type CheckSession = (tokenSha256: string) => Promise<MerchantUserGrant | null>;

export interface CheckSessionOptions {
  sessions: Pick<SessionStore, "find" | "replace">;
  memberships: Pick<Memberships, "at">;
  nowMs(): number;
}

/**
 * Checks a session with every request, by the store: what changes at the person, its team, its merchant or the partner counts from the next request on, on
 * every node. A session without its second factor is nobody's at any merchant yet.
 */
export function createCheckSession({ sessions, memberships, nowMs }: CheckSessionOptions): CheckSession {
  const used = createLastUse(sessions, nowMs);
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
