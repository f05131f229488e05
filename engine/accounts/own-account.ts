import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { maskSchemePans } from "../kernel/mask.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { Stored } from "../kernel/stored.ts";
import { type AccountRecord, hasSecondFactor, type Locale, PASSKEYS_MAX, SAVED_VIEWS_MAX, type SavedView, type Theme } from "./account.ts";
import { type AccountStore, accountOperations, type CommitPart } from "./account-store.ts";
import type { AccountSecrets, GuardedSecrets, Passkeys, Totp, WebAuthnJson } from "./factors.ts";
import type { Memberships } from "./memberships.ts";
import { isCommonPassword } from "./password-rules.ts";
import { totpPlace } from "./prove-factor.ts";
import { typedRecoveryCode } from "./recovery-codes.ts";
import type { SecurityChange } from "./security-notice.ts";
import { SESSION_LIFETIME_MS, type SessionRecord, STEP_UP_MS } from "./session.ts";
import type { SessionStore } from "./session-store.ts";
import { type Client, type OwnSession, sessionPurpose } from "./sign-in.ts";

export interface AccountPatch {
  readonly locale?: Locale;
  readonly theme?: Theme;
  readonly savedViews?: readonly SavedView[];
  /** What the views were when they were changed: `conflict` where they are others by now, which would else be lost. */
  readonly seen?: { readonly savedViews: readonly SavedView[] };
}

/**
 * A factor that was enrolled. `recoveryCodes`: where the account had none; they are shown this once. `token`: the first factor signs the person in, with
 * a new token for the browser.
 */
export interface Enrolled {
  readonly type: "enrolled";
  readonly recoveryCodes: readonly string[] | null;
  readonly token: string | null;
  readonly session: SessionRecord;
}

/** `ended`: the session has ended meanwhile, or is one of before somebody else enrolled the first factor. */
export type EnrolOutcome = Enrolled | { readonly type: "ended" | "invalid" | "nowhere" };

/**
 * What a person does with its own account. Whether it may, and whether it has to show a fresh second factor first, was decided before. Every
 * method rejects with RelayError `unauthorized` where the account or session is no more, and `unavailable`.
 */
export interface OwnAccount {
  find(own: OwnSession): Promise<AccountRecord>;
  change(own: OwnSession, patch: AccountPatch): Promise<AccountRecord>;
  /** Ends all other sessions. */
  changePassword(
    own: OwnSession,
    request: { password: string; newPassword: string },
    client: Client,
  ): Promise<"changed" | "invalid" | "common">;
  /** A secret for an authenticator app, which counts once a code of it was shown. */
  beginTotp(own: OwnSession): Promise<{ secret: string; uri: string }>;
  confirmTotp(own: OwnSession, code: string, client: Client): Promise<EnrolOutcome>;
  removeTotp(own: OwnSession, client: Client): Promise<RemoveOutcome>;
  passkeyOptions(own: OwnSession): Promise<WebAuthnJson>;
  addPasskey(own: OwnSession, passkey: { name: string; response: WebAuthnJson }, client: Client): Promise<EnrolOutcome | { type: "full" }>;
  removePasskey(own: OwnSession, credentialId: string, client: Client): Promise<RemoveOutcome>;
  /** New ones in the place of all earlier ones. */
  replaceRecoveryCodes(own: OwnSession, client: Client): Promise<readonly string[]>;
}

