import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { maskSchemePans } from "../kernel/mask.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { Stored } from "../kernel/stored.ts";
import { hasSecondFactor, PASSKEYS_MAX, type SecondFactors } from "./account.ts";
import type { CommitPart } from "./account-store.ts";
import type { FactorAccounts } from "./factor-accounts.ts";
import { type Client, type OwnSession, sessionPurpose } from "./factor-steps.ts";
import type { AccountSecrets, GuardedSecrets, Passkeys, Totp, WebAuthnJson } from "./factors.ts";
import { typedRecoveryCode } from "./recovery-codes.ts";
import type { SecurityChange } from "./security-notice.ts";
import { SESSION_LIFETIME_MS, type SessionCore, type SessionRecord, STEP_UP_MS } from "./session.ts";
import type { SessionStore } from "./session-store.ts";

/**
 * A factor that was enrolled. `recoveryCodes`: where there were none; they are shown this once. `token`: the first factor signs in, with a new token for
 * the browser.
 */
export interface Enrolled<S extends SessionCore = SessionRecord> {
  readonly type: "enrolled";
  readonly recoveryCodes: readonly string[] | null;
  readonly token: string | null;
  readonly session: S;
}

/** `ended`: the session has ended meanwhile, or is one of before somebody else enrolled the first factor. */
export type EnrolOutcome<S extends SessionCore = SessionRecord> = Enrolled<S> | { readonly type: "ended" | "invalid" | "nowhere" };

/** `last`: it is the only second factor, without which nobody signs in. */
export type RemoveOutcome = "removed" | "last" | "not found";

/**
 * What somebody who signs in does with its own second factors, the same for people of the portal and for administrators. Whether it may, and whether it has to
 * show a fresh second factor first, was decided before. Every method rejects with RelayError `unauthorized` where the account or session is no more, and
 * `unavailable`.
 */
export interface EnrolFactors<S extends SessionCore = SessionRecord> {
  /** A secret for an authenticator app, which counts once a code of it was shown. */
  beginTotp(own: OwnSession): Promise<{ secret: string; uri: string }>;
  confirmTotp(own: OwnSession, code: string, client: Client): Promise<EnrolOutcome<S>>;
  removeTotp(own: OwnSession, client: Client): Promise<RemoveOutcome>;
  passkeyOptions(own: OwnSession): Promise<WebAuthnJson>;
  addPasskey(
    own: OwnSession,
    passkey: { name: string; response: WebAuthnJson },
    client: Client,
  ): Promise<EnrolOutcome<S> | { type: "full" }>;
  removePasskey(own: OwnSession, credentialId: string, client: Client): Promise<RemoveOutcome>;
  /** New ones in the place of all earlier ones. */
  replaceRecoveryCodes(own: OwnSession, client: Client): Promise<readonly string[]>;
}

const ATTEMPTS_MAX = 32;

export interface EnrolFactorsOptions<A extends SecondFactors, S extends SessionCore> {
  accounts: FactorAccounts<A>;
  sessions: SessionStore<S>;
  totp: Totp;
  passkeys: Passkeys;
  guard: Pick<GuardedSecrets, "signedIn">;
  secrets: Pick<AccountSecrets, "newToken" | "newRecoveryCodes" | "digest">;
  box: SecretBox;
  clock: Clock;
  /** What an authenticator shows of whose it is: an e-mail address, or a name. */
  labelOf(account: A): string;
  /** Where secrets are sealed for: that of an account, and one that a session is enrolling. */
  placeOf(accountId: string): string;
  pendingPlaceOf(own: OwnSession): string;
  /** What the first factor makes of a session in the stage `enrol`, beside what every one becomes; null where it may not sign in anywhere. */
  signedIn(account: A, session: S): Promise<S | null>;
  /** Tells of a change, in the commit that makes it; null where nobody is told. */
  notice(change: SecurityChange, account: A, client: Client, session: S): Promise<CommitPart | null>;
}

