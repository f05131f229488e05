import { Type } from "@sinclair/typebox";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE, userOf } from "../surface.ts";
import { team } from "./surface.ts";
import { UserParams } from "./user-json.ts";
import { USER_CONFLICTS, userRefusal } from "./user-refusals.ts";

export const removeUser = team.endpoint({
  name: "portalRemoveUser",
  method: "DELETE",
  path: `${MERCHANT_BASE}/users/{userId}`,
  summary: "Delete a user of the merchant",
  description:
    "All users may remove themselves and thereby leave. Users who administer users may remove others; only owners may remove owners. The user's sessions at this merchant end.",
  auth: "merchantUser",
  // Any role may leave; the team operation decides who may remove others.
  may: "look",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  params: UserParams,
  audit: { action: "user.remove" },
  responses: {
    200: { description: "Removed.", body: okOf(Type.Object({ userId: Type.String() })) },
    ...team.errors(400, 401, 403, 404, 503),
    409: { description: `Refused: ${USER_CONFLICTS.lastOwner}.`, body: team.envelope.schema },
  },
  handle: async ({ users }, { caller, params }) => {
    const { merchantId, userId } = userOf(caller);
    const outcome = await users.remove(merchantId, { type: "member", userId }, params.userId);
    if (outcome.type === "refused") return userRefusal(outcome.why);
    return { status: 200, body: ok({ userId: outcome.user.userId }) };
  },
});
