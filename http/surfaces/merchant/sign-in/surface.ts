import type { Caller } from "../../../../engine/access/caller.ts";
import type { OwnSession } from "../../../../engine/accounts/factor-steps.ts";
import type { OwnAccount } from "../../../../engine/accounts/own-account.ts";
import type { SessionState as EngineState, FindSessionState, ShownSession } from "../../../../engine/accounts/session-state.ts";
import type { SessionStore } from "../../../../engine/accounts/session-store.ts";
import type { SignIn } from "../../../../engine/accounts/sign-in.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { isoOrNull } from "../../../endpoint/time.ts";
import { SetCookie } from "../../parts/factor-schemas.ts";
import { ok, okOf } from "../envelope.ts";
import { merchantSurface, userOf } from "../surface.ts";
import { SessionState, type SessionStateJson } from "./schemas.ts";

/**
 * A finished sign-in, for the audit log. The log has requests without a session only if they
 * concern an account.
 */
export interface SignInEvent {
  readonly account: { readonly email: string; readonly merchantIds: readonly string[] };
  readonly way: "password" | "passkey";
  readonly outcome: { readonly type: "done" } | { readonly type: "refused"; readonly code: string };
  readonly ipAddress: string;
  readonly requestId: string;
}

/** The collaborators of the endpoints of sign-in and of a person's own account. */
export interface SignInOperations {
  signIn: SignIn;
  ownAccount: OwnAccount;
  portalSessions: Pick<SessionStore, "ofAccount" | "end">;
  sessionState: FindSessionState;
  /**
   * Callers do not wait for the log, because the duration would reveal whether an account exists.
   */
  signInAudited(event: SignInEvent): void;
  portalCookie: { handOut(token: string): string; readonly takenBack: string };
  /** Facts about the installation that each page shows. */
  portalFacts: { readonly timeZone: string; readonly mode: "sandbox" | "production"; readonly passkeys: boolean };
}

export const signInSurface = merchantSurface<SignInOperations>({ refusesUnknown: "access" });

/** Returns the session of the caller, or null for a caller without one. */
export function ownSession(caller: Caller): OwnSession | null {
  return caller.type === "merchantUser" ? caller.user : null;
}

export const StateAnswer = { description: "The session as it is after the call.", body: okOf(SessionState) };
export const StateAndCookie = { ...StateAnswer, headers: SetCookie };

export async function stateBody(
  { sessionState, portalFacts }: Pick<SignInOperations, "sessionState" | "portalFacts">,
  session: ShownSession | null,
): Promise<{ status: "ok"; data: SessionStateJson }> {
  return ok(stateJson(await sessionState(session), portalFacts));
}

export function stateJson(state: EngineState, facts: SignInOperations["portalFacts"]): SessionStateJson {
  const { stage, methods, email, locale, theme, merchant, merchants, steppedUpUntilMs } = state;
  return {
    stage,
    methods: [...methods],
    email,
    userId: merchant?.userId ?? null,
    merchant: merchant === null ? null : merchantJson(merchant),
    merchants: merchants.map(merchantJson),
    locale,
    theme,
    steppedUpUntil: isoOrNull(steppedUpUntilMs),
    ...facts,
  };
}

function merchantJson({ merchantId, merchantName, environment, role }: EngineState["merchants"][number]) {
  return { merchantId, merchantName, environment, role };
}

/**
 * Returns the person if they may show or add second factors. A person whose own factor is still
 * missing may not.
 */
export function enrollingUser(caller: Caller) {
  const user = userOf(caller);
  if (user.stage === "factor") throw new RelayError("unauthorized", "Sign in: the second factor is missing");
  return user;
}

export function nowhereError(): RelayError {
  return new RelayError("forbidden", "You are not an active user of any merchant here; ask the owner of your merchant");
}
