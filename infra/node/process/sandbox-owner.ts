import { randomBytes } from "node:crypto";
import type { AccountRecord } from "../../../engine/accounts/account.ts";
import { type AccountStore, accountOperations, createAccountStore } from "../../../engine/accounts/account-store.ts";
import { totpPlace } from "../../../engine/accounts/prove-factor.ts";
import { createSessionStore } from "../../../engine/accounts/session-store.ts";
import type { MemberRecord, TeamRecord } from "../../../engine/accounts/team.ts";
import { createTeamStore } from "../../../engine/accounts/team-store.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../../../engine/kernel/retry-on-conflict.ts";
import type { SecretBox } from "../../../engine/kernel/secret-box.ts";
import { hashPassword } from "../../../http/auth/partner-password.ts";
import type { Config } from "../boot/config.ts";
import { SANDBOX_MERCHANT, SANDBOX_OWNER } from "../boot/sandbox-names.ts";

/** Fixed, so that several nodes that start together make the same one. */
const ACCOUNT_ID = "acc_sandbox-owner-0000000";
const USER_ID = "usr_sandbox-owner-0000000";

/** Sign-ins and changes of one account that may come in between. */
const ATTEMPTS_MAX = 64;

/**
 * In the sandbox: gives the demo shop an owner who can sign in to the portal, where nobody has that address and the shop has no user yet. In production: takes
 * away the password and the factors that everyone knows, should the data come from a sandbox. Runs after `prepareSandboxMerchant`.
 */
export async function prepareSandboxOwner(kv: Kv, config: Pick<Config, "sandboxApiKey">, box: SecretBox, clock: Clock): Promise<void> {
  const accounts = createAccountStore(kv);
  if (config.sandboxApiKey === null) {
    await closeOwner(kv, accounts, clock);
    return;
  }
  const known = await accounts.byEmail(SANDBOX_OWNER.email);
  const teams = createTeamStore(kv);
  const { merchantId } = SANDBOX_MERCHANT;
  if (known !== null || (await teams.load(merchantId)) !== null) return;
  const atMs = clock.nowMs();
  const account = ownerAccount(box, atMs);
  // Where another node was first, its owner is the same.
  await teams.commit(null, ownerTeam(merchantId, atMs), accountOperations({ account: { record: account, version: 0 }, before: null }));
}

/** Again where something else was first: whoever signs in at another node meanwhile must not keep it open. */
async function closeOwner(kv: Kv, accounts: AccountStore, clock: Clock): Promise<void> {
  const sessions = createSessionStore(kv, clock.nowMs);
  let passwordHash: string | null = null;
  await retryOnConflict(ATTEMPTS_MAX, async () => {
    const known = await accounts.load(ACCOUNT_ID);
    if (known === null) return undefined;
    passwordHash ??= await hashPassword(randomBytes(32).toString("base64url"));
    const { record: before, version } = known;
    const record: AccountRecord = { ...before, passwordHash, totp: null, passkeys: [], recoveryCodes: [], updatedAtMs: clock.nowMs() };
    const { type } = await accounts.commit({ account: { record, version }, before }, [await sessions.endAll(ACCOUNT_ID)]);
    return type === "committed" ? undefined : CONFLICT;
  });
}

function ownerAccount(box: SecretBox, atMs: number): AccountRecord {
  const { email, passwordHash, totpSecret } = SANDBOX_OWNER;
  return {
    schema: 1,
    accountId: ACCOUNT_ID,
    email,
    passwordHash,
    totp: { sealedSecret: box.seal(totpSecret, totpPlace(ACCOUNT_ID)), lastStep: 0, enrolledAtMs: atMs },
    passkeys: [],
    recoveryCodes: [],
    locale: "en",
    theme: "system",
    savedViews: [],
    merchantIds: [SANDBOX_MERCHANT.merchantId],
    createdAtMs: atMs,
    updatedAtMs: atMs,
  };
}

function ownerTeam(merchantId: string, atMs: number): TeamRecord {
  const owner: MemberRecord = {
    userId: USER_ID,
    email: SANDBOX_OWNER.email,
    role: "OWNER",
    state: "ACTIVE",
    accountId: ACCOUNT_ID,
    locale: "en",
    invitedAtMs: atMs,
    invitation: null,
    joinedAtMs: atMs,
  };
  return { schema: 1, merchantId, members: [owner], updatedAtMs: atMs };
}
