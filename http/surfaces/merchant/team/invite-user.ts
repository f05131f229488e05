import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE, userOf } from "../surface.ts";
import { InviteUser, User } from "./schemas.ts";
import { team } from "./surface.ts";
import { userOfTeam } from "./user-json.ts";
import { USER_CONFLICTS, userRefusal } from "./user-refusals.ts";

export const inviteUser = team.endpoint({
  name: "portalInviteUser",
  method: "POST",
  path: `${MERCHANT_BASE}/users`,
  summary: "Invite a user of the merchant",
  description:
    "The mail has a link that works once, for 72 hours. If an invitation to this address has expired, the new one replaces it. Only owners may invite owners.",
  auth: "merchantUser",
  may: "administer users",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  body: InviteUser,
  bodyExample: { email: "bruno@example.com", role: "FINANCE", locale: "it" },
  audit: { action: "user.invite", subject: ({ body: { role } }) => role },
  responses: {
    201: { description: "Invited.", body: okOf(User) },
    ...team.errors(400, 401, 403, 413, 415, 429, 503),
    409: { description: `${USER_CONFLICTS.full}, or ${USER_CONFLICTS.exists}.`, body: team.envelope.schema },
  },
  handle: async ({ users }, { caller, body: { email, role, locale } }) => {
    const viewer = userOf(caller);
    const invitation = { email, role, ...(locale === undefined ? {} : { locale }) };
    const outcome = await users.invite(viewer.merchantId, { type: "member", userId: viewer.userId }, invitation);
    if (outcome.type === "refused") return userRefusal(outcome.why);
    return { status: 201, body: ok(userOfTeam(outcome.user, viewer)) };
  },
});