export function createEnrolFactors<A extends SecondFactors, S extends SessionCore>(options: EnrolFactorsOptions<A, S>): EnrolFactors<S> {
  const { accounts, sessions, totp, passkeys, guard, secrets, box, clock } = options;
  const { labelOf, placeOf, pendingPlaceOf, signedIn, notice } = options;

  async function load(own: OwnSession): Promise<Stored<A>> {
    const account = await accounts.load(own.accountId);
    if (account === null) throw endedError();
    return account;
  }

  async function sessionOf(own: OwnSession): Promise<Stored<S>> {
    const session = await sessions.bySessionId(own.accountId, own.sessionId);
    if (session === null) throw endedError();
    return session;
  }

  /** Changes the account until nothing else was first; `step` answers with what is to be stored, or with why nothing is. */
  function change<T>(
    own: OwnSession,
    client: Client,
    what: SecurityChange,
    step: (account: A) => { account: A; answer: T } | { answer: T },
  ): Promise<T> {
    return retryOnConflict<{ answer: T }>(ATTEMPTS_MAX, async () => {
      const before = await load(own);
      const next = step(before.record);
      if (!("account" in next)) return next;
      const told = await notice(what, before.record, client, (await sessionOf(own)).record);
      const after = { ...next.account, updatedAtMs: clock.nowMs() };
      return (await accounts.commit(before, after, told === null ? [] : [told])) ? next : CONFLICT;
    }).then(({ answer }) => answer);
  }

  /** Stores a factor; in the stage `enrol` the session becomes a full one, with a new token. */
  function enrol(
    own: OwnSession,
    client: Client,
    what: SecurityChange,
    step: (account: A, session: S) => A | null,
  ): Promise<EnrolOutcome<S>> {
    return retryOnConflict<EnrolOutcome<S>>(ATTEMPTS_MAX, async () => {
      const [account, session] = await Promise.all([load(own), sessionOf(own)]);
      const isFirst = session.record.stage === "enrol";
      // Who knows only the password must not add a factor beside those of the person.
      if (session.record.stage === "factor" || (isFirst && hasSecondFactor(account.record))) return { type: "ended" };
      const withFactor = step(account.record, session.record);
      if (withFactor === null) return { type: "invalid" };
      const recoveryCodes = withFactor.recoveryCodes.length === 0 ? secrets.newRecoveryCodes() : null;
      const record: A = {
        ...withFactor,
        ...(recoveryCodes === null ? {} : { recoveryCodes: digestsOf(recoveryCodes) }),
        updatedAtMs: clock.nowMs(),
      };
      const told = await notice(what, record, client, session.record);
      const also = [accounts.change(account, record), ...(told === null ? [] : [told])];
      if (!isFirst) {
        const replaced = await sessions.replace(session, { ...session.record, pendingTotp: null }, also);
        return replaced === null ? CONFLICT : { type: "enrolled", recoveryCodes, token: null, session: replaced.record };
      }
      const next = await signedIn(record, session.record);
      if (next === null) return { type: "nowhere" };
      const token = secrets.newToken();
      const nowMs = clock.nowMs();
      const full: S = {
        ...next,
        tokenSha256: secrets.digest(token),
        stage: "full",
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
    beginTotp: (own) =>
      retryOnConflict(ATTEMPTS_MAX, async () => {
        const [{ record: account }, session] = await Promise.all([load(own), sessionOf(own)]);
        const secret = totp.newSecret();
        const pendingTotp = box.seal(secret, pendingPlaceOf(own));
        const stored = await sessions.replace(session, { ...session.record, pendingTotp });
        return stored === null ? CONFLICT : { secret, uri: totp.uri(secret, labelOf(account)) };
      }),
    confirmTotp: (own, code, client) =>
      enrol(own, client, "authenticator app added", (account, { pendingTotp }) => {
        const secret = pendingTotp === null ? null : box.open(pendingTotp, pendingPlaceOf(own));
        const step = secret === null ? null : totp.stepOf(secret, code.replace(/\s/g, ""), clock.nowMs());
        if (secret === null || step === null) return null;
        const sealedSecret = box.seal(secret, placeOf(own.accountId));
        return { ...account, totp: { sealedSecret, lastStep: step, enrolledAtMs: clock.nowMs() } };
      }),
    removeTotp: (own, client) =>
      change<RemoveOutcome>(own, client, "authenticator app removed", (before) => {
        if (before.totp === null) return { answer: "not found" };
        const account = { ...before, totp: null };
        return hasSecondFactor(account) ? { account, answer: "removed" } : { answer: "last" };
      }),
    passkeyOptions: async (own) => {
      const { record } = await load(own);
      const { accountId, passkeys: known } = record;
      return passkeys.registrationOptions({ accountId, label: labelOf(record), passkeys: known }, sessionPurpose(own));
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
      change<RemoveOutcome>(own, client, "passkey removed", (before) => {
        const passkeys = before.passkeys.filter((passkey) => passkey.credentialId !== credentialId);
        if (passkeys.length === before.passkeys.length) return { answer: "not found" };
        const account = { ...before, passkeys };
        return hasSecondFactor(account) ? { account, answer: "removed" } : { answer: "last" };
      }),
    replaceRecoveryCodes: (own, client) =>
      change(own, client, "recovery codes replaced", (before) => {
        const shown = secrets.newRecoveryCodes();
        return { account: { ...before, recoveryCodes: digestsOf(shown) }, answer: shown };
      }),
  };
}

export function endedError(): RelayError {
  return new RelayError("unauthorized", "Sign in: the session has ended");
}
