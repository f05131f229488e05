import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE, userOf } from "../surface.ts";
import { User } from "./schemas.ts";
import { team } from "./surface.ts";
import { UserParams, userOfTeam } from "./user-json.ts";
import { USER_CONFLICTS, userRefusal } from "./user-refusals.ts";

export const resendInvitation = team.endpoint({
  name: "portalResendInvitation",
  method: "POST",
  path: `${MERCHANT_BASE}/users/{userId}/resend`,
  summary: "Resend an invitation",
  description:
    "Sends a new link, which works for another 72 hours; the link of the previous mail no longer works. At most one mail a minute is sent.",
  auth: "merchantUser",
  may: "administer users",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  params: UserParams,
  audit: { action: "user.resend-invitation" },
  responses: {
    200: { description: "Sent again.", body: okOf(User) },
    ...team.errors(400, 401, 403, 404, 429, 503),
    409: { description: `Refused: ${USER_CONFLICTS.joined}.`, body: team.envelope.schema },
  },
  handle: async ({ users }, { caller, params }) => {
    const viewer = userOf(caller);
    const outcome = await users.inviteAgain(viewer.merchantId, { type: "member", userId: viewer.userId }, params.userId);
    if (outcome.type === "refused") return userRefusal(outcome.why);
    return { status: 200, body: ok(userOfTeam(outcome.user, viewer)) };
  },
});
