import type { MerchantRole } from "../access/merchant-user-grant.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import type { MerchantRecord } from "../partners/merchant.ts";
import type { MerchantStore } from "../partners/merchant-store.ts";
import { type AccountRecord, type Locale, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "./account.ts";
import { type AccountStore, accountOperations } from "./account-store.ts";
import type { AccountSecrets, GuardedSecrets } from "./factors.ts";
import { isCommonPassword } from "./password-rules.ts";
import type { MemberRecord, TeamRecord } from "./team.ts";
import { invitedBy, join } from "./team-rules.ts";
import type { TeamStore } from "./team-store.ts";
import { isToken } from "./token.ts";

/** What an invitation shows to who has its link. */
export interface ShownInvitation {
  readonly email: string;
  readonly merchantName: string;
  readonly role: MerchantRole;
  /** The person proves the password of the account that it has, and chooses none. */
  readonly hasAccount: boolean;
  readonly locale: Locale;
  readonly expiresAtMs: number;
}

export interface Acceptance {
  /** The new one, or that of the account there is. */
  password: string;
  /** Of a new account; that of the invitation where it is left out. */
  locale?: Locale;
  ipAddress: string;
}

export type AcceptOutcome =
  | { type: "joined"; account: Stored<AccountRecord>; merchantId: string }
  /** The invitation was used, withdrawn, sent again or has ended, or its merchant is deactivated. */
  | { type: "used_or_expired" }
  | { type: "invalid_login" }
  | { type: "password_too_common" };

/** Invitations, for who has the link of one. Every method rejects with RelayError `unavailable` when the store cannot confirm. */
export interface Invitations {
  /** Null for one that cannot be accepted. */
  look(token: string): Promise<ShownInvitation | null>;
  /**
   * Makes the person a member, and the account of who has none, in one commit. Who has one proves its password, which is held back as a sign-in is.
   * Throws RelayError `invalid_request` for a password that cannot be one, and what proving throws.
   */
  accept(token: string, acceptance: Acceptance): Promise<AcceptOutcome>;
}

export interface InvitationsOptions {
  teams: TeamStore;
  accounts: AccountStore;
  merchants: Pick<MerchantStore, "load">;
  guard: Pick<GuardedSecrets, "isPassword">;
  secrets: Pick<AccountSecrets, "newId" | "digest" | "hashPassword">;
  clock: Clock;
}

/** Of the team and of the account others may change something meanwhile; more in a row mean that something is wrong. */
const ATTEMPTS_MAX = 16;

const GONE = { type: "used_or_expired" } as const;

export function createInvitations(options: InvitationsOptions): Invitations {
  const { teams, accounts, merchants, guard, secrets, clock } = options;

  async function open(tokenSha256: string): Promise<{ team: Stored<TeamRecord>; invited: MemberRecord; merchant: MerchantRecord } | null> {
    const team = await teams.byInvitation(tokenSha256);
    const invited = team === null ? null : invitedBy(team.record, tokenSha256, clock.nowMs());
    const merchant = team === null || invited === null ? null : await merchants.load(team.record.merchantId);
    if (team === null || invited === null || merchant?.record.active !== true) return null;
    return { team, invited, merchant: merchant.record };
  }

  return {
    look: async (token) => {
      const found = isToken(token) ? await open(secrets.digest(token)) : null;
      const expiresAtMs = found?.invited.invitation?.expiresAtMs;
      if (found === null || expiresAtMs === undefined) return null;
      const { email, role, locale } = found.invited;
      const account = await accounts.byEmail(email);
      const { merchantName } = found.merchant;
      return { email, merchantName, role, hasAccount: account !== null, locale: account?.record.locale ?? locale, expiresAtMs };
    },
    accept: async (token, { password, locale, ipAddress }) => {
      if (!isToken(token)) return GONE;
      const tokenSha256 = secrets.digest(token);
      /** Slow, so that it is computed once. */
      let passwordHash: string | null = null;
      /** The account and password hash that were proven, which another attempt need not prove again. */
      let proven = "";

      return retryOnConflict<AcceptOutcome>(ATTEMPTS_MAX, async () => {
        const found = await open(tokenSha256);
        if (found === null) return GONE;
        const { team, invited, merchant } = found;
        const { merchantId } = team.record;
        const before = await accounts.byEmail(invited.email);
        const atMs = clock.nowMs();
        let account: AccountRecord;
        if (before === null) {
          requireLength(password);
          if (isCommonPassword(password, [invited.email, merchant.merchantName])) return { type: "password_too_common" };
          passwordHash ??= await secrets.hashPassword(password);
          account = newAccount({
            accountId: secrets.newId("acc_"),
            invited,
            passwordHash,
            locale: locale ?? invited.locale,
            merchantId,
            atMs,
          });
        } else {
          const { record } = before;
          const known = `${record.accountId} ${record.passwordHash}`;
          const guessed = { account: { username: record.accountId, isKnown: true }, hash: record.passwordHash, version: before.version };
          if (proven !== known && !(await guard.isPassword(password, guessed, ipAddress))) return { type: "invalid_login" };
          proven = known;
          account = { ...record, merchantIds: [...record.merchantIds.filter((one) => one !== merchantId), merchantId], updatedAtMs: atMs };
        }
        const joined = join(team.record, tokenSha256, account.accountId, atMs);
        if (joined === null) return GONE;
        const change = { account: { record: account, version: before?.version ?? 0 }, before: before?.record ?? null };
        const stored = await teams.commit(team, joined.team, accountOperations(change));
        // All that one commit writes has one version.
        return stored === null ? CONFLICT : { type: "joined", account: { record: account, version: stored.version }, merchantId };
      });
    },
  };
}

function requireLength({ length }: string): void {
  if (length >= PASSWORD_LENGTH_MIN && length <= PASSWORD_LENGTH_MAX) return;
  throw new RelayError("invalid_request", `password: must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`);
}

interface NewAccount {
  accountId: string;
  invited: MemberRecord;
  passwordHash: string;
  locale: Locale;
  merchantId: string;
  atMs: number;
}

function newAccount({ accountId, invited, passwordHash, locale, merchantId, atMs }: NewAccount): AccountRecord {
  return {
    ...{ schema: 1, accountId, email: invited.email, passwordHash, totp: null, passkeys: [], recoveryCodes: [] },
    ...{ locale, theme: "system", savedViews: [], merchantIds: [merchantId], createdAtMs: atMs, updatedAtMs: atMs },
  };
}
