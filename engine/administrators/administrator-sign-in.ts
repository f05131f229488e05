import type { SessionStage } from "../access/merchant-user-grant.ts";
import { type FactorMethod, factorMethodsOf, hasSecondFactor } from "../accounts/account.ts";
import type { CommitPart } from "../accounts/account-store.ts";
import { createEnrolFactors, type EnrolFactors } from "../accounts/enrol-factors.ts";
import type { FactorAccounts } from "../accounts/factor-accounts.ts";
import {
  type Begun,
  type Client,
  createFactorSteps,
  type FactorOutcome,
  type OwnSession,
  SIGN_IN_PURPOSE,
  sessionPurpose,
} from "../accounts/factor-steps.ts";
import type { AccountSecrets, GuardedSecrets, Passkeys, Totp, WebAuthnJson } from "../accounts/factors.ts";
import type { FactorProof, ProveFactor } from "../accounts/prove-factor.ts";
import type { SessionStore } from "../accounts/session-store.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import { type AdministratorFactors, type AdministratorFactorsStore, administratorTotpPlace } from "./administrator-factors-store.ts";
import { type AdministratorSession, administratorPendingPlace } from "./administrator-session.ts";
import type { OwnerNotice } from "./owner-notice.ts";
import { createResetAdministratorFactors } from "./reset-administrator-factors.ts";
import type { SigningAdministrator, SigningAdministrators } from "./signing-administrators.ts";

/** `username`: of the administrator whose password or passkey was not right; null for nobody's. Not for the answer, which is the same for both. */
export type AdministratorPasswordOutcome = Begun<AdministratorSession> | { readonly type: "invalid"; readonly username: string | null };
export type AdministratorFactorOutcome = FactorOutcome<AdministratorFactors, AdministratorSession>;

/**
 * Signing in to the operators' pages: the password of an administrator's login, then a second factor; or a passkey alone. Each factor gives the session a new token.
 * Every method rejects with RelayError `rate_limited` for who is held back, and `unavailable` and `too_busy`.
 */
export interface AdministratorSignIn {
  /** `replaces`: the session that the browser has already, which ends. */
  withPassword(request: {
    username: string;
    password: string;
    client: Client;
    replaces: OwnSession | null;
  }): Promise<AdministratorPasswordOutcome>;
  /** The second factor of a session in the stage `factor`. */
  withFactor(own: OwnSession, proof: FactorProof, client: Client): Promise<AdministratorFactorOutcome>;
  /** A passkey by which the administrator names itself. */
  withPasskey(response: WebAuthnJson, client: Client): Promise<AdministratorFactorOutcome>;
  /** A fresh second factor of a session in the stage `full`. */
  stepUp(own: OwnSession, proof: FactorProof, client: Client): Promise<AdministratorFactorOutcome>;
  /** What the browser asks an authenticator: any passkey where nobody is signed in, else one of the administrator. */
  passkeyOptions(own: OwnSession | null): Promise<WebAuthnJson>;
  end(own: OwnSession): Promise<void>;
  /** What there is as second factor; null where the administrator may no longer sign in. */
  factors(own: Pick<OwnSession, "accountId">): Promise<AdministratorFactors | null>;
  methods(own: Pick<OwnSession, "accountId">): Promise<FactorMethod[]>;
  readonly enrol: EnrolFactors<AdministratorSession>;
  /**
   * Takes all second factors from an administrator that has lost them, and ends its sessions: it enrols new ones with its next sign-in. Throws RelayError
   * `not_found` where there is no such administrator, and `forbidden` where `actor` is no longer an owner.
   */
  resetFactors(actor: string, username: string): Promise<void>;
}

export interface AdministratorSignInOptions {
  administrators: SigningAdministrators;
  factors: AdministratorFactorsStore;
  sessions: SessionStore<AdministratorSession>;
  /** Compares a password as it is compared in a login, and counts it with those. Rejects with RelayError `rate_limited` and `too_busy`. */
  isPassword(login: { username: string; password: string }, ipAddress: string): Promise<boolean>;
  /** That somebody is an owner still, for a commit that an owner decides. Rejects with RelayError `forbidden`. */
  stillOwner(actor: string): Promise<CommitPart>;
  ownerNotice: OwnerNotice;
  proveFactor: ProveFactor;
  totp: Totp;
  passkeys: Passkeys;
  guard: Pick<GuardedSecrets, "compareCode" | "signedIn">;
  secrets: AccountSecrets;
  box: SecretBox;
  clock: Clock;
}

const ATTEMPTS_MAX = 32;

