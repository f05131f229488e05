import { Type } from "@sinclair/typebox";
import type { PartnerApiGrant, ServiceCode } from "../../../engine/access/partner-grant.ts";
import { SERVICE_DESCRIPTIONS } from "../../../engine/partners/merchant-service.ts";
import type { ServiceOutcome } from "../../../engine/partners/merchant-services.ts";
import {
  AnyConfiguration,
  CONFIG_BODY_BYTES_MAX,
  CONFIGURATION_EXAMPLE,
  membersShown,
  ServiceMembers,
} from "../parts/service-configuration.ts";
import { refusal } from "./error-body.ts";
import { inactive } from "./merchant.ts";
import { MerchantServiceParams, SERVICE_EXAMPLE, ServiceAnswer, ServiceWord, serviceStateOf } from "./schemas.ts";
import { PARTNER_API_BASE, PARTNER_API_RATE, partnerV1, permitted } from "./surface.ts";

const Service = Type.Object(
  {
    service: ServiceWord,
    description: Type.String(),
    members: ServiceMembers,
  },
  { title: "Service" },
);

export const listServices = partnerV1.endpoint({
  name: "partnerApiListServices",
  method: "GET",
  path: `${PARTNER_API_BASE}/services`,
  summary: "List services",
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
  return { service, description: SERVICE_DESCRIPTIONS[service], members: membersShown(service) };
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

export const enableService = switching("enable", "partnerApiEnableService", "Enable a service of a merchant");
export const disableService = switching("disable", "partnerApiDisableService", "Disable a service of a merchant");

export const configureService = partnerV1.endpoint({
  name: "partnerApiConfigureService",
  refusesUnknown: "money",
  method: "PUT",
  path: `${PARTNER_API_BASE}/merchants/{id}/services/{service}/config`,
  summary: "Update the configuration of a merchant's service",
  description: "Replaces the whole configuration. Secrets are stored encrypted and never returned.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  idempotency: "plain",
  bodyBytesMax: CONFIG_BODY_BYTES_MAX,
  bodyTexts: "as sent",
  params: MerchantServiceParams,
  body: AnyConfiguration,
  bodyExample: CONFIGURATION_EXAMPLE,
  responses: { 200: answered, ...partnerV1.errors(400, 401, 413, 415, 500, 503), ...refused },
  handle: async ({ merchantServices }, { caller, params, body }) => {
    const partner = permitted(caller, "change");
    return replyTo(await merchantServices.configure(partner, params.id, params.service, body));
  },
});
