import type { Invitations } from "../../../../engine/accounts/invitations.ts";
import type { ForgottenPasswords } from "../../../../engine/accounts/password-resets.ts";
import type { Users } from "../../../../engine/accounts/users.ts";
import type { SignInOperations } from "../sign-in/surface.ts";
import { merchantSurface } from "../surface.ts";

/** What the endpoints of users, invitations and forgotten passwords use; who accepts an invitation signs in with that. */
export interface TeamOperations extends Pick<SignInOperations, "signIn" | "sessionState" | "portalCookie" | "portalFacts"> {
  users: Users;
  invitations: Invitations;
  forgottenPasswords: ForgottenPasswords;
}

export const team = merchantSurface<TeamOperations>();
