import { type Static, Type } from "@sinclair/typebox";
import { USERS_MAX } from "../../../../engine/accounts/team.ts";
import { LocaleWord, MerchantRole, PersonEmail, ReachableEmail, UserState } from "../../parts/schemas.ts";
import { NewPassword, nullable, Password, time } from "../schema-parts.ts";

/** The JSON of a merchant's users, and of the invitations and forgotten passwords of people: endpoints declare it, the portal's pages take their types from it. */

export const ForgotPassword = Type.Object({ email: PersonEmail }, { title: "ForgottenPassword" });
export const ResetPassword = Type.Object({ token: Type.String({ maxLength: 64 }), password: NewPassword }, { title: "PasswordReset" });
/** GET /invitations/{token}. `hasAccount`: the person signs in with the account that it has, and chooses no password. */
export const Invitation = Type.Object(
  {
    email: Type.String(),
    merchantName: Type.String(),
    role: MerchantRole,
    hasAccount: Type.Boolean(),
    locale: LocaleWord,
    expiresAt: time("when it ends."),
  },
  { title: "Invitation" },
);
/** POST /invitations/{token}/accept answers a SessionState (stage `enrol` for a new account). `password`: the new one, or that of the account there is. */
export const AcceptInvitation = Type.Object({ password: Password, locale: Type.Optional(LocaleWord) }, { title: "InvitationAcceptance" });

export const User = Type.Object(
  {
    userId: Type.String(),
    email: Type.String({ description: "Masked (`m***@example.com`) for roles that do not see personal data." }),
    role: MerchantRole,
    state: UserState,
    you: Type.Boolean(),
    secondFactor: Type.Boolean(),
    invitedAt: time("when it was invited."),
    invitationExpiresAt: nullable(time("when the open invitation ends.")),
    joinedAt: nullable(time("when it accepted.")),
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
            "What the user was when it was decided: 409 (`conflict`) where somebody else has changed it since. Not compared if absent.",
        },
      ),
    ),
  },
  { title: "TeamMemberChange" },
);

export type InvitationJson = Static<typeof Invitation>;
export type UserJson = Static<typeof User>;
export type UsersJson = Static<typeof Users>;
