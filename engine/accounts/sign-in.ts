import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import { type AccountRecord, emailOf, hasSecondFactor } from "./account.ts";
import { type AccountStore, accountOperations, accountUnchanged } from "./account-store.ts";
import type { AccountSecrets, GuardedSecrets, Passkeys, WebAuthnJson } from "./factors.ts";
import type { Memberships } from "./memberships.ts";
import type { FactorProof, ProveFactor, ProvenFactor } from "./prove-factor.ts";
import {
  ENROL_STAGE_MS,
  FACTOR_STAGE_MS,
  LINGERS_MS,
  SESSION_LIFETIME_MS,
  type SessionRecord,
  STEP_UP_MS,
  userAgentOf,
  WRONG_CODES_MAX,
} from "./session.ts";
import type { SessionStore } from "./session-store.ts";

/** Where a request comes from. */
export interface Client {
  readonly ipAddress: string;
  /** The header as it came. */
  readonly userAgent: string;
}

/** A session with the token that opens it, which is told to its browser and nobody else. */
export interface BegunSession {
  readonly token: string;
  readonly session: SessionRecord;
}

/** The session that a request came with. */
export type OwnSession = Pick<SessionRecord, "accountId" | "sessionId">;

export type Begun = { readonly type: "begun" } & BegunSession;
/** `account`: whose password was not right; null for an address that is nobody's. Not for the answer, which is the same for both. */
export type PasswordOutcome = Begun | { readonly type: "invalid"; readonly account: AccountRecord | null };
/** `invalid`: the factor was not right. `ended`: the session has ended, or ends by this attempt. `nowhere`: the person may sign in at no merchant. */
export type FactorOutcome =
  | Begun
  | { readonly type: "invalid"; readonly account: AccountRecord | null }
  | { readonly type: "ended" }
  | { readonly type: "nowhere"; readonly account: AccountRecord };

/**
 * Signing in to the portal: a password, then a second factor; or a passkey alone. Each factor gives the session a new token. Every method rejects with RelayError
 * `rate_limited` for who is held back, and `unavailable` and `too_busy`.
 */
export interface SignIn {
  /** `replaces`: the session that the browser has already, which ends. */
  withPassword(request: { email: string; password: string; client: Client; replaces: OwnSession | null }): Promise<PasswordOutcome>;
  /** For who has just shown or chosen the account's password; `replaces` as there. Null where the password was changed meanwhile. */
  afterPassword(account: Stored<AccountRecord>, client: Client, replaces: OwnSession | null): Promise<BegunSession | null>;
  /** The second factor of a session in the stage `factor`. */
  withFactor(own: OwnSession, proof: FactorProof, client: Client): Promise<FactorOutcome>;
  /** A passkey with which the person names itself. */
  withPasskey(response: WebAuthnJson, client: Client): Promise<FactorOutcome>;
  /** A fresh second factor of a session in the stage `full`. */
  stepUp(own: OwnSession, proof: FactorProof, client: Client): Promise<FactorOutcome>;
  /** What the browser asks an authenticator: any passkey where nobody is signed in, else one of the account. */
  passkeyOptions(own: OwnSession | null): Promise<WebAuthnJson>;
  /** False where the person may not sign in at this merchant. */
  chooseMerchant(own: OwnSession, merchantId: string): Promise<SessionRecord | "ended" | "not a member">;
}

/** What a challenge is for: an answer for one session is none for another. */
export const SIGN_IN_PURPOSE = "sign-in";
export function sessionPurpose({ sessionId }: Pick<SessionRecord, "sessionId">): string {
  return `session ${sessionId}`;
}

/** Changes of one account or session that may come in between: what one person does with some browsers. */
const ATTEMPTS_MAX = 32;

/** An id that no account has: an unknown address then takes the reads of a known one. */
const NOBODY = "acc_nobody";

export interface SignInOptions {
  accounts: AccountStore;
  sessions: SessionStore;
  memberships: Memberships;
  proveFactor: ProveFactor;
  passkeys: Passkeys;
  guard: GuardedSecrets;
  secrets: AccountSecrets;
  clock: Clock;
}