export function createAdministratorSignIn(options: AdministratorSignInOptions): AdministratorSignIn {
  const { administrators, sessions, isPassword, stillOwner, ownerNotice, proveFactor, totp, passkeys, guard, secrets, box, clock } =
    options;
  const store = options.factors;
  const resetFactors = createResetAdministratorFactors({ factors: store, sessions, clock });
  const isConfigured = (accountId: string) => administrators.byAccountId(accountId)?.isConfigured === true;

  const accounts: FactorAccounts<AdministratorFactors> = {
    load: async (accountId) => {
      const administrator = administrators.byAccountId(accountId);
      return administrator === null ? null : store.load(accountId, administrator.username);
    },
    change: store.change,
    commit: store.commit,
  };
  const steps = createFactorSteps<AdministratorFactors, AdministratorSession>({
    ...{ accounts, sessions, proveFactor, guard, secrets, clock, wrongStage },
  });

  function newSession(administrator: SigningAdministrator, client: Client, stage: SessionStage): AdministratorSession {
    const { accountId, username, role, mark } = administrator;
    return { ...steps.newSession(accountId, client, stage), username, role, mark };
  }

  return {
    withPassword: async ({ username, password, client, replaces }) => {
      const before = administrators.byUsername(username);
      const isRight = await isPassword({ username, password }, client.ipAddress);
      if (!isRight || before === null) return { type: "invalid", username: before?.username ?? null };
      // What was compared is the password of this moment: one that was changed meanwhile opens nothing.
      const now = administrators.byAccountId(before.accountId);
      if (now === null || now.mark !== before.mark) return { type: "invalid", username: before.username };
      const begun = await retryOnConflict(ATTEMPTS_MAX, async () => {
        const stored = await store.load(now.accountId, now.username);
        const begun = steps.withToken(newSession(now, client, hasSecondFactor(stored.record) ? "factor" : "enrol"));
        const outcome = await sessions.begin(begun.session, { replaces: null, also: [store.unchanged(stored)] });
        return outcome === "committed" ? begun : CONFLICT;
      });
      // Its browser has another token now: nobody could sign out of the session before.
      if (replaces !== null) await steps.endSession(replaces);
      return { type: "begun", ...begun };
    },
    withFactor: (own, proof, client) =>
      steps.prove(own, proof, client, {
        stage: "factor",
        lingersMs: 0,
        // Role and password are those of the session: where one of them has changed, it opens nothing.
        next: async ({ accountId }, session) => ({
          ...session,
          ...steps.newSession(accountId, client, "full"),
          sessionId: session.sessionId,
        }),
      }),
    stepUp: steps.stepUp,
    withPasskey: async (response, client) => {
      const administrator = administrators.byAccountId(passkeys.claimed(response)?.accountId ?? "");
      if (administrator === null) return { type: "invalid", account: null };
      return retryOnConflict<AdministratorFactorOutcome>(ATTEMPTS_MAX, async () => {
        const stored = await store.load(administrator.accountId, administrator.username);
        const proven = await proveFactor(stored.record, { type: "passkey", response, purpose: SIGN_IN_PURPOSE });
        if (proven === null) return { type: "invalid", account: stored.record };
        const outcome = await steps.begin(stored, proven, newSession(administrator, client, "full"), null);
        if (outcome !== CONFLICT && outcome.type === "begun") guard.signedIn(administrator.accountId, client.ipAddress);
        return outcome;
      });
    },
    passkeyOptions: async (own) => {
      if (own === null) return passkeys.authenticationOptions(null, SIGN_IN_PURPOSE);
      const account = await accounts.load(own.accountId);
      return passkeys.authenticationOptions(account?.record.passkeys ?? [], sessionPurpose(own));
    },
    end: async (own) => {
      await steps.endSession(own);
    },
    factors: async ({ accountId }) => (await accounts.load(accountId))?.record ?? null,
    methods: async ({ accountId }) => {
      const account = await accounts.load(accountId);
      return account === null ? [] : factorMethodsOf(account.record);
    },
    enrol: createEnrolFactors<AdministratorFactors, AdministratorSession>({
      ...{ accounts, sessions, totp, passkeys, guard, secrets, box, clock },
      labelOf: ({ username }) => username,
      placeOf: administratorTotpPlace,
      pendingPlaceOf: ({ sessionId }) => administratorPendingPlace(sessionId),
      signedIn: async (_, session) => session,
      notice: async (change, { accountId }, client) => (isConfigured(accountId) ? ownerNotice(change, client) : null),
    }),
    resetFactors: async (actor, username) => {
      const accountId = administrators.accountIdOf(username);
      if (accountId === null) throw new RelayError("not_found", "Administrator not found");
      await resetFactors({ accountId, username }, async () => [
        await stillOwner(actor),
        isConfigured(accountId) ? ownerNotice("all removed by an owner", null) : null,
      ]);
    },
  };
}

function wrongStage(stage: SessionStage): string {
  if (stage === "full") return "You are already signed in: use POST /admin/session/step-up to show a fresh second factor";
  if (stage === "enrol") return "You have no second factor yet: enrol one with POST /admin/factors/totp or /admin/factors/passkeys";
  return "The second factor is missing: send it with POST /admin/session/second-factor";
}
