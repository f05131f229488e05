import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { maskSchemePans } from "../kernel/mask.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { Stored } from "../kernel/stored.ts";
import { type AccountRecord, type Locale, SAVED_VIEWS_MAX, type SavedView, type Theme } from "./account.ts";
import type { AccountStore, CommitPart } from "./account-store.ts";
import { createEnrolFactors, type EnrolFactors, endedError } from "./enrol-factors.ts";
import { factorAccountsOf } from "./factor-accounts.ts";
import type { Client, OwnSession } from "./factor-steps.ts";
import type { AccountSecrets, GuardedSecrets, Passkeys, Totp } from "./factors.ts";
import type { Memberships } from "./memberships.ts";
import { isCommonPassword } from "./password-rules.ts";
import { totpPlace } from "./prove-factor.ts";
import type { SecurityChange } from "./security-notice.ts";
import type { SessionRecord } from "./session.ts";
import type { SessionStore } from "./session-store.ts";

export interface AccountPatch {
  readonly locale?: Locale;
  readonly theme?: Theme;
  readonly savedViews?: readonly SavedView[];
  /** What the views were when they were changed: `conflict` where they are others by now, which would else be lost. */
  readonly seen?: { readonly savedViews: readonly SavedView[] };
}

/**
 * What a person does with its own account. Whether it may, and whether it has to show a fresh second factor first, was decided before. Every
 * method rejects with RelayError `unauthorized` where the account or session is no more, and `unavailable`.
 */
export interface OwnAccount extends EnrolFactors {
  find(own: OwnSession): Promise<AccountRecord>;
  change(own: OwnSession, patch: AccountPatch): Promise<AccountRecord>;
  /** Ends all other sessions. */
  changePassword(
    own: OwnSession,
    request: { password: string; newPassword: string },
    client: Client,
  ): Promise<"changed" | "invalid" | "common">;
}

/** A notice of a change, for the commit that makes it; null where none can be queued now. */
export type SecurityNotices = (
  change: SecurityChange,
  account: AccountRecord,
  client: Client,
  merchantId: string | null,
) => Promise<CommitPart | null>;

const ATTEMPTS_MAX = 32;

export interface OwnAccountOptions {
  accounts: AccountStore;
  sessions: SessionStore;
  memberships: Pick<Memberships, "choose" | "of">;
  totp: Totp;
  passkeys: Passkeys;
  guard: GuardedSecrets;
  secrets: AccountSecrets;
  box: SecretBox;
  clock: Clock;
  notices: SecurityNotices;
}

export function createOwnAccount(options: OwnAccountOptions): OwnAccount {
  const { accounts, sessions, memberships, totp, passkeys, guard, secrets, box, clock, notices } = options;

  async function load(own: OwnSession): Promise<Stored<AccountRecord>> {
    const account = await accounts.load(own.accountId);
    if (account === null) throw endedError();
    return account;
  }

  async function sessionOf(own: OwnSession): Promise<Stored<SessionRecord>> {
    const session = await sessions.bySessionId(own.accountId, own.sessionId);
    if (session === null) throw endedError();
    return session;
  }

  /** Changes the account until nothing else was first; `step` answers with what is to be stored, or with why nothing is. */
  function change<T>(
    own: OwnSession,
    step: (account: AccountRecord) => Promise<{ account: AccountRecord; also?: readonly (CommitPart | null)[]; answer: T } | { answer: T }>,
  ): Promise<T> {
    return retryOnConflict<{ answer: T }>(ATTEMPTS_MAX, async () => {
      const { record: before, version } = await load(own);
      const next = await step(before);
      if (!("account" in next)) return next;
      const record = { ...next.account, updatedAtMs: clock.nowMs() };
      const also = (next.also ?? []).filter((part) => part !== null);
      const outcome = await accounts.commit({ account: { record, version }, before }, also);
      return outcome.type === "committed" ? next : CONFLICT;
    }).then(({ answer }) => answer);
  }

  async function noticeOf(what: SecurityChange, account: AccountRecord, own: OwnSession, client: Client): Promise<CommitPart | null> {
    const { record } = await sessionOf(own);
    return notices(what, account, client, record.merchantId);
  }

  const factors = createEnrolFactors<AccountRecord, SessionRecord>({
    ...{ sessions, totp, passkeys, guard, secrets, box, clock },
    accounts: factorAccountsOf(accounts),
    labelOf: ({ email }) => email,
    placeOf: totpPlace,
    pendingPlaceOf: pendingPlace,
    signedIn: async (account, session) => {
      const membership = await memberships.choose(account, session.merchantId);
      return membership === null ? null : { ...session, merchantId: membership.merchantId };
    },
    notice: (what, account, client, { merchantId }) => notices(what, account, client, merchantId),
  });

  return {
    ...factors,
    find: async (own) => (await load(own)).record,
    change: async (own, { seen, ...patch }) => {
      requireViews(patch.savedViews ?? []);
      return change(own, async (before) => {
        if (seen !== undefined && !areSame(seen.savedViews, before.savedViews)) {
          throw new RelayError("conflict", "The saved views were changed in another browser in the meantime; read them again");
        }
        // One by one: whatever else came with them must not get into the account.
        const { locale = before.locale, theme = before.theme, savedViews } = patch;
        const account = { ...before, locale, theme, savedViews: savedViews?.map(masked) ?? before.savedViews };
        return { account, answer: account };
      });
    },
    changePassword: async (own, { password, newPassword }, client) => {
      const { record, version } = await load(own);
      const account = { username: own.accountId, isKnown: true };
      if (!(await guard.isPassword(password, { account, hash: record.passwordHash, version }, client.ipAddress))) return "invalid";
      const merchants = await memberships.of(record);
      const words = merchants.flatMap(({ merchantId, merchantName }) => [merchantId, merchantName]);
      if (isCommonPassword(newPassword, [record.email, ...words])) return "common";
      const passwordHash = await secrets.hashPassword(newPassword);
      return change(own, async (before) => {
        // It was changed by another request meanwhile: the one that was shown is no longer right.
        if (before.passwordHash !== record.passwordHash) return { answer: "invalid" };
        const also = [await sessions.endAll(own.accountId, own.sessionId), await noticeOf("password changed", before, own, client)];
        return { account: { ...before, passwordHash }, also, answer: "changed" };
      });
    },
  };
}

/** Where a secret that is being enrolled is sealed for. */
function pendingPlace({ sessionId }: OwnSession): string {
  return `portal-session/${sessionId}/totp`;
}

/** What a person types may hold a card number. */
function masked({ list, name, query }: SavedView): SavedView {
  return { list, name: maskSchemePans(name), query: maskSchemePans(query) };
}

function requireViews(views: readonly SavedView[]): void {
  const lists = new Map<string, Set<string>>();
  for (const { list, name } of views) {
    const names = lists.get(list) ?? new Set();
    if (names.has(name)) throw new RelayError("invalid_request", `savedViews: ${list} has two views with the same name`);
    if (names.size >= SAVED_VIEWS_MAX)
      throw new RelayError("invalid_request", `savedViews: may have at most ${SAVED_VIEWS_MAX} for each list`);
    lists.set(list, names.add(name));
  }
}

function areSame(views: readonly SavedView[], others: readonly SavedView[]): boolean {
  const isSame = ({ list, name, query }: SavedView, other: SavedView | undefined) =>
    list === other?.list && name === other.name && query === other.query;
  return views.length === others.length && views.every((view, index) => isSame(view, others[index]));
}
