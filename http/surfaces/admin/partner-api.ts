import { type Static, Type } from "@sinclair/typebox";
import { ALLOWED_ADDRESSES_MAX, PARTNER_API_ROLES, SERVICE_CODES } from "../../../engine/access/partner-grant.ts";
import { WHOLE_CHARACTERS } from "../../../engine/kernel/well-formed.ts";
import { MERCHANTS_PER_PARTNER_MAX } from "../../../engine/partners/merchant.ts";
import { KEY_GRACE_SECONDS_MAX, type PartnerApiAccess } from "../../../engine/partners/partner.ts";
import { iso } from "../../endpoint/time.ts";
import { ReadOnly } from "../../endpoint/unknown-members.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { admin } from "./surface.ts";

const Role = Type.Union(
  PARTNER_API_ROLES.map((role) => Type.Literal(role)),
  {
    title: "PartnerApiRole",
    description:
      "ADMIN may do everything. OPERATOR may change merchants and their services, but may not create or deactivate merchants or generate keys. VIEWER may only read.",
  },
);

const settings = {
  partnerCode: Type.String({ ...WHOLE_CHARACTERS, minLength: 1, maxLength: 64, description: "Unique, regardless of case." }),
  name: Type.String({ minLength: 1, maxLength: 128 }),
  maxMerchants: Type.Integer({ minimum: 0, maximum: MERCHANTS_PER_PARTNER_MAX, description: "The maximum number of active merchants." }),
  ipWhitelist: Type.Array(Type.String({ maxLength: 64 }), {
    maxItems: ALLOWED_ADDRESSES_MAX,
    description: "Addresses and networks (CIDR) from which the partner may call. Empty: from any address.",
  }),
};

const previousKeyUntil = Type.String({ description: "Until when the previous key is still accepted; ISO 8601 UTC." });

/** A partner's access to Partner API v1 as the record shows it. */
export const PartnerApiShown = Type.Union(
  [
    Type.Object(
      {
        ...settings,
        role: Role,
        allowedServices: Type.String({ description: "A JSON array of service codes, as a string." }),
        previousKeyUntil: Type.Optional(previousKeyUntil),
      },
      { title: "PartnerApiAccess" },
    ),
    Type.Null(),
  ],
  { description: "The partner's access to Partner API v1; null if it has none." },
);

/** The same as a request body; the engine checks the rest. */
export const PartnerApiSettingsBody = Type.Union(
  [
    Type.Object(
      {
        partnerCode: Type.Optional(settings.partnerCode),
        name: Type.Optional(settings.name),
        role: Type.Optional(Role),
        allowedServices: Type.Optional(
          Type.Union([Type.Array(Type.String({ maxLength: 64 }), { maxItems: SERVICE_CODES.length }), Type.String({ maxLength: 1_024 })], {
            description: `A list of ${SERVICE_CODES.join(", ")}, as an array or as a string that contains the JSON array. Default: none.`,
          }),
        ),
        maxMerchants: Type.Optional(settings.maxMerchants),
        ipWhitelist: Type.Optional(settings.ipWhitelist),
        previousKeyUntil: ReadOnly,
      },
      { title: "PartnerApiSettings" },
    ),
    Type.Null(),
  ],
  {
    errorMessage: `must be null or an object of partnerCode, name, role (${PARTNER_API_ROLES.join(", ")}), allowedServices, maxMerchants (0 to ${MERCHANTS_PER_PARTNER_MAX}) and ipWhitelist`,
    description:
      "Access to Partner API v1. The first grant requires partnerCode and maxMerchants, and its response contains the keys. Members that are left out keep their values. Null revokes the access, including the keys.",
  },
);

export const PartnerApiKeysShown = Type.Object(
  {
    apiKey: Type.String({ description: "`pk_partner_...`: `Authorization: Bearer` of Partner API v1." }),
    secret: Type.String({ description: "`sk_partner_...`: the key that signs webhooks." }),
  },
  { title: "PartnerApiKeys", description: "Shown in this response only." },
);

export function shownPartnerApi(access: PartnerApiAccess | null): Static<typeof PartnerApiShown> {
  if (access === null) return null;
  const { partnerCode, name, role, allowedServices, maxMerchants, ipWhitelist, previousKey } = access;
  return {
    partnerCode,
    name,
    role,
    allowedServices: JSON.stringify(allowedServices),
    maxMerchants,
    ipWhitelist: [...ipWhitelist],
    ...(previousKey === null ? {} : { previousKeyUntil: iso(previousKey.untilMs) }),
  };
}

export const generatePartnerApiKeys = admin.endpoint({
  name: "generatePartnerApiKeys",
  refusesUnknown: "access",
  method: "POST",
  path: "/admin/api/partners/{id}/generate-partner-api-keys",
  summary: "Rotate the Partner API keys of a partner",
  description:
    "The keys are shown in this response only. When it is sent, the previous bearer key is no longer accepted, unless `graceSeconds` keeps it valid for a while. The previous secret is no longer valid.",
  auth: "admin",
  role: "owner",
  stepUp: true,
  params: Type.Object({ id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: "int64" }) }),
  body: Type.Optional(
    Type.Object({ graceSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: KEY_GRACE_SECONDS_MAX, default: 0 })) }),
  ),
  bodyExample: { graceSeconds: 3_600 },
  audit: { action: "partner.generate-partner-api-keys" },
  responses: {
    200: {
      description: "The keys.",
      body: okBody(PartnerApiKeysShown),
      headers: { "Cache-Control": { description: "no-store" } },
      example: { status: "ok", data: { apiKey: "pk_partner_...", secret: "sk_partner_..." } },
    },
    ...admin.errors(400, 401, 404, 413, 415, 503),
  },
  handle: async ({ administerPartnerApi }, { params, body }) => {
    const { keys } = await administerPartnerApi.replaceKeys(params.id, body?.graceSeconds ?? 0);
    return { status: 200, body: { status: "ok", data: keys }, headers: { "Cache-Control": "no-store" } };
  },
});
