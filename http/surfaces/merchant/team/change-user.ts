import { RelayError } from "../../../../engine/kernel/errors.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE, userOf } from "../surface.ts";
import { User, UserChange } from "./schemas.ts";
import { team } from "./surface.ts";
import { UserParams, userOfTeam } from "./user-json.ts";
import { USER_CONFLICTS, userRefusal } from "./user-refusals.ts";

export const changeUser = team.endpoint({
  name: "portalChangeUser",
  method: "PATCH",
  path: `${MERCHANT_BASE}/users/{userId}`,
  summary: "Update a user of the merchant",
  description:
    "The sessions of a user end at this merchant when it is disabled. Only owners may change owners or make somebody an owner. Users cannot change their own role or state.",
  auth: "merchantUser",
  may: "administer users",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  params: UserParams,
  body: UserChange,
  bodyExample: { role: "ADMIN" },
  audit: { action: "user.change" },
  responses: {
    200: { description: "The user.", body: okOf(User) },
    ...team.errors(400, 401, 403, 404, 413, 415, 503),
    409: {
      description: `Refused: ${USER_CONFLICTS.lastOwner}, ${USER_CONFLICTS.invited}, or ${USER_CONFLICTS.stale}.`,
      body: team.envelope.schema,
    },
  },
  handle: async ({ users }, { caller, params, body }) => {
    const viewer = userOf(caller);
    if (body.role === undefined && body.state === undefined) {
      throw new RelayError("invalid_request", "body: must have role or state");
    }
    const outcome = await users.change(viewer.merchantId, { type: "member", userId: viewer.userId }, params.userId, body);
    if (outcome.type === "refused") return userRefusal(outcome.why);
    return { status: 200, body: ok(userOfTeam(outcome.user, viewer)) };
  },
});
