import { createHmac, randomBytes } from "node:crypto";
import { createUsualLoginStore } from "../../../../engine/access/usual-login-store.ts";
import { RECOVERY_CODES } from "../../../../engine/accounts/account.ts";
import { type AccountStore, createAccountStore } from "../../../../engine/accounts/account-store.ts";
import { createCheckSession } from "../../../../engine/accounts/check-session.ts";
import type { AccountSecrets, GuardedSecrets, Totp } from "../../../../engine/accounts/factors.ts";
import { createMemberships, type Memberships } from "../../../../engine/accounts/memberships.ts";
import { createOwnAccount, type SecurityNotices } from "../../../../engine/accounts/own-account.ts";
import type { OwnersNotice } from "../../../../engine/accounts/owners-notice.ts";
import { createProveFactor, totpPlace } from "../../../../engine/accounts/prove-factor.ts";
import { RECOVERY_ALPHABET, RECOVERY_LENGTH, shownRecoveryCode } from "../../../../engine/accounts/recovery-codes.ts";
import { securityNotice } from "../../../../engine/accounts/security-notice.ts";
import { userAgentOf } from "../../../../engine/accounts/session.ts";
import { createFindSessionState } from "../../../../engine/accounts/session-state.ts";
import { createSessionStore, type SessionStore } from "../../../../engine/accounts/session-store.ts";
import { createSignIn, type SignIn } from "../../../../engine/accounts/sign-in.ts";
import { createTeamStore, type TeamStore } from "../../../../engine/accounts/team-store.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Ids } from "../../../../engine/kernel/ids.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../../engine/kernel/secret-box.ts";
import { isMailAddress } from "../../../../engine/mails/mail-address.ts";
import { mailOperations } from "../../../../engine/mails/mail-store.ts";
import type { AuditLog } from "../../../../engine/operators/audit-store.ts";
import { createMerchantStore, type MerchantStore } from "../../../../engine/partners/merchant-store.ts";
import type { Partners } from "../../../../engine/partners/partners.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { createGuardedSecrets, PORTAL_LIMITS } from "../../../../http/auth/guarded-secrets.ts";
import type { LoginCounts } from "../../../../http/auth/login-counts.ts";
import { createLoginThrottle, type LoginObserver } from "../../../../http/auth/login-throttle.ts";
import { hashPassword } from "../../../../http/auth/partner-password.ts";
import { createPasskeys, passkeysArePossible } from "../../../../http/auth/passkeys.ts";
import { type PortalSessions, portalCookie } from "../../../../http/auth/portal-session.ts";
import { createTotp } from "../../../../http/auth/totp.ts";
import type { SignInOperations } from "../../../../http/surfaces/merchant/sign-in/surface.ts";
import { type Config, isCookieSecure } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import { loginDigestKey } from "./logins.ts";
import { createSignInAudit } from "./sign-in-audit.ts";

/** The name that authenticator apps show. */
const TOTP_ISSUER = "Terminal Relay";

/** A notice is useful while somebody can still react to it. */
const NOTICE_LIFETIME_MS = 3 * 86_400_000;

/** The secrets of accounts, their sessions and their recovery codes. */
export const accountSecrets: AccountSecrets = {
  newToken: () => randomBytes(32).toString("base64url"),
  newId: (prefix) => prefix + randomBytes(16).toString("base64url"),
  newRecoveryCodes: () => Array.from({ length: RECOVERY_CODES }, () => shownRecoveryCode(recoveryCharacters())),
  hashPassword,
  digest: sha256Hex,
};

/** Returns random characters with a uniform distribution. */
function recoveryCharacters(): string {
  const limit = 256 - (256 % RECOVERY_ALPHABET.length);
  let characters = "";
  while (characters.length < RECOVERY_LENGTH) {
    const fair = [...randomBytes(RECOVERY_LENGTH)].filter((byte) => byte < limit);
    characters += fair.map((byte) => RECOVERY_ALPHABET.charAt(byte % RECOVERY_ALPHABET.length)).join("");
  }
  return characters.slice(0, RECOVERY_LENGTH);
}

export interface AccountsParts {
  config: Config;
  kv: Kv;
  box: SecretBox;
  clock: Clock;
  ids: Ids;
  partners: Pick<Partners, "byId">;
  ownersNotice: Pick<OwnersNotice, "ofTeam" | "ofFactors">;
  audit: Pick<AuditLog, "record">;
  /** Counts wrong passwords of all threads and nodes. */
  loginCounts: LoginCounts;
  observeLogins?: LoginObserver;
  /** The address by which browsers reach the relay. It is known once the relay listens. */
  publicUrl(): string;
  failed(what: string, error: unknown): void;
}

