import type { Invitations } from "../../../../engine/accounts/invitations.ts";
import type { ForgottenPasswords } from "../../../../engine/accounts/password-resets.ts";
import type { Users } from "../../../../engine/accounts/users.ts";
import type { SignInOperations } from "../sign-in/surface.ts";
import { merchantSurface } from "../surface.ts";

/** What a person did without a session, for the audit logs of these merchants. */
export interface PersonEvent {
  readonly action: "invitation.accept" | "account.reset-password";
  readonly email: string;
  readonly merchantIds: readonly string[];
  readonly ipAddress: string;
  readonly requestId: string;
}

/** What the endpoints of users, invitations and forgotten passwords use; who accepts an invitation signs in with that. */
export interface TeamOperations extends Pick<SignInOperations, "signIn" | "sessionState" | "portalCookie" | "portalFacts"> {
  users: Users;
  invitations: Invitations;
  forgottenPasswords: ForgottenPasswords;
  /** Only what was done: links that open nothing would fill the logs for whoever tries some. Nobody waits for it. */
  personAudited(event: PersonEvent): void;
}

export const team = merchantSurface<TeamOperations>({ refusesUnknown: "access" });
