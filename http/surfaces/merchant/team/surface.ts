import type { Invitations } from "../../../../engine/accounts/invitations.ts";
import type { ForgottenPasswords } from "../../../../engine/accounts/password-resets.ts";
import type { Users } from "../../../../engine/accounts/users.ts";
import type { SignInOperations } from "../sign-in/surface.ts";
import { merchantSurface } from "../surface.ts";

/** An action of a person without a session, for the audit logs of these merchants. */
export interface PersonEvent {
  readonly action: "invitation.accept" | "account.reset-password";
  readonly email: string;
  readonly merchantIds: readonly string[];
  readonly ipAddress: string;
  readonly requestId: string;
}

/**
 * The collaborators of the endpoints of users, invitations and forgotten passwords. A person who
 * accepts an invitation is signed in by the same operations.
 */
export interface TeamOperations extends Pick<SignInOperations, "signIn" | "sessionState" | "portalCookie" | "portalFacts"> {
  users: Users;
  invitations: Invitations;
  forgottenPasswords: ForgottenPasswords;
  /**
   * Records successful actions only. Anyone could fill the logs by trying links that are not valid.
   * Callers do not wait for the log.
   */
  personAudited(event: PersonEvent): void;
}

export const team = merchantSurface<TeamOperations>({ refusesUnknown: "access" });