/** The sign-in of the portal's users in a shard. */
export interface Accounts extends Lifecycle {
  /** Used by the authenticator. */
  sessions: PortalSessions;
  operations: SignInOperations;
  /** Used to invite people and to reset their passwords. */
  stores: { accounts: AccountStore; sessions: SessionStore; teams: TeamStore; merchants: MerchantStore };
  memberships: Memberships;
  guard: GuardedSecrets;
  signIn: SignIn;
  totp: Totp;
}

export function composeAccounts(parts: AccountsParts): Accounts {
  const { config, kv, box, clock, partners, publicUrl, audit, failed } = parts;
  const { nowMs } = clock;
  const stores = {
    accounts: createAccountStore(kv),
    sessions: createSessionStore(kv, nowMs),
    teams: createTeamStore(kv, parts.ownersNotice.ofTeam),
    merchants: createMerchantStore(kv),
  };
  const { accounts, sessions } = stores;
  const key = loginDigestKey(config.terminalSecret);
  // Sign-ins are counted separately, because their limits differ from those of Basic logins.
  const throttle = createLoginThrottle({
    monotonicMs: clock.monotonicMs,
    counts: parts.loginCounts,
    usual: createUsualLoginStore(kv, nowMs),
    key: keyOf(key, "portal"),
    limits: PORTAL_LIMITS,
    ...(parts.observeLogins === undefined ? {} : { observe: parts.observeLogins }),
  });
  const guard = createGuardedSecrets(throttle);
  const totp = createTotp(TOTP_ISSUER);
  const passkeys = createPasskeys({ publicUrl, key: keyOf(key, "passkey challenges"), nowMs });
  const memberships = createMemberships({ ...stores, isPartnerEnabled: (partnerId) => partners.byId(partnerId)?.record.enabled === true });
  const proveFactor = createProveFactor({ totp, passkeys, secrets: accountSecrets, box, sessions, placeOf: totpPlace, nowMs });
  const ways = { accounts, sessions, memberships, passkeys, guard, secrets: accountSecrets, clock };
  const signIn = createSignIn({ ...ways, proveFactor });
  const cookie = portalCookie({ isSecure: isCookieSecure(config) });
  return {
    sessions: { find: createCheckSession({ sessions, memberships, nowMs }), cookie, nowMs },
    stores,
    memberships,
    guard,
    signIn,
    totp,
    operations: {
      signIn,
      ownAccount: createOwnAccount({ ...ways, totp, box, notices: composeNotices(parts) }),
      portalSessions: sessions,
      sessionState: createFindSessionState({ accounts, memberships, clock }),
      signInAudited: createSignInAudit({ audit, clock, failed }),
      portalCookie: cookie,
      portalFacts: {
        timeZone: config.timeZone,
        mode: config.mode,
        get passkeys() {
          return passkeysArePossible(publicUrl());
        },
      },
    },
    everySecond: throttle.everySecond,
  };
}

/** Sends security notices by mail to the person and to owners. */
function composeNotices(parts: AccountsParts): SecurityNotices {
  const toPerson = composePersonsNotices(parts);
  return async (change, account, client, merchantId) => {
    const own = await toPerson(change, account, client, merchantId);
    const toOwners = change === "password changed" ? [] : await parts.ownersNotice.ofFactors(account, change);
    return { checks: [], operations: [...(own?.operations ?? []), ...toOwners] };
  };
}

/**
 * Each change of a person's own sign-in needs a fresh factor. These notices are therefore few, and
 * no limit applies.
 */
function composePersonsNotices({ box, clock, ids }: AccountsParts): SecurityNotices {
  return async (change, { email, locale }, { ipAddress, userAgent }, merchantId) => {
    const atMs = clock.nowMs();
    if (!isMailAddress(email)) return null;
    const text = securityNotice(change, { locale, atMs, ipAddress, userAgent: userAgentOf(userAgent) });
    const mail = { id: ids.uuid(), kind: "security-notice", to: email, merchantId, ...text } as const;
    return { checks: [], operations: mailOperations(mail, { box, atMs, expiresAtMs: atMs + NOTICE_LIFETIME_MS }) };
  };
}

/** Derives a key for one use from the key that all nodes share. */
export function keyOf(key: Buffer, use: string): Buffer {
  return createHmac("sha256", key).update(use, "utf8").digest();
}
