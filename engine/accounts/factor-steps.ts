import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import type { AccountRecord, SecondFactors } from "./account.ts";
import type { FactorAccounts } from "./factor-accounts.ts";
import type { AccountSecrets, GuardedSecrets } from "./factors.ts";
import type { FactorProof, ProveFactor, ProvenFactor } from "./prove-factor.ts";
import {
  ENROL_STAGE_MS,
  FACTOR_STAGE_MS,
  LINGERS_MS,
  SESSION_LIFETIME_MS,
  type SessionCore,
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
export interface BegunSession<S extends SessionCore = SessionRecord> {
  readonly token: string;
  readonly session: S;
}

/** The session that a request came with. */
export type OwnSession = Pick<SessionCore, "accountId" | "sessionId">;

export type Begun<S extends SessionCore = SessionRecord> = { readonly type: "begun" } & BegunSession<S>;

/** `invalid`: the factor was not right. `ended`: the session has ended, or ends by this attempt. `nowhere`: who it is may not sign in anywhere. */
export type FactorOutcome<A extends SecondFactors = AccountRecord, S extends SessionCore = SessionRecord> =
  | Begun<S>
  | { readonly type: "invalid"; readonly account: A | null }
  | { readonly type: "ended" }
  | { readonly type: "nowhere"; readonly account: A };

/** What a challenge is for: an answer for one session is none for another. */
export const SIGN_IN_PURPOSE = "sign-in";
export function sessionPurpose({ sessionId }: Pick<SessionCore, "sessionId">): string {
  return `session ${sessionId}`;
}

/** Changes of one account or session that may come in between: what one person does with some browsers. */
const ATTEMPTS_MAX = 32;

export interface FactorStepsOptions<A extends SecondFactors, S extends SessionCore> {
  accounts: FactorAccounts<A>;
  sessions: SessionStore<S>;
  proveFactor: ProveFactor;
  guard: Pick<GuardedSecrets, "compareCode" | "signedIn">;
  secrets: Pick<AccountSecrets, "newToken" | "newId" | "digest">;
  clock: Clock;
  /** What is to be done in another stage than the one that is needed. */
  wrongStage(stage: SessionCore["stage"]): string;
}

/** What one proof of a factor does to a session. */
export interface FactorStep<A extends SecondFactors, S extends SessionCore> {
  readonly stage: SessionCore["stage"];
  /** The session that it becomes, still without its new token; null where who it is may not sign in anywhere. */
  next(account: A, session: S): Promise<S | null>;
  /** See `BeginOptions`. */
  readonly lingersMs: number;
}

/** The steps of a sign-in behind the password, the same for people of the portal and for administrators. */
export interface FactorSteps<A extends SecondFactors, S extends SessionCore> {
  /** A new session in this stage, without its token. */
  newSession(accountId: string, client: Client, stage: SessionCore["stage"]): SessionCore;
  withToken(session: S): BegunSession<S>;
  endSession(own: OwnSession): Promise<number>;
  /** Proves a factor for a session, with what the step makes of the session. */
  prove(own: OwnSession, proof: FactorProof, client: Client, step: FactorStep<A, S>): Promise<FactorOutcome<A, S>>;
  /** A fresh second factor of a session in the stage `full`. */
  stepUp(own: OwnSession, proof: FactorProof, client: Client): Promise<FactorOutcome<A, S>>;
  /** The session of who has shown all factors, in one commit with the factor's use. */
  begin(
    before: Stored<A>,
    proven: ProvenFactor<A>,
    session: S,
    replaces: string | null,
    lingersMs?: number,
  ): Promise<Begun<S> | { type: "ended" } | typeof CONFLICT>;
}

export function createFactorSteps<A extends SecondFactors, S extends SessionCore>(options: FactorStepsOptions<A, S>): FactorSteps<A, S> {
  const { accounts, sessions, proveFactor, guard, secrets, clock, wrongStage } = options;

  function requireStage({ stage }: SessionCore, needed: SessionCore["stage"]): void {
    if (stage !== needed) throw new RelayError("invalid_request", wrongStage(stage));
  }

  function withToken(session: S): BegunSession<S> {
    const token = secrets.newToken();
    return { token, session: { ...session, tokenSha256: secrets.digest(token) } };
  }

  function endSession({ accountId, sessionId }: OwnSession): Promise<number> {
    return sessions.end(accountId, (session) => session.sessionId === sessionId);
  }

  async function begin(
    before: Stored<A>,
    proven: ProvenFactor<A>,
    session: S,
    replaces: string | null,
    lingersMs = 0,
  ): Promise<Begun<S> | { type: "ended" } | typeof CONFLICT> {
    const begun = withToken(session);
    const also = [accounts.change(before, proven.account), ...proven.also];
    const outcome = await sessions.begin(begun.session, { replaces, also, lingersMs });
    if (outcome === "stale") return CONFLICT;
    return outcome === "ended" ? { type: "ended" } : { type: "begun", ...begun };
  }

  /**
   * Counts a code before it is compared, so that codes that are tried at once do not exceed the limit. Null where there were too many, which ends
   * the session.
   */
  async function counted(own: OwnSession, stage: SessionCore["stage"]): Promise<S | null> {
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

  async function prove(own: OwnSession, proof: FactorProof, client: Client, step: FactorStep<A, S>): Promise<FactorOutcome<A, S>> {
    const session =
      proof.type === "passkey"
        ? ((await sessions.bySessionId(own.accountId, own.sessionId))?.record ?? null)
        : await counted(own, step.stage);
    if (session === null) return { type: "ended" };
    requireStage(session, step.stage);
    const attempt = (): Promise<FactorOutcome<A, S> | null> =>
      retryOnConflict<FactorOutcome<A, S> | null>(ATTEMPTS_MAX, async () => {
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
    newSession: (accountId, client, stage) => {
      const nowMs = clock.nowMs();
      return {
        schema: 1,
        tokenSha256: "",
        sessionId: secrets.newId("ses_"),
        accountId,
        stage,
        createdAtMs: nowMs,
        lastUsedAtMs: nowMs,
        endsAtMs: nowMs + { factor: FACTOR_STAGE_MS, enrol: ENROL_STAGE_MS, full: SESSION_LIFETIME_MS }[stage],
        // Who has no second factor yet cannot show one: until it has enrolled one, nothing else is open to it.
        steppedUpUntilMs: { factor: 0, enrol: nowMs + ENROL_STAGE_MS, full: nowMs + STEP_UP_MS }[stage],
        codesTried: 0,
        pendingTotp: null,
        ipAddress: client.ipAddress,
        userAgent: userAgentOf(client.userAgent),
      };
    },
    withToken,
    endSession,
    prove,
    begin,
    stepUp: (own, proof, client) =>
      prove(own, proof, client, {
        stage: "full",
        lingersMs: LINGERS_MS,
        next: async (_, session) => ({ ...session, codesTried: 0, steppedUpUntilMs: clock.nowMs() + STEP_UP_MS }),
      }),
  };
}
