import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { MerchantOperations } from "../surface.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { changeUser } from "./change-user.ts";
import { forgotPassword } from "./forgot-password.ts";
import { inviteUser } from "./invite-user.ts";
import { listUsers } from "./list-users.ts";
import { removeUser } from "./remove-user.ts";
import { resendInvitation } from "./resend-invitation.ts";
import { resetPassword } from "./reset-password.ts";
import { showInvitation } from "./show-invitation.ts";
import type { TeamOperations } from "./surface.ts";

/** The endpoints of a merchant's users, of invitations and of forgotten passwords. */
export const teamEndpoints: Endpoint<TeamOperations & MerchantOperations>[] = [
  listUsers,
  inviteUser,
  changeUser,
  removeUser,
  resendInvitation,
  showInvitation,
  acceptInvitation,
  forgotPassword,
  resetPassword,
];
