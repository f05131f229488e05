import type { Clock } from "../kernel/clock.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import { type AccountRecord, emailOf, hasSecondFactor } from "./account.ts";
import { type AccountStore, accountUnchanged } from "./account-store.ts";
import { factorAccountsOf } from "./factor-accounts.ts";
import {
  type Begun,
  type BegunSession,
  type Client,
  createFactorSteps,
  type FactorOutcome,
  type OwnSession,
  SIGN_IN_PURPOSE,
  sessionPurpose,
} from "./factor-steps.ts";
import type { AccountSecrets, GuardedSecrets, Passkeys, WebAuthnJson } from "./factors.ts";
import type { Memberships } from "./memberships.ts";
import type { FactorProof, ProveFactor } from "./prove-factor.ts";
import type { SessionRecord } from "./session.ts";
import type { SessionStore } from "./session-store.ts";

/** `account`: whose password was not right; null for an address that is nobody's. Not for the answer, which is the same for both. */
export type PasswordOutcome = Begun | { readonly type: "invalid"; readonly account: AccountRecord | null };

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
  const steps = createFactorSteps<AccountRecord, SessionRecord>({
    ...{ sessions, proveFactor, guard, secrets, clock, wrongStage },
    accounts: factorAccountsOf(accounts),
  });

  function newSession(
    account: AccountRecord,
    client: Client,
    { stage, merchantId }: Pick<SessionRecord, "stage" | "merchantId">,
  ): SessionRecord {
    return { ...steps.newSession(account.accountId, client, stage), email: account.email, merchantId };
  }

  async function afterPassword(account: Stored<AccountRecord>, client: Client, replaces: OwnSession | null): Promise<BegunSession | null> {
    const { accountId, passwordHash } = account.record;
    let stored: Stored<AccountRecord> | null = account;
    const begun = await retryOnConflict(ATTEMPTS_MAX, async () => {
      // A password that was changed or reset meanwhile, which ended all sessions, opens none.
      if (stored === null || stored.record.passwordHash !== passwordHash) return null;
      const stage = hasSecondFactor(stored.record) ? "factor" : "enrol";
      const merchantId = (await memberships.choose(stored.record, null))?.merchantId ?? null;
      const begun = steps.withToken(newSession(stored.record, client, { stage, merchantId }));
      const outcome = await sessions.begin(begun.session, { replaces: null, also: [accountUnchanged(stored)] });
      if (outcome === "committed") return begun;
      stored = await accounts.load(accountId);
      return CONFLICT;
    });
    // Its browser has another token now: nobody could sign out of the session before.
    if (begun !== null && replaces !== null) await steps.endSession(replaces);
    return begun;
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
      steps.prove(own, proof, client, {
        stage: "factor",
        lingersMs: 0,
        next: async (account, { sessionId, merchantId }) => {
          const membership = await memberships.choose(account, merchantId);
          if (membership === null) return null;
          return { ...newSession(account, client, { stage: "full", merchantId: membership.merchantId }), sessionId };
        },
      }),
    stepUp: steps.stepUp,
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
        const outcome = await steps.begin(account, proven, session, null);
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

function wrongStage(stage: SessionRecord["stage"]): string {
  if (stage === "full") return "You are already signed in: use POST /api/merchant/session/step-up to show a fresh second factor";
  if (stage === "enrol")
    return "The account has no second factor yet: enrol one with POST /api/merchant/me/totp or /api/merchant/me/passkeys";
  return "The second factor is missing: send it with POST /api/merchant/session/second-factor";
}
