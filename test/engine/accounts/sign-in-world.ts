import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { TOTP } from "otpauth";
import type { AccountRecord } from "../../../engine/accounts/account.ts";
import { createAccountStore } from "../../../engine/accounts/account-store.ts";
import { createCheckSession } from "../../../engine/accounts/check-session.ts";
import type { BegunSession, FactorOutcome } from "../../../engine/accounts/factor-steps.ts";
import { createMemberships } from "../../../engine/accounts/memberships.ts";
import { createOwnAccount } from "../../../engine/accounts/own-account.ts";
import { createProveFactor, totpPlace } from "../../../engine/accounts/prove-factor.ts";
import type { SecurityChange } from "../../../engine/accounts/security-notice.ts";
import { createFindSessionState } from "../../../engine/accounts/session-state.ts";
import { createSessionStore } from "../../../engine/accounts/session-store.ts";
import { createSignIn } from "../../../engine/accounts/sign-in.ts";
import type { MemberRecord, TeamRecord } from "../../../engine/accounts/team.ts";
import { createTeamStore } from "../../../engine/accounts/team-store.ts";
import type { MerchantRecord } from "../../../engine/partners/merchant.ts";
import { createMerchantStore } from "../../../engine/partners/merchant-store.ts";
import { createGuardedSecrets, PORTAL_LIMITS } from "../../../http/auth/guarded-secrets.ts";
import { createLoginThrottle } from "../../../http/auth/login-throttle.ts";
import { hashPassword } from "../../../http/auth/partner-password.ts";
import { createPasskeys } from "../../../http/auth/passkeys.ts";
import { createTotp } from "../../../http/auth/totp.ts";
import { createSecretBox } from "../../../infra/node/boot/secret-box.ts";
import { accountSecrets } from "../../../infra/node/wiring/access/accounts.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock } from "../world.ts";
import { account } from "./examples.ts";

export const ORIGIN = "https://relay.example";
export const PASSWORD = "a long and secret sentence";
export const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
export const RECOVERY = ["abcd-efgh-jkmn", "pqrs-tuvw-xyz2"];
export const CLIENT = { ipAddress: "192.0.2.1", userAgent: "Firefox" };

/** Hashing takes 50 ms; all tests have the same password. */
const PASSWORD_HASH = await hashPassword(PASSWORD);

export const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

export type SignInWorld = Awaited<ReturnType<typeof createSignInWorld>>;

/**
 * Anna, an OWNER at SHOP-001 and VIEWER at SHOP-002, with an authenticator app and two recovery codes unless `change` says otherwise; the real adapters, a store in
 * memory and a clock that the test moves. `again` makes another node over the same store.
 */
