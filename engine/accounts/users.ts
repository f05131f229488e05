import type { MerchantRole } from "../access/merchant-user-grant.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { holdsSchemePan } from "../kernel/mask.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import { isMerchantId, type MerchantRecord } from "../partners/merchant.ts";
import type { MerchantStore } from "../partners/merchant-store.ts";
import { type AccountRecord, emailOf, hasSecondFactor, type Locale } from "./account.ts";
import { type AccountStore, accountOperations, type CommitPart } from "./account-store.ts";
import type { AccountSecrets } from "./factors.ts";
import type { PortalMails } from "./portal-mails.ts";
import type { SessionStore } from "./session-store.ts";
import { type MemberRecord, newTeam, RESEND_AFTER_MS, type TeamRecord } from "./team.ts";
import {
  changeMember,
  invite,
  inviteAgain,
  type MemberChange,
  removeMember,
  type TeamActor,
  type TeamDecision,
  type TeamRefusal,
} from "./team-rules.ts";
import type { TeamStore } from "./team-store.ts";

/** A user as lists show it. */
export interface ListedUser extends MemberRecord {
  readonly hasSecondFactor: boolean;
}

export interface UserInvitation {
  email: string;
  role: MerchantRole;
  /** Of its mail and, until it chooses another, of its portal; that of who invites where it is left out. */
  locale?: Locale;
  /** The id of the user where it is a new one: the same request again then finds its own user. */
  userId?: string;
}

/** `inactive`: the merchant is deactivated. */
export type UserOutcome = { type: "done"; user: ListedUser } | { type: "refused"; why: TeamRefusal | "inactive" };

/**
 * The users of merchants. A merchant that is not there is `not_found`. Every method rejects with RelayError `unavailable` when the store cannot confirm, and
 * those that write mails with `rate_limited` where the merchant had too many written.
 */
export interface Users {
  /** In the order in which they were invited. */
  list(merchantId: string): Promise<ListedUser[]>;
  /** Invites an address by mail. */
  invite(merchantId: string, actor: TeamActor, invitation: UserInvitation): Promise<UserOutcome>;
  /** Sends an invitation again: the link of the last mail is dead from now on. */
  inviteAgain(merchantId: string, actor: TeamActor, userId: string): Promise<UserOutcome>;
  /** Who is disabled has no session at this merchant any more. */
  change(merchantId: string, actor: TeamActor, userId: string, change: MemberChange): Promise<UserOutcome>;
  /** Neither has who is removed. */
  remove(merchantId: string, actor: TeamActor, userId: string): Promise<UserOutcome>;
}

