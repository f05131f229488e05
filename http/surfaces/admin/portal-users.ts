import { Type } from "@sinclair/typebox";
import { EMAIL_LENGTH_MAX } from "../../../engine/accounts/account.ts";
import { USERS_MAX } from "../../../engine/accounts/team.ts";
import {
  INVITES,
  PORTAL_USER_EXAMPLE,
  PORTAL_USER_REQUEST_EXAMPLE,
  PortalUser,
  PortalUserRequest,
  portalUserError,
  portalUserOf,
} from "../parts/portal-user.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { admin } from "./surface.ts";

const PATH = "/admin/api/merchants/{merchantId}/portal-users";
const MerchantParams = Type.Object({ merchantId: Type.String({ parameterName: "AdminMerchantId" }) });
const ADMINISTRATOR = { type: "administrator" } as const;

const listPortalUsers = admin.endpoint({
  name: "listPortalUsers",
  method: "GET",
  path: PATH,
  summary: "List portal users of a merchant",
  description: "Invited and disabled ones too, in the order in which they were invited.",
  auth: "admin",
  role: "read-only",
  params: MerchantParams,
  responses: {
    200: {
      description: "All of them.",
      body: okBody(Type.Object({ items: Type.Array(PortalUser), max: Type.Integer() })),
      example: { status: "ok", data: { items: [PORTAL_USER_EXAMPLE], max: USERS_MAX } },
    },
    ...admin.errors(401, 404, 503),
  },
  handle: async ({ users }, { params }) => {
    const items = (await users.list(params.merchantId)).map(portalUserOf);
    return { status: 200, body: { status: "ok", data: { items, max: USERS_MAX } } };
  },
});

const invitePortalUser = admin.endpoint({
  name: "invitePortalUser",
  refusesUnknown: "access",
  method: "POST",
  path: PATH,
  summary: "Invite a portal user of a merchant",
  description: `Invites an owner, or anyone else, by mail. ${INVITES}`,
  auth: "admin",
  role: "owner",
  stepUp: true,
  params: MerchantParams,
  body: PortalUserRequest,
  bodyExample: PORTAL_USER_REQUEST_EXAMPLE,
  audit: { action: "user.invite" },
  responses: {
    201: { description: "Invited.", body: okBody(PortalUser), example: { status: "ok", data: PORTAL_USER_EXAMPLE } },
    ...admin.errors(400, 401, 404, 413, 415, 429, 503),
    409: {
      description: `The merchant has ${USERS_MAX} users, invited ones counted, or is deactivated, or the address is a user's or is invited already.`,
      body: admin.envelope.schema,
    },
  },
  handle: async ({ users }, { params, body: { email, role = "OWNER", locale } }) => {
    const invitation = { email, role, ...(locale === undefined ? {} : { locale }) };
    const outcome = await users.invite(params.merchantId, ADMINISTRATOR, invitation);
    if (outcome.type === "refused") throw portalUserError(outcome.why);
    return { status: 201, body: { status: "ok", data: portalUserOf(outcome.user) } };
  },
});

const removePortalUser = admin.endpoint({
  name: "removePortalUser",
  method: "DELETE",
  path: `${PATH}/{userId}`,
  summary: "Delete a portal user of a merchant",
  description:
    "Or withdraws its invitation. Its sessions at this merchant end. The last active owner stays: invite another one first, who has to accept.",
  auth: "admin",
  role: "owner",
  stepUp: true,
  params: Type.Object({ merchantId: Type.String(), userId: Type.String() }),
  audit: { action: "user.remove" },
  responses: {
    200: {
      description: "Removed.",
      body: okBody(Type.Object({ userId: Type.String() })),
      example: { status: "ok", data: { userId: PORTAL_USER_EXAMPLE.userId } },
    },
    ...admin.errors(401, 404, 503),
    409: { description: "It is the last active owner.", body: admin.envelope.schema },
  },
  handle: async ({ users }, { params: { merchantId, userId } }) => {
    const outcome = await users.remove(merchantId, ADMINISTRATOR, userId);
    if (outcome.type === "refused") throw portalUserError(outcome.why);
    return { status: 200, body: { status: "ok", data: { userId } } };
  },
});

const resetPortalFactors = admin.endpoint({
  name: "resetPortalFactors",
  refusesUnknown: "access",
  method: "POST",
  path: "/admin/api/portal-accounts/reset-factors",
  summary: "Reset the second factors of a portal account",
  description:
    "Removes its authenticator app, passkeys and recovery codes, and ends all its sessions. Its password stays: with the next sign-in it enrols a new second factor. The person is told by mail. Be sure who asks for it: from then on the password alone opens the account.",
  auth: "admin",
  role: "owner",
  stepUp: true,
  body: Type.Object({ email: Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX }) }),
  bodyExample: { email: "anna@example.com" },
  // The name of the account, as administrators' audit entries have that of an administrator.
  audit: { action: "portal-account.reset-factors", subject: ({ body }) => body.email },
  responses: {
    200: {
      description: "Done.",
      body: okBody(Type.Object({ accountId: Type.String() })),
      example: { status: "ok", data: { accountId: "acc_1a2b3c4d5e6f7g8h9i0j1k" } },
    },
    ...admin.errors(400, 401, 404, 413, 415, 503),
  },
  handle: async ({ resetFactors }, { body }) => {
    const { accountId } = await resetFactors(body.email);
    return { status: 200, body: { status: "ok", data: { accountId } } };
  },
});

export const portalUserEndpoints = [listPortalUsers, invitePortalUser, removePortalUser, resetPortalFactors];
