import { type Static, Type } from "@sinclair/typebox";
import { USERS_MAX } from "../../../engine/accounts/team.ts";
import type { ListedUser, UserOutcome } from "../../../engine/accounts/users.ts";
import { RESEND_AFTER_SECONDS } from "../../../engine/accounts/users.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { described } from "../../endpoint/described.ts";
import { iso, isoOrNull } from "../../endpoint/time.ts";
import { LocaleWord, MerchantRole, ReachableEmail, UserState } from "./schemas.ts";

const instant = (description: string) => Type.String({ description: `ISO 8601 UTC; ${description}` });

/** A user of a merchant in the portal, for partners and administrators. */
export const PortalUser = Type.Object(
  {
    userId: Type.String(),
    email: Type.String(),
    role: MerchantRole,
    state: UserState,
    secondFactor: Type.Boolean({ description: "Whether the user's account has a second factor. Nobody can sign in without one." }),
    invitedAt: instant("when the last invitation was sent."),
    invitationExpiresAt: Type.Union([instant("when the open invitation expires."), Type.Null()]),
    joinedAt: Type.Union([instant("when the user accepted the invitation."), Type.Null()]),
  },
  { title: "PortalUser" },
);

export const PORTAL_USER_EXAMPLE = {
  userId: "usr_1a2b3c4d5e6f7g8h9i0j1k",
  email: "anna@example.com",
  role: "OWNER" as const,
  state: "INVITED" as const,
  secondFactor: false,
  invitedAt: "2026-03-01T09:30:00.000Z",
  invitationExpiresAt: "2026-03-04T09:30:00.000Z",
  joinedAt: null,
};

export const PortalUserRequest = Type.Object(
  {
    email: ReachableEmail,
    role: Type.Optional(described(MerchantRole, "Default: OWNER.")),
    locale: Type.Optional(described(LocaleWord, "Language of the mail. Default: it.")),
  },
  { title: "PortalUserRequest" },
);

export const PORTAL_USER_REQUEST_EXAMPLE = { email: "anna@example.com", role: "OWNER", locale: "it" };

export const INVITES =
  "The mail has a link that works once, for 72 hours. With the link the person chooses a password and enrols a second factor. If an invitation to this address has expired, the new one replaces it.";

export function portalUserOf(user: ListedUser): Static<typeof PortalUser> {
  return {
    userId: user.userId,
    email: user.email,
    role: user.role,
    state: user.state,
    secondFactor: user.hasSecondFactor,
    invitedAt: iso(user.invitedAtMs),
    invitationExpiresAt: user.invitation === null ? null : iso(user.invitation.expiresAtMs),
    joinedAt: isoOrNull(user.joinedAtMs),
  };
}

/**
 * Converts the reason of a refused change to an error with one of the usual codes, for partners and
 * administrators.
 */
export function portalUserError(why: Extract<UserOutcome, { type: "refused" }>["why"]): RelayError {
  switch (why) {
    case "users_full":
      return new RelayError("conflict", USERS_FULL);
    case "user_exists":
      return new RelayError("conflict", USER_EXISTS);
    case "last_owner":
      return new RelayError("conflict", "This is the last active owner; invite another owner first, who must accept");
    case "owner_active":
      return new RelayError("conflict", OWNER_ACTIVE);
    case "inactive":
      return new RelayError("conflict", "The merchant is deactivated");
    case "not_found":
      return new RelayError("not_found", "There is no such user");
    case "too_soon":
      return new RelayError("rate_limited", "The invitation was sent a moment ago; wait before you send it again", {
        retryAfterSeconds: RESEND_AFTER_SECONDS,
      });
    case "invited":
    case "joined":
      return new RelayError("conflict", "The user's invitation is in another state; read the user again");
    case "stale":
      return new RelayError("conflict", "The user was changed in the meantime; read it again");
    case "role":
      return new RelayError("forbidden", "Not permitted");
  }
}

export const USERS_FULL = `The merchant has the maximum of ${USERS_MAX} users, including invited ones`;
export const USER_EXISTS = "A user or an invitation already has this address";
export const OWNER_ACTIVE =
  "The merchant has an active owner: only its owners or an administrator of the installation may invite further owners and administrators";
