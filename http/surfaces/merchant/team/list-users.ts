import { USERS_MAX } from "../../../../engine/accounts/team.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE, userOf } from "../surface.ts";
import { Users } from "./schemas.ts";
import { team } from "./surface.ts";
import { userOfTeam } from "./user-json.ts";

export const listUsers = team.endpoint({
  name: "portalListUsers",
  method: "GET",
  path: `${MERCHANT_BASE}/users`,
  summary: "List users of the merchant",
  description: "Includes invited and disabled users, in the order in which they were invited.",
  auth: "merchantUser",
  may: "look",
  rateLimit: PORTAL_RATE,
  responses: { 200: { description: "All users of the merchant.", body: okOf(Users) }, ...team.errors(401, 403, 503) },
  handle: async ({ users }, { caller }) => {
    const viewer = userOf(caller);
    const items = (await users.list(viewer.merchantId)).map((user) => userOfTeam(user, viewer));
    return { status: 200, body: ok({ items, max: USERS_MAX }) };
  },
});
