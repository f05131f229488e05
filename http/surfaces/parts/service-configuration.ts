import { Type } from "@sinclair/typebox";
import { SERVICE_CODES, type ServiceCode } from "../../../engine/access/partner-grant.ts";
import { MAP_MEMBERS_MAX, MAP_VALUE_LENGTH_MAX, membersOf } from "../../../engine/partners/merchant-service.ts";
import { ServiceMode } from "./schemas.ts";

/** The configuration of a payment service in JSON, for partners (Partner API v1) and for merchants (the portal) alike. */

/** Two PEMs of the maximum length, or a full map, with room for JSON escapes. */
export const CONFIG_BODY_BYTES_MAX = 262_144;

const ServiceMember = Type.Object(
  {
    name: Type.String(),
    secret: Type.Boolean({ description: "Stored encrypted, shown as a mask." }),
    maxLength: Type.Integer(),
  },
  { title: "ServiceMember" },
);

export const ServiceMembers = Type.Union([Type.Array(ServiceMember), Type.Null()], {
  description: `The members of its configuration in addition to \`mode\`. Null: any members with string values, at most ${MAP_MEMBERS_MAX}, all stored as secrets.`,
});

export function membersShown(service: ServiceCode) {
  const rules = membersOf(service);
  return rules === null ? null : rules.map(({ name, secret, lengthMax }) => ({ name, secret, maxLength: lengthMax }));
}

/** `AmazonPayConfiguration` of AMAZON_PAY. */
function configurationTitle(code: ServiceCode): string {
  const words = code.split("_").map((word) => word.charAt(0) + word.slice(1).toLowerCase());
  return `${words.join("")}Configuration`;
}

/** A service's configuration as JSON Schema, for the documents; the engine validates it, since the rules depend on the path. */
function documented(code: ServiceCode) {
  const rules = membersOf(code) ?? [];
  return {
    title: configurationTitle(code),
    type: "object",
    description: code,
    additionalProperties: false,
    // A secret that is stored may be left out.
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
    "The members depend on the service. A stored secret keeps its value if it is left out, or sent as the mask that is shown for it. In a map, members that are left out are removed.",
  // A body that is valid for one service may be a map of strings for another.
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