export async function createSignInWorld(change: Partial<AccountRecord> = {}) {
  const kv = new MemoryKv();
  const clock = new ManualClock();
  kv.nowMs = clock.nowMs;
  const { nowMs } = clock;
  const box = createSecretBox({ current: randomBytes(32).toString("hex"), old: null });
  const [accounts, teams, merchants] = [createAccountStore(kv), createTeamStore(kv), createMerchantStore(kv)];
  const sessions = createSessionStore(kv, nowMs);
  const disabledPartners = new Set<number>();
  const notices: SecurityChange[] = [];
  const totp = createTotp("Terminal Relay");
  const key = randomBytes(32);

  function node() {
    const memberships = createMemberships({ teams, merchants, isPartnerEnabled: (partnerId) => !disabledPartners.has(partnerId) });
    const passkeys = createPasskeys({ publicUrl: () => ORIGIN, key, nowMs });
    const guard = createGuardedSecrets(createLoginThrottle({ monotonicMs: clock.monotonicMs, limits: PORTAL_LIMITS }));
    const proveFactor = createProveFactor({ totp, passkeys, secrets: accountSecrets, box, sessions, placeOf: totpPlace, nowMs });
    const parts = { accounts, sessions, memberships, passkeys, guard, secrets: accountSecrets, clock };
    return {
      signIn: createSignIn({ ...parts, proveFactor }),
      ownAccount: createOwnAccount({
        ...{ ...parts, totp, box },
        notices: async (what) => {
          notices.push(what);
          return null;
        },
      }),
      check: createCheckSession({ sessions, memberships, nowMs }),
      state: createFindSessionState({ accounts, memberships, clock }),
    };
  }

  async function putMerchant(merchantId: string, patch: Partial<MerchantRecord> = {}): Promise<void> {
    const stored = await merchants.load(merchantId);
    const record: MerchantRecord = {
      ...{ schema: 1, merchantId, partnerId: 1, merchantName: `Bar ${merchantId}`, environment: "TEST", active: true },
      ...{ createdAtMs: 0, updatedAtMs: 0, createdBy: "request", services: {} },
      keys: { publishable: `pk ${merchantId}`, secret: `sk ${merchantId}` },
      ...stored?.record,
      ...patch,
    };
    const merchant = { record, version: stored?.version ?? 0 };
    assert.equal(await merchants.commit({ merchant, before: stored?.record ?? null, count: null, secrets: null }), "committed");
  }

  async function putMember(merchantId: string, patch: Partial<MemberRecord>): Promise<void> {
    const before = await teams.load(merchantId);
    const member: MemberRecord = {
      ...{ userId: `usr_${merchantId}`, email: "anna@example.com", role: "OWNER", state: "ACTIVE", accountId: "acc_1", locale: "it" },
      ...{ invitedAtMs: 0, invitation: null, joinedAtMs: 0 },
      ...before?.record.members[0],
      ...patch,
    };
    const after: TeamRecord = { schema: 1, merchantId, members: [member], updatedAtMs: clock.nowMs() };
    assert.notEqual(await teams.commit(before, after), null);
  }

  await putMerchant("SHOP-001");
  await putMerchant("SHOP-002", { environment: "LIVE", partnerId: 2 });
  await putMember("SHOP-001", {});
  await putMember("SHOP-002", { role: "VIEWER" });
  const record = account({
    passwordHash: PASSWORD_HASH,
    totp: { sealedSecret: box.seal(SECRET, totpPlace("acc_1")), lastStep: 0, enrolledAtMs: 0 },
    recoveryCodes: RECOVERY.map((code) => sha256(code.replaceAll("-", ""))),
    merchantIds: ["SHOP-001", "SHOP-002"],
    ...change,
  });
  assert.equal((await accounts.commit({ account: { record, version: 0 }, before: null })).type, "committed");

  const first = node();
  const withPassword = async (password = PASSWORD): Promise<BegunSession> => {
    const outcome = await first.signIn.withPassword({ email: "anna@example.com", password, client: CLIENT, replaces: null });
    assert.ok(outcome.type === "begun", JSON.stringify(outcome));
    return outcome;
  };
  /** The code that the app shows. */
  const code = (secret = SECRET) => new TOTP({ secret }).generate({ timestamp: clock.nowMs() });
  const factor = ({ session }: BegunSession, typed = code()): Promise<FactorOutcome> =>
    first.signIn.withFactor(session, { type: "code", code: typed }, CLIENT);

  return {
    ...first,
    ...{ kv, clock, box, accounts, sessions, teams, notices, disabledPartners, again: node, putMerchant, putMember },
    ...{ withPassword, code, factor },
    accountOf: async (): Promise<AccountRecord> => {
      const stored = await accounts.load("acc_1");
      assert.ok(stored !== null);
      return stored.record;
    },
    changeAccount: async (patch: Partial<AccountRecord>): Promise<void> => {
      const stored = await accounts.load("acc_1");
      assert.ok(stored !== null);
      const change = { account: { record: { ...stored.record, ...patch }, version: stored.version }, before: stored.record };
      assert.equal((await accounts.commit(change)).type, "committed");
    },
    /** Signed in by password and code. */
    full: async (): Promise<BegunSession> => {
      const outcome = await factor(await withPassword());
      assert.ok(outcome.type === "begun", JSON.stringify(outcome));
      return outcome;
    },
    find: ({ token }: { token: string }) => first.check(sha256(token)),
  };
}
