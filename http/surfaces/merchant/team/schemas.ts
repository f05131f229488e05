import { type Static, Type } from "@sinclair/typebox";
import { USERS_MAX } from "../../../../engine/accounts/team.ts";
import { LocaleWord, MerchantRole, PersonEmail, ReachableEmail, UserState } from "../../parts/schemas.ts";
import { NewPassword, nullable, Password, time } from "../schema-parts.ts";

/**
 * The JSON of a merchant's users, of invitations and of forgotten passwords. Endpoints declare it,
 * and the portal's pages take their types from it.
 */

export const ForgotPassword = Type.Object({ email: PersonEmail }, { title: "ForgottenPassword" });
export const ResetPassword = Type.Object({ token: Type.String({ maxLength: 64 }), password: NewPassword }, { title: "PasswordReset" });
/**
 * GET /invitations/{token}. `hasAccount`: the person signs in with an existing account and chooses
 * no password.
 */
export const Invitation = Type.Object(
  {
    email: Type.String(),
    merchantName: Type.String(),
    role: MerchantRole,
    hasAccount: Type.Boolean(),
    locale: LocaleWord,
    expiresAt: time("when the invitation expires."),
  },
  { title: "Invitation" },
);
/**
 * The body of POST /invitations/{token}/accept, which returns a SessionState (stage `enrol` for a
 * new account). `password` is a new one, or the one of the existing account.
 */
export const AcceptInvitation = Type.Object({ password: Password, locale: Type.Optional(LocaleWord) }, { title: "InvitationAcceptance" });

export const User = Type.Object(
  {
    userId: Type.String(),
    email: Type.String({ description: "Masked (`m***@example.com`) for roles that do not see personal data." }),
    role: MerchantRole,
    state: UserState,
    you: Type.Boolean(),
    secondFactor: Type.Boolean(),
    invitedAt: time("when the user was invited."),
    invitationExpiresAt: nullable(time("when the open invitation expires.")),
    joinedAt: nullable(time("when the user accepted the invitation.")),
  },
  { title: "TeamMember" },
);
export const Users = Type.Object({ items: Type.Array(User), max: Type.Integer({ default: USERS_MAX }) }, { title: "Team" });
export const InviteUser = Type.Object(
  { email: ReachableEmail, role: MerchantRole, locale: Type.Optional(LocaleWord) },
  { title: "TeamInvitation" },
);
export const UserChange = Type.Object(
  {
    role: Type.Optional(MerchantRole),
    state: Type.Optional(Type.Union([Type.Literal("ACTIVE"), Type.Literal("DISABLED")])),
    seen: Type.Optional(
      Type.Object(
        { role: MerchantRole, state: UserState },
        {
          description:
            "The user's role and state when the caller decided on the change: the response is 409 (`conflict`) if somebody else has changed them since. The relay does not compare them if this is absent.",
        },
      ),
    ),
  },
  { title: "TeamMemberChange" },
);

export type InvitationJson = Static<typeof Invitation>;
export type UserJson = Static<typeof User>;
export type UsersJson = Static<typeof Users>;
