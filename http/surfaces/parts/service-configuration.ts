import { Type } from "@sinclair/typebox";
import { SERVICE_CODES, type ServiceCode } from "../../../engine/access/partner-grant.ts";
import { MAP_MEMBERS_MAX, MAP_VALUE_LENGTH_MAX, membersOf } from "../../../engine/partners/merchant-service.ts";
import { ServiceMode } from "./schemas.ts";

/**
 * The JSON configuration of a payment service, for partners (Partner API v1) and merchants (the
 * portal).
 */

/** Room for two PEMs of the maximum length, or a full map, with JSON escapes. */
export const CONFIG_BODY_BYTES_MAX = 262_144;

const ServiceMember = Type.Object(
  {
    name: Type.String(),
    secret: Type.Boolean({ description: "It is stored encrypted and returned as a mask." }),
    maxLength: Type.Integer(),
  },
  { title: "ServiceMember" },
);

export const ServiceMembers = Type.Union([Type.Array(ServiceMember), Type.Null()], {
  description: `The members of the service's configuration in addition to \`mode\`. Null if the service accepts any members with string values: at most ${MAP_MEMBERS_MAX}, all stored as secrets.`,
});

export function membersShown(service: ServiceCode) {
  const rules = membersOf(service);
  return rules === null ? null : rules.map(({ name, secret, lengthMax }) => ({ name, secret, maxLength: lengthMax }));
}

/** Returns, for example, `AmazonPayConfiguration` for AMAZON_PAY. */
function configurationTitle(code: ServiceCode): string {
  const words = code.split("_").map((word) => word.charAt(0) + word.slice(1).toLowerCase());
  return `${words.join("")}Configuration`;
}

/**
 * Returns the JSON Schema of a service's configuration for the documents. The engine validates the
 * configuration, because the rules depend on the path.
 */
function documented(code: ServiceCode) {
  const rules = membersOf(code) ?? [];
  return {
    title: configurationTitle(code),
    type: "object",
    description: code,
    additionalProperties: false,
    // A stored secret may be omitted.
    required: ["mode", ...rules.filter(({ secret }) => !secret).map(({ name }) => name)],
    properties: {
      mode: ServiceMode,
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

export const AnyConfiguration = Type.Unknown({
  title: "ServiceConfiguration",
  type: "object",
  description:
    "The members depend on the service. A stored secret keeps its value if it is left out or sent as the mask that responses show. In a map, members that are left out are removed.",
  // A body may be valid for one service and a map of strings for another.
  anyOf: [
    ...SERVICE_CODES.filter((code) => membersOf(code) !== null).map(documented),
    {
      title: "MapConfiguration",
      type: "object",
      description: MAP_SERVICES.join(", "),
      required: ["mode"],
      maxProperties: MAP_MEMBERS_MAX + 1,
      properties: { mode: ServiceMode },
      additionalProperties: { type: "string", minLength: 1, maxLength: MAP_VALUE_LENGTH_MAX },
    },
  ],
});

export const CONFIGURATION_EXAMPLE = {
  mode: "sandbox",
  clientId: "AeA1QIZXiflr1",
  clientSecret: "EGnHDxD_qRPdaLdZz8iCr8N7_MzF-YHPTkjs6NKYQvQSBngp4PTTVWkPZRbL9f2c",
};
