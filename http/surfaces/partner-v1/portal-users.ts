import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { roleMay } from "../../../engine/access/partner-grant.ts";
import { USERS_MAX } from "../../../engine/accounts/team.ts";
import { maskedEmail } from "../parts/masking.ts";
import {
  INVITES,
  OWNER_ACTIVE,
  PORTAL_USER_EXAMPLE,
  PORTAL_USER_REQUEST_EXAMPLE,
  PortalUser,
  PortalUserRequest,
  portalUserError,
  portalUserOf,
  USER_EXISTS,
  USERS_FULL,
} from "../parts/portal-user.ts";
import { refusal } from "./error-body.ts";
import { inactive } from "./merchant.ts";
import { MerchantParams } from "./schemas.ts";
import { PARTNER_API_BASE, PARTNER_API_RATE, partnerV1, permitted } from "./surface.ts";

export const invitePortalUser = partnerV1.endpoint({
  name: "partnerApiInvitePortalUser",
  refusesUnknown: "access",
  method: "POST",
  path: `${PARTNER_API_BASE}/merchants/{merchantId}/portal-users`,
  summary: "Invite a portal user of a partner's merchant",
  description: `Invites its first owner, or anyone else, by mail. ${INVITES} Until an owner is active, another invitation of an owner replaces the one before; the same address can be invited again after a minute. Once an owner is active, owners and administrators (ADMIN) are invited by the merchant's owners; the owners are told by mail of everybody else whom you invite. Another partner's merchant is not found.`,
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  idempotency: "plain",
  params: MerchantParams,
  body: PortalUserRequest,
  bodyExample: PORTAL_USER_REQUEST_EXAMPLE,
  audit: { action: "user.invite", subject: ({ params }) => params.merchantId },
  responses: {
    201: {
      description: "Invited.",
      body: Type.Object({ success: Type.Literal(true), user: PortalUser }),
      example: { success: true, user: PORTAL_USER_EXAMPLE },
    },
    ...partnerV1.errors(400, 401, 403, 404, 413, 415, 429, 500, 503),
    409: {
      description: `The merchant has ${USERS_MAX} users, invited ones counted (users_full), the address is a user's or is invited already (user_exists), an owner is active and the role is OWNER or ADMIN (owner_active), the merchant is deactivated (merchant_inactive), or the Idempotency-Key was used for another request (conflict).`,
      body: partnerV1.envelope.schema,
    },
  },
  handle: async ({ merchants, users }, { caller, params, body, operationId }) => {
    const partner = permitted(caller, "own");
    const { merchantId } = await merchants.find(partner, params.merchantId);
    const { email, role = "OWNER", locale } = body;
    const invitation = { email, role, userId: userIdOf(operationId), ...(locale === undefined ? {} : { locale }) };
    const outcome = await users.invite(merchantId, { type: "partner" }, invitation);
    if (outcome.type === "done") return { status: 201, body: { success: true, user: portalUserOf(outcome.user) } };
    switch (outcome.why) {
      case "users_full":
        return refusal(409, "users_full", USERS_FULL);
      case "user_exists":
        return refusal(409, "user_exists", USER_EXISTS);
      case "owner_active":
        return refusal(409, "owner_active", OWNER_ACTIVE);
      case "inactive":
        return inactive();
      default:
        throw portalUserError(outcome.why);
    }
  },
});

export const listPortalUsers = partnerV1.endpoint({
  name: "partnerApiListPortalUsers",
  method: "GET",
  path: `${PARTNER_API_BASE}/merchants/{merchantId}/portal-users`,
  summary: "List portal users of a partner's merchant",
  description:
    "Invited and disabled ones too. Only the role ADMIN, which invites them, sees whole addresses. Another partner's merchant is not found.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  params: MerchantParams,
  responses: {
    200: {
      description: "All of them.",
      body: Type.Object({ success: Type.Literal(true), users: Type.Array(PortalUser), max: Type.Integer() }),
      example: { success: true, users: [PORTAL_USER_EXAMPLE], max: USERS_MAX },
    },
    ...partnerV1.errors(400, 401, 403, 404, 500, 503),
  },
  handle: async ({ merchants, users }, { caller, params }) => {
    const partner = permitted(caller, "look");
    const { merchantId } = await merchants.find(partner, params.merchantId);
    const mayInvite = roleMay(partner.role, "own");
    const shown = (await users.list(merchantId))
      .map(portalUserOf)
      .map((user) => (mayInvite ? user : { ...user, email: maskedEmail(user.email) }));
    return { status: 200, body: { success: true, users: shown, max: USERS_MAX } };
  },
});

/** The same for the same operation, so that a repeated request finds the user that its first attempt invited. */
function userIdOf(operationId: string): string {
  return `usr_${createHash("sha256").update(operationId).digest("base64url").slice(0, 22)}`;
}
