import { Type } from "@sinclair/typebox";
import { type PartnerApiGrant, SERVICE_CODES, type ServiceCode } from "../../../engine/access/partner-grant.ts";
import {
  MAP_MEMBERS_MAX,
  MAP_VALUE_LENGTH_MAX,
  membersOf,
  SERVICE_DESCRIPTIONS,
  SERVICE_MODES,
} from "../../../engine/partners/merchant-service.ts";
import type { ServiceOutcome } from "../../../engine/partners/merchant-services.ts";
import { refusal } from "./error-body.ts";
import { inactive } from "./merchant.ts";
import { MerchantServiceParams, SERVICE_EXAMPLE, ServiceAnswer, ServiceWord, serviceStateOf } from "./schemas.ts";
import { PARTNER_API_BASE, PARTNER_API_RATE, partnerV1, permitted } from "./surface.ts";

/** Two PEMs of the maximum length, or a full map, with room for JSON escapes. */
const CONFIG_BODY_BYTES_MAX = 262_144;

const Member = Type.Object({
  name: Type.String(),
  secret: Type.Boolean({ description: "Stored encrypted, shown as a mask." }),
  maxLength: Type.Integer(),
});

const Service = Type.Object(
  {
    service: ServiceWord,
    description: Type.String(),
    members: Type.Union([Type.Array(Member), Type.Null()], {
      description: `The members of its configuration in addition to \`mode\`. Null: any members with string values, at most ${MAP_MEMBERS_MAX}, all stored as secrets.`,
    }),
  },
  { title: "Service" },
);

export const listServices = partnerV1.endpoint({
  name: "partnerApiListServices",
  method: "GET",
  path: `${PARTNER_API_BASE}/services`,
  summary: "List the services available to the partner",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  responses: {
    200: {
      description: "The services of `allowedServices`.",
      body: Type.Object({ success: Type.Literal(true), services: Type.Array(Service) }),
      example: {
        success: true,
        services: [
          {
            service: "PAYPAL",
            description: SERVICE_DESCRIPTIONS.PAYPAL,
            members: [
              { name: "clientId", secret: false, maxLength: 256 },
              { name: "clientSecret", secret: true, maxLength: 256 },
            ],
          },
          { service: "BIZUM", description: SERVICE_DESCRIPTIONS.BIZUM, members: null },
        ],
      },
    },
    ...partnerV1.errors(401, 403, 500, 503),
  },
  handle: (_operations, { caller }) => {
    const { allowedServices } = permitted(caller, "look");
    return { status: 200 as const, body: { success: true as const, services: allowedServices.map(describe) } };
  },
});

function describe(service: ServiceCode) {
  const rules = membersOf(service);
  const members = rules === null ? null : rules.map(({ name, secret, lengthMax }) => ({ name, secret, maxLength: lengthMax }));
  return { service, description: SERVICE_DESCRIPTIONS[service], members };
}

const answered = {
  description: "The service as it now is at the merchant.",
  body: ServiceAnswer,
  example: { success: true, merchantId: "SHOP-001", service: SERVICE_EXAMPLE },
};

const refused = {
  403: {
    description:
      "The partner may not use the service (service_not_permitted), or its role or IP address does not permit the call (forbidden).",
    body: partnerV1.envelope.schema,
  },
  404: { description: "There is no such merchant, or no such service.", body: partnerV1.envelope.schema },
  409: {
    description: "The merchant is deactivated (merchant_inactive), or the Idempotency-Key was used for another request (conflict).",
    body: partnerV1.envelope.schema,
  },
};

function replyTo(outcome: ServiceOutcome) {
  switch (outcome.type) {
    case "not_permitted":
      return refusal(403, "service_not_permitted", "The service is not permitted to this partner");
    case "inactive":
      return inactive();
    case "changed": {
      const { merchant, service } = outcome;
      const state = serviceStateOf(merchant, service);
      return { status: 200 as const, body: { success: true as const, merchantId: merchant.merchantId, service: state } };
    }
  }
}

function switching(word: "enable" | "disable", name: string, summary: string) {
  return partnerV1.endpoint({
    name,
    method: "POST",
    path: `${PARTNER_API_BASE}/merchants/{id}/services/{service}/${word}`,
    summary,
    description: "The call is idempotent. A service may be enabled before it is configured, and configured before it is enabled.",
    auth: "partnerApi",
    rateLimit: PARTNER_API_RATE,
    idempotency: "plain",
    params: MerchantServiceParams,
    responses: { 200: answered, ...partnerV1.errors(400, 401, 500, 503), ...refused },
    handle: async ({ merchantServices }, { caller, params }) => {
      const partner: PartnerApiGrant = permitted(caller, "change");
      return replyTo(await merchantServices.setEnabled(partner, params.id, params.service, word === "enable"));
    },
  });
}

export const enableService = switching("enable", "partnerApiEnableService", "Enable a service for a merchant");
export const disableService = switching("disable", "partnerApiDisableService", "Disable a service for a merchant");

const mode = { type: "string", enum: [...SERVICE_MODES], description: "sandbox: the service's test system. live: money moves." };

/** A service's configuration as JSON Schema, for the documents; the engine validates it, since the rules depend on the path. */
function documented(code: ServiceCode) {
  const rules = membersOf(code) ?? [];
  return {
    type: "object",
    description: code,
    additionalProperties: false,
    // A secret that is stored may be left out.
    required: ["mode", ...rules.filter(({ secret }) => !secret).map(({ name }) => name)],
    properties: {
      mode,
      ...Object.fromEntries(
        rules.map(({ name, secret, lengthMax }) => [
          name,
          { type: "string", minLength: 1, maxLength: lengthMax, ...(secret ? { writeOnly: true } : {}) },
        ]),
      ),
    },
  };
}

const MAP_SERVICES = SERVICE_CODES.filter((code) => membersOf(code) === null);

const AnyConfiguration = Type.Unknown({
  type: "object",
  description:
    "The members depend on the service. A stored secret keeps its value if it is left out, or sent as the mask that is shown for it. In a map, members that are left out are removed.",
  // A body that is valid for one service may be a map of strings for another.
  anyOf: [
    ...SERVICE_CODES.filter((code) => membersOf(code) !== null).map(documented),
    {
      type: "object",
      description: MAP_SERVICES.join(", "),
      required: ["mode"],
      maxProperties: MAP_MEMBERS_MAX + 1,
      properties: { mode },
      additionalProperties: { type: "string", minLength: 1, maxLength: MAP_VALUE_LENGTH_MAX },
    },
  ],
});

export const configureService = partnerV1.endpoint({
  name: "partnerApiConfigureService",
  method: "PUT",
  path: `${PARTNER_API_BASE}/merchants/{id}/services/{service}/config`,
  summary: "Configure a service for a merchant",
  description: "Replaces the whole configuration. Secrets are stored encrypted and never returned.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  idempotency: "plain",
  bodyBytesMax: CONFIG_BODY_BYTES_MAX,
  bodyTexts: "as sent",
  params: MerchantServiceParams,
  body: AnyConfiguration,
  bodyExample: {
    mode: "sandbox",
    clientId: "AeA1QIZXiflr1",
    clientSecret: "EGnHDxD_qRPdaLdZz8iCr8N7_MzF-YHPTkjs6NKYQvQSBngp4PTTVWkPZRbL9f2c",
  },
  responses: { 200: answered, ...partnerV1.errors(400, 401, 413, 415, 500, 503), ...refused },
  handle: async ({ merchantServices }, { caller, params, body }) => {
    const partner = permitted(caller, "change");
    return replyTo(await merchantServices.configure(partner, params.id, params.service, body));
  },
});