export function createSignIn(options: SignInOptions): SignIn {
  const { accounts, sessions, memberships, proveFactor, passkeys, guard, secrets, clock } = options;

  function newSession(account: AccountRecord, client: Client, change: Pick<SessionRecord, "stage" | "merchantId">): SessionRecord {
    const nowMs = clock.nowMs();
    const lifetimeMs = { factor: FACTOR_STAGE_MS, enrol: ENROL_STAGE_MS, full: SESSION_LIFETIME_MS }[change.stage];
    return {
      schema: 1,
      tokenSha256: "",
      sessionId: secrets.newId("ses_"),
      accountId: account.accountId,
      email: account.email,
      createdAtMs: nowMs,
      lastUsedAtMs: nowMs,
      endsAtMs: nowMs + lifetimeMs,
      // Who has no second factor yet cannot show one: until it has enrolled one, nothing else is open to it.
      steppedUpUntilMs: { factor: 0, enrol: nowMs + ENROL_STAGE_MS, full: nowMs + STEP_UP_MS }[change.stage],
      codesTried: 0,
      pendingTotp: null,
      ipAddress: client.ipAddress,
      userAgent: userAgentOf(client.userAgent),
      ...change,
    };
  }

  function withToken(session: SessionRecord): BegunSession {
    const token = secrets.newToken();
    return { token, session: { ...session, tokenSha256: secrets.digest(token) } };
  }

  async function afterPassword(account: Stored<AccountRecord>, client: Client, replaces: OwnSession | null): Promise<BegunSession | null> {
    const { accountId, passwordHash } = account.record;
    let stored: Stored<AccountRecord> | null = account;
    const begun = await retryOnConflict(ATTEMPTS_MAX, async () => {
      // A password that was changed or reset meanwhile, which ended all sessions, opens none.
      if (stored === null || stored.record.passwordHash !== passwordHash) return null;
      const stage = hasSecondFactor(stored.record) ? "factor" : "enrol";
      const merchantId = (await memberships.choose(stored.record, null))?.merchantId ?? null;
      const begun = withToken(newSession(stored.record, client, { stage, merchantId }));
      const outcome = await sessions.begin(begun.session, { replaces: null, also: [accountUnchanged(stored)] });
      if (outcome === "committed") return begun;
      stored = await accounts.load(accountId);
      return CONFLICT;
    });
    // Its browser has another token now: nobody could sign out of the session before.
    if (begun !== null && replaces !== null) await endSession(replaces);
    return begun;
  }

  /** The full session of a person that has shown all its factors, in one commit with the factor's use. */
  async function begin(
    { record: before, version }: Stored<AccountRecord>,
    proven: ProvenFactor,
    session: SessionRecord,
    replaces: string | null,
    lingersMs = 0,
  ): Promise<Begun | { type: "ended" } | typeof CONFLICT> {
    const begun = withToken(session);
    const also = [accountOperations({ account: { record: proven.account, version }, before }), ...proven.also];
    const outcome = await sessions.begin(begun.session, { replaces, also, lingersMs });
    if (outcome === "stale") return CONFLICT;
    return outcome === "ended" ? { type: "ended" } : { type: "begun", ...begun };
  }

  /**
   * Counts a code before it is compared, so that codes that are tried at once do not exceed the limit. Null where there were too many, which ends
   * the session.
   */
  async function counted(own: OwnSession, stage: SessionRecord["stage"]): Promise<SessionRecord | null> {
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const stored = await sessions.bySessionId(own.accountId, own.sessionId);
      if (stored === null) return null;
      requireStage(stored.record, stage);
      if (stored.record.codesTried >= WRONG_CODES_MAX) {
        await endSession(own);
        return null;
      }
      const next = await sessions.replace(stored, { ...stored.record, codesTried: stored.record.codesTried + 1 });
      return next?.record ?? CONFLICT;
    });
  }

  function endSession({ accountId, sessionId }: OwnSession): Promise<number> {
    return sessions.end(accountId, (session) => session.sessionId === sessionId);
  }

  /** Proves a factor for a session, with what `next` makes of the session. */
  async function prove(
    own: OwnSession,
    proof: FactorProof,
    client: Client,
    step: {
      stage: SessionRecord["stage"];
      next(account: AccountRecord, session: SessionRecord): Promise<SessionRecord | null>;
      lingersMs: number;
    },
  ): Promise<FactorOutcome> {
    const session =
      proof.type === "passkey"
        ? ((await sessions.bySessionId(own.accountId, own.sessionId))?.record ?? null)
        : await counted(own, step.stage);
    if (session === null) return { type: "ended" };
    requireStage(session, step.stage);
    const attempt = (): Promise<FactorOutcome | null> =>
      retryOnConflict(ATTEMPTS_MAX, async () => {
        const account = await accounts.load(own.accountId);
        if (account === null) return { type: "ended" };
        const proven = await proveFactor(account.record, proof);
        if (proven === null) return null;
        const next = await step.next(account.record, session);
        if (next === null) return { type: "nowhere", account: account.record };
        return begin(account, proven, next, session.tokenSha256, step.lingersMs);
      });
    const outcome =
      proof.type === "passkey"
        ? await attempt()
        : await guard.compareCode(proof.code, { accountId: own.accountId, atMs: clock.nowMs() }, client.ipAddress, attempt);
    if (outcome !== null) {
      if (outcome.type === "begun") guard.signedIn(own.accountId, client.ipAddress);
      return outcome;
    }
    if (proof.type !== "passkey" && session.codesTried >= WRONG_CODES_MAX) {
      await endSession(own);
      return { type: "ended" };
    }
    return { type: "invalid", account: (await accounts.load(own.accountId))?.record ?? null };
  }

  return {
    withPassword: async ({ email, password, client, replaces }) => {
      const address = emailOf(email);
      const found = address === null ? null : await accounts.byEmail(address);
      if (found === null) await accounts.load(NOBODY);
      const account = found === null ? { username: `portal ${address ?? email}`, isKnown: false } : knownAccount(found.record);
      const hash = found?.record.passwordHash ?? null;
      const isRight = await guard.isPassword(password, { account, hash, version: found?.version ?? 0 }, client.ipAddress);
      if (!isRight || found === null) return { type: "invalid", account: found?.record ?? null };
      const begun = await afterPassword(found, client, replaces);
      if (begun === null) return { type: "invalid", account: found.record };
      return { type: "begun", ...begun };
    },
    afterPassword,
    withFactor: (own, proof, client) =>
      prove(own, proof, client, {
        stage: "factor",
        lingersMs: 0,
        next: async (account, { sessionId, merchantId }) => {
          const membership = await memberships.choose(account, merchantId);
          if (membership === null) return null;
          return { ...newSession(account, client, { stage: "full", merchantId: membership.merchantId }), sessionId };
        },
      }),
    stepUp: (own, proof, client) =>
      prove(own, proof, client, {
        stage: "full",
        lingersMs: LINGERS_MS,
        next: async (_, session) => ({ ...session, codesTried: 0, steppedUpUntilMs: clock.nowMs() + STEP_UP_MS }),
      }),
    withPasskey: async (response, client) => {
      const accountId = passkeys.claimed(response)?.accountId ?? null;
      return retryOnConflict<FactorOutcome>(ATTEMPTS_MAX, async () => {
        const account = accountId === null ? null : await accounts.load(accountId);
        if (account === null) return { type: "invalid", account: null };
        const proven = await proveFactor(account.record, { type: "passkey", response, purpose: SIGN_IN_PURPOSE });
        if (proven === null) return { type: "invalid", account: account.record };
        const membership = await memberships.choose(account.record, null);
        if (membership === null) return { type: "nowhere", account: account.record };
        const session = newSession(account.record, client, { stage: "full", merchantId: membership.merchantId });
        const outcome = await begin(account, proven, session, null);
        if (outcome !== CONFLICT && outcome.type === "begun") guard.signedIn(account.record.accountId, client.ipAddress);
        return outcome;
      });
    },
    passkeyOptions: async (own) => {
      if (own === null) return passkeys.authenticationOptions(null, SIGN_IN_PURPOSE);
      const account = await accounts.load(own.accountId);
      return passkeys.authenticationOptions(account?.record.passkeys ?? [], sessionPurpose(own));
    },
    chooseMerchant: (own, merchantId) =>
      retryOnConflict(ATTEMPTS_MAX, async () => {
        const stored = await sessions.bySessionId(own.accountId, own.sessionId);
        if (stored === null) return "ended";
        if ((await memberships.at(own.accountId, merchantId)) === null) return "not a member";
        return (await sessions.replace(stored, { ...stored.record, merchantId }))?.record ?? CONFLICT;
      }),
  };
}

/** Failures count by an account's id, which no log and no metric tells a person by. */
function knownAccount({ accountId }: AccountRecord): { username: string; isKnown: boolean } {
  return { username: accountId, isKnown: true };
}

function requireStage({ stage }: SessionRecord, needed: SessionRecord["stage"]): void {
  if (stage !== needed) throw new RelayError("invalid_request", wrongStage(stage));
}

function wrongStage(stage: SessionRecord["stage"]): string {
  if (stage === "full") return "This session is signed in: POST /api/merchant/session/step-up shows a fresh second factor";
  if (stage === "enrol")
    return "The account has no second factor yet: enrol one with POST /api/merchant/me/totp or /api/merchant/me/passkeys";
  return "The second factor is missing: POST /api/merchant/session/second-factor";
}
