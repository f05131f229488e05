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

/** A sign-in that came to an end, for the audit log: requests without a session are written there only where they concern an account. */
export interface SignInEvent {
  readonly account: { readonly email: string; readonly merchantIds: readonly string[] };
  readonly way: "password" | "passkey";
  readonly outcome: { readonly type: "done" } | { readonly type: "refused"; readonly code: string };
  readonly ipAddress: string;
  readonly requestId: string;
}

/** What sign-in and a person's own account use. */
export interface SignInOperations {
  signIn: SignIn;
  ownAccount: OwnAccount;
  portalSessions: Pick<SessionStore, "ofAccount" | "end">;
  sessionState: FindSessionState;
  /** Nobody waits for it: how long it takes would tell whether there is such an account. */
  signInAudited(event: SignInEvent): void;
  portalCookie: { handOut(token: string): string; readonly takenBack: string };
  /** Facts of the installation that each page shows. */
  portalFacts: { readonly timeZone: string; readonly mode: "sandbox" | "production"; readonly passkeys: boolean };
}

export const signInSurface = merchantSurface<SignInOperations>({ refusesUnknown: "access" });

/** The session of the caller, or null for nobody's. */
export function ownSession(caller: Caller): OwnSession | null {
  return caller.type === "merchantUser" ? caller.user : null;
}

export const StateAnswer = { description: "The session as it is now.", body: okOf(SessionState) };
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

/** A person that may show or add second factors: not one whose own is still missing. */
export function enrollingUser(caller: Caller) {
  const user = userOf(caller);
  if (user.stage === "factor") throw new RelayError("unauthorized", "Sign in: the second factor is missing");
  return user;
}

export function nowhereError(): RelayError {
  return new RelayError("forbidden", "You are not an active user of any merchant here; ask its owner");
}
