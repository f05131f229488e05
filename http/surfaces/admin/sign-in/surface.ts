import type { AdministratorSessionGrant } from "../../../../engine/access/administrator-session-grant.ts";
import type { Caller } from "../../../../engine/access/caller.ts";
import { endedError } from "../../../../engine/accounts/enrol-factors.ts";
import type { AdministratorFactorOutcome, AdministratorSignIn } from "../../../../engine/administrators/administrator-sign-in.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { surface } from "../../../endpoint/surface.ts";
import { iso } from "../../../endpoint/time.ts";
import { SetCookie } from "../../parts/factor-schemas.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { ok, refusal } from "../envelope.ts";
import { AdminSessionState, type AdminSessionStateJson } from "../session-schemas.ts";
import { ADMIN_SURFACE } from "../surface.ts";

/** A sign-in that came to an end, for the audit log: requests without a session are written there only where they concern an administrator. */
export interface AdminSignInEvent {
  readonly username: string;
  readonly way: "password" | "passkey";
  readonly outcome: { readonly type: "done" } | { readonly type: "refused"; readonly code: string };
  readonly ipAddress: string;
  readonly requestId: string;
}

/** What the sign-in of administrators uses. */
export interface AdminSignInOperations {
  administratorSignIn: AdministratorSignIn;
  /** Nobody waits for it: how long it takes would tell whether there is such an administrator. */
  adminSignInAudited(event: AdminSignInEvent): void;
  administratorCookie: { handOut(token: string): string; readonly takenBack: string };
  /** Facts of the installation that each page shows. */
  portalFacts: { readonly timeZone: string; readonly mode: "sandbox" | "production"; readonly passkeys: boolean };
  clock: Clock;
}

export const adminSignIn = surface<AdminSignInOperations>()({ ...ADMIN_SURFACE, refusesUnknown: "access" });

/** Calls of one address in any one second. */
export const ADMIN_PAGE_RATE = { bucket: "adminPages", perSecond: 50 };

/** The same for what tries a secret. */
export const ADMIN_SIGN_IN_RATE = { bucket: "adminSignIn", perSecond: 10 };

/** The session of the caller, or null for nobody's. */
export function ownSession(caller: Caller): AdministratorSessionGrant | null {
  return caller.type === "administrator" || caller.type === "administratorSigningIn" ? (caller.session ?? null) : null;
}

/** The session of the caller; nobody without one comes to these endpoints. */
export function sessionOf(caller: Caller): AdministratorSessionGrant {
  const session = ownSession(caller);
  if (session === null) throw new RelayError("unauthorized", "Sign in");
  return session;
}

/** A session that may show or add second factors: not one whose own is still missing. */
export function enrollingSession(caller: Caller): AdministratorSessionGrant {
  const session = sessionOf(caller);
  if (session.stage === "factor") throw new RelayError("unauthorized", "Sign in: the second factor is missing");
  return session;
}

export const StateAnswer = { description: "The session as it is now.", body: okBody(AdminSessionState) };
export const StateAndCookie = { ...StateAnswer, headers: SetCookie };

/** What of a session is shown. */
type ShownSession = Omit<AdministratorSessionGrant, "sessionId">;

export async function stateJson(operations: AdminSignInOperations, session: ShownSession | null): Promise<AdminSessionStateJson> {
  const { administratorSignIn, portalFacts, clock } = operations;
  const { timeZone, mode, passkeys } = portalFacts;
  const facts = { timeZone, mode, passkeys };
  if (session === null) return { stage: "none", methods: [], username: null, role: null, steppedUpUntil: null, ...facts };
  const { stage, username, role, steppedUpUntilMs } = session;
  const isFresh = stage === "full" && steppedUpUntilMs > clock.nowMs();
  return {
    stage,
    methods: await administratorSignIn.methods(session),
    username,
    role,
    steppedUpUntil: isFresh ? iso(steppedUpUntilMs) : null,
    ...facts,
  };
}

/** The answer to a second factor: the session with its new token, or why there is none. */
export async function factorAnswer(operations: AdminSignInOperations, outcome: AdministratorFactorOutcome) {
  switch (outcome.type) {
    case "begun":
      return {
        status: 200,
        body: ok(await stateJson(operations, outcome.session)),
        headers: { "Set-Cookie": operations.administratorCookie.handOut(outcome.token) },
      } as const;
    case "invalid":
      return refusal(401, "invalid_code", "The code, or the answer of the passkey, is not right");
    case "ended":
    case "nowhere":
      throw endedError();
  }
}