export interface UsersOptions {
  teams: TeamStore;
  accounts: AccountStore;
  sessions: Pick<SessionStore, "end">;
  merchants: Pick<MerchantStore, "load">;
  mails: PortalMails;
  secrets: Pick<AccountSecrets, "newId" | "newToken" | "digest">;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

/** A team has five users; more changes of it in a row mean that something is wrong. */
const ATTEMPTS_MAX = 16;

const DEFAULT_LOCALE: Locale = "it";

export function createUsers({ teams, accounts, sessions, merchants, mails, secrets, clock, failed }: UsersOptions): Users {
  async function merchantWith(merchantId: string): Promise<MerchantRecord> {
    const stored = isMerchantId(merchantId) ? await merchants.load(merchantId) : null;
    if (stored === null) throw new RelayError("not_found", "There is no such merchant");
    return stored.record;
  }

  async function listed(members: readonly MemberRecord[]): Promise<ListedUser[]> {
    const joined = members.flatMap(({ accountId }) => accountId ?? []);
    const records = await accounts.loadMany(joined);
    const byId = new Map(records.flatMap((record) => (record === null ? [] : [[record.accountId, record]])));
    return members.map((member) => {
      const account = member.accountId === null ? undefined : byId.get(member.accountId);
      return { ...member, hasSecondFactor: account !== undefined && hasSecondFactor(account) };
    });
  }

  async function done(member: MemberRecord): Promise<UserOutcome> {
    const [user] = await listed([member]);
    return user === undefined ? refused("not_found") : { type: "done", user };
  }

  /** What `decide` makes of the team is stored, with what `also` adds to it. */
  function stored(
    merchantId: string,
    decide: (team: TeamRecord, atMs: number) => TeamDecision,
    also: (member: MemberRecord, atMs: number) => Promise<readonly CommitPart[]>,
  ): Promise<TeamDecision> {
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const before = await teams.load(merchantId);
      const atMs = clock.nowMs();
      const decision = decide(before?.record ?? newTeam(merchantId), atMs);
      if (decision.type === "refused" || decision.team === before?.record) return decision;
      const after = await teams.commit(before, decision.team, ...(await also(decision.member, atMs)));
      return after === null ? CONFLICT : decision;
    });
  }

  /** The session check reads the team, so that they are void already: this only tidies up, and must not make a change that is stored look as if it were not. */
  async function endSessions({ accountId }: MemberRecord, merchantId: string): Promise<void> {
    if (accountId === null) return;
    try {
      await sessions.end(accountId, (session) => session.merchantId === merchantId);
    } catch (error) {
      failed("sessions of a user", error);
    }
  }

  async function invited(
    merchant: MerchantRecord,
    decide: (team: TeamRecord, tokenSha256: string, atMs: number) => TeamDecision,
  ): Promise<UserOutcome> {
    const { merchantId, merchantName } = merchant;
    if (!merchant.active) return refused("inactive");
    const sendAtMs = await mails.invitationRoom(merchantId);
    const token = secrets.newToken();
    const tokenSha256 = secrets.digest(token);
    const decision = await stored(
      merchantId,
      (team, atMs) => decide(team, tokenSha256, atMs),
      async (member, atMs) => [mails.invitation({ merchantId, merchantName, member, token, sendAtMs, atMs })],
    );
    return decision.type === "refused" ? decision : done(decision.member);
  }

  return {
    list: async (merchantId) => {
      await merchantWith(merchantId);
      return listed((await teams.load(merchantId))?.record.members ?? []);
    },
    invite: async (merchantId, actor, { email: text, role, locale, userId = secrets.newId("usr_") }) => {
      const email = emailOf(text);
      if (email === null || !mails.canReach(email)) throw new RelayError("invalid_request", "email: must be an e-mail address");
      // A masked address would be another one.
      if (holdsSchemePan(email)) throw new RelayError("invalid_request", "email: must not contain a card number");
      const merchant = await merchantWith(merchantId);
      return invited(merchant, (team, tokenSha256, atMs) => {
        // Of this very request, whose first attempt nobody was told of.
        const own = team.members.find((member) => member.userId === userId && member.email === email);
        if (own !== undefined) return { type: "changed", team, member: own };
        return invite(team, actor, { userId, email, role, locale: locale ?? localeOf(team, actor), tokenSha256 }, atMs);
      });
    },
    inviteAgain: async (merchantId, actor, userId) =>
      invited(await merchantWith(merchantId), (team, tokenSha256, atMs) => inviteAgain(team, actor, userId, tokenSha256, atMs)),
    change: async (merchantId, actor, userId, change) => {
      await merchantWith(merchantId);
      const decision = await stored(
        merchantId,
        (team, atMs) => changeMember(team, actor, userId, change, atMs),
        async () => [],
      );
      if (decision.type === "refused") return decision;
      if (decision.member.state === "DISABLED") await endSessions(decision.member, merchantId);
      return done(decision.member);
    },
    remove: async (merchantId, actor, userId) => {
      await merchantWith(merchantId);
      const decision = await stored(
        merchantId,
        (team, atMs) => removeMember(team, actor, userId, atMs),
        async ({ accountId }, atMs) => {
          const account = accountId === null ? null : await accounts.load(accountId);
          return account === null ? [] : [leaving(account, merchantId, atMs)];
        },
      );
      if (decision.type === "refused") return decision;
      await endSessions(decision.member, merchantId);
      return { type: "done", user: { ...decision.member, hasSecondFactor: false } };
    },
  };
}

function leaving({ record: before, version }: Stored<AccountRecord>, merchantId: string, atMs: number): CommitPart {
  const merchantIds = before.merchantIds.filter((one) => one !== merchantId);
  return accountOperations({ account: { record: { ...before, merchantIds, updatedAtMs: atMs }, version }, before });
}

function localeOf(team: TeamRecord, actor: TeamActor): Locale {
  const member = actor.type === "member" ? team.members.find(({ userId }) => userId === actor.userId) : undefined;
  return member?.locale ?? DEFAULT_LOCALE;
}

function refused(why: TeamRefusal | "inactive"): UserOutcome {
  return { type: "refused", why };
}

/** Seconds after which an invitation may be sent again. */
export const RESEND_AFTER_SECONDS = RESEND_AFTER_MS / 1_000;