/** `last`: it is the only second factor, without which nobody signs in. */
export type RemoveOutcome = "removed" | "last" | "not found";

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

  /** Stores a factor; in the stage `enrol` the session becomes a full one, with a new token. */
  function enrol(
    own: OwnSession,
    client: Client,
    what: SecurityChange,
    step: (account: AccountRecord, session: SessionRecord) => AccountRecord | null,
  ): Promise<EnrolOutcome> {
    return retryOnConflict<EnrolOutcome>(ATTEMPTS_MAX, async () => {
      const [account, session] = await Promise.all([load(own), sessionOf(own)]);
      const isFirst = session.record.stage === "enrol";
      // Who knows only the password must not add a factor beside those of the person.
      if (session.record.stage === "factor" || (isFirst && hasSecondFactor(account.record))) return { type: "ended" };
      const withFactor = step(account.record, session.record);
      if (withFactor === null) return { type: "invalid" };
      const recoveryCodes = withFactor.recoveryCodes.length === 0 ? secrets.newRecoveryCodes() : null;
      const record: AccountRecord = {
        ...withFactor,
        ...(recoveryCodes === null ? {} : { recoveryCodes: digestsOf(recoveryCodes) }),
        updatedAtMs: clock.nowMs(),
      };
      const notice = await notices(what, record, client, session.record.merchantId);
      const also = [
        accountOperations({ account: { record, version: account.version }, before: account.record }),
        ...(notice === null ? [] : [notice]),
      ];
      if (!isFirst) {
        const replaced = await sessions.replace(session, { ...session.record, pendingTotp: null }, also);
        return replaced === null ? CONFLICT : { type: "enrolled", recoveryCodes, token: null, session: replaced.record };
      }
      const membership = await memberships.choose(record, session.record.merchantId);
      if (membership === null) return { type: "nowhere" };
      const token = secrets.newToken();
      const nowMs = clock.nowMs();
      const full: SessionRecord = {
        ...session.record,
        tokenSha256: secrets.digest(token),
        stage: "full",
        merchantId: membership.merchantId,
        endsAtMs: nowMs + SESSION_LIFETIME_MS,
        lastUsedAtMs: nowMs,
        steppedUpUntilMs: nowMs + STEP_UP_MS,
        pendingTotp: null,
        codesTried: 0,
      };
      const outcome = await sessions.begin(full, { replaces: session.record.tokenSha256, also });
      if (outcome === "stale") return CONFLICT;
      if (outcome === "ended") return { type: "ended" };
      guard.signedIn(own.accountId, client.ipAddress);
      return { type: "enrolled", recoveryCodes, token, session: full };
    });
  }

  function digestsOf(shown: readonly string[]): string[] {
    return shown.map((code) => secrets.digest(typedRecoveryCode(code) ?? code));
  }

  return {
    find: async (own) => (await load(own)).record,
    change: async (own, { seen, ...patch }) => {
      requireViews(patch.savedViews ?? []);
      return change(own, async (before) => {
        if (seen !== undefined && !areSame(seen.savedViews, before.savedViews)) {
          throw new RelayError("conflict", "The saved views were changed meanwhile, in another browser; read them again");
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
    beginTotp: (own) =>
      retryOnConflict(ATTEMPTS_MAX, async () => {
        const [{ record: account }, session] = await Promise.all([load(own), sessionOf(own)]);
        const secret = totp.newSecret();
        const pendingTotp = box.seal(secret, pendingPlace(own));
        const stored = await sessions.replace(session, { ...session.record, pendingTotp });
        return stored === null ? CONFLICT : { secret, uri: totp.uri(secret, account.email) };
      }),
    confirmTotp: (own, code, client) =>
      enrol(own, client, "authenticator app added", (account, { pendingTotp }) => {
        const secret = pendingTotp === null ? null : box.open(pendingTotp, pendingPlace(own));
        const step = secret === null ? null : totp.stepOf(secret, code.replace(/\s/g, ""), clock.nowMs());
        if (secret === null || step === null) return null;
        const sealedSecret = box.seal(secret, totpPlace(own.accountId));
        return { ...account, totp: { sealedSecret, lastStep: step, enrolledAtMs: clock.nowMs() } };
      }),
    removeTotp: (own, client) =>
      change<RemoveOutcome>(own, async (before) => {
        if (before.totp === null) return { answer: "not found" };
        const account = { ...before, totp: null };
        if (!hasSecondFactor(account)) return { answer: "last" };
        return { account, also: [await noticeOf("authenticator app removed", before, own, client)], answer: "removed" };
      }),
    passkeyOptions: async (own) => {
      const { record } = await load(own);
      return passkeys.registrationOptions(record, sessionPurpose(own));
    },
    addPasskey: async (own, { name, response }, client) => {
      const registered = await passkeys.register(response, sessionPurpose(own));
      if (registered === null) return { type: "invalid" };
      const { record } = await load(own);
      if (record.passkeys.length >= PASSKEYS_MAX) return { type: "full" };
      return enrol(own, client, "passkey added", (account) => {
        // The same answer again, or more than there may be by another request meanwhile.
        if (account.passkeys.some(({ credentialId }) => credentialId === registered.credentialId)) return null;
        if (account.passkeys.length >= PASSKEYS_MAX) return null;
        const passkey = { ...registered, name: maskSchemePans(name), createdAtMs: clock.nowMs(), lastUsedAtMs: null };
        return { ...account, passkeys: [...account.passkeys, passkey] };
      });
    },
    removePasskey: (own, credentialId, client) =>
      change<RemoveOutcome>(own, async (before) => {
        const passkeys = before.passkeys.filter((passkey) => passkey.credentialId !== credentialId);
        if (passkeys.length === before.passkeys.length) return { answer: "not found" };
        const account = { ...before, passkeys };
        if (!hasSecondFactor(account)) return { answer: "last" };
        return { account, also: [await noticeOf("passkey removed", before, own, client)], answer: "removed" };
      }),
    replaceRecoveryCodes: (own, client) =>
      change(own, async (before) => {
        const shown = secrets.newRecoveryCodes();
        const also = [await noticeOf("recovery codes replaced", before, own, client)];
        return { account: { ...before, recoveryCodes: digestsOf(shown) }, also, answer: shown };
      }),
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
    if (names.size >= SAVED_VIEWS_MAX) throw new RelayError("invalid_request", `savedViews: at most ${SAVED_VIEWS_MAX} of one list`);
    lists.set(list, names.add(name));
  }
}

function areSame(views: readonly SavedView[], others: readonly SavedView[]): boolean {
  const isSame = ({ list, name, query }: SavedView, other: SavedView | undefined) =>
    list === other?.list && name === other.name && query === other.query;
  return views.length === others.length && views.every((view, index) => isSame(view, others[index]));
}

function endedError(): RelayError {
  return new RelayError("unauthorized", "Sign in: the session has ended");
}
