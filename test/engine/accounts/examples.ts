import type { AccountRecord } from "../../../engine/accounts/account.ts";
import type { SessionRecord } from "../../../engine/accounts/session.ts";

export const AT_MS = 1_778_051_289_123;

/** An account as it is after its invitation: with a password and nothing else. */
export function account(change: Partial<AccountRecord> = {}): AccountRecord {
  return {
    schema: 1,
    accountId: "acc_1",
    email: "anna@example.com",
    passwordHash: "hash",
    totp: null,
    passkeys: [],
    recoveryCodes: [],
    locale: "it",
    theme: "system",
    savedViews: [],
    merchantIds: ["SHOP-001"],
    createdAtMs: AT_MS,
    updatedAtMs: AT_MS,
    ...change,
  };
}

/** A full session that begins at a time. */
export function session(tokenSha256: string, atMs: number, change: Partial<SessionRecord> = {}): SessionRecord {
  return {
    schema: 1,
    tokenSha256,
    sessionId: `ses_${tokenSha256}`,
    accountId: "acc_1",
    email: "anna@example.com",
    stage: "full",
    merchantId: "SHOP-001",
    createdAtMs: atMs,
    lastUsedAtMs: atMs,
    endsAtMs: atMs + 12 * 3_600_000,
    steppedUpUntilMs: 0,
    codesTried: 0,
    pendingTotp: null,
    ipAddress: "192.0.2.1",
    userAgent: "Firefox",
    ...change,
  };
}
