import { Type } from "@sinclair/typebox";
import { type MerchantUserGrant, merchantRoleMay } from "../../../../engine/access/merchant-user-grant.ts";
import type { ListedUser } from "../../../../engine/accounts/users.ts";
import { iso, isoOrNull } from "../../../endpoint/time.ts";
import { maskedEmail } from "../../parts/masking.ts";
import type { UserJson } from "./schemas.ts";

export const UserParams = Type.Object({ userId: Type.String({ minLength: 1, maxLength: 64, parameterName: "TeamUserId" }) });

/**
 * Shows a user to another one. Email addresses of others are shown only to roles that see personal
 * data.
 */
export function userOfTeam(user: ListedUser, viewer: Pick<MerchantUserGrant, "userId" | "role">): UserJson {
  const you = user.userId === viewer.userId;
  return {
    userId: user.userId,
    email: you || merchantRoleMay(viewer.role, "see personal data") ? user.email : maskedEmail(user.email),
    role: user.role,
    state: user.state,
    you,
    secondFactor: user.hasSecondFactor,
    invitedAt: iso(user.invitedAtMs),
    invitationExpiresAt: user.invitation === null ? null : iso(user.invitation.expiresAtMs),
    joinedAt: isoOrNull(user.joinedAtMs),
  };
}
