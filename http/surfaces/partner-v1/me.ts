import { Type } from "@sinclair/typebox";
import { PARTNER_API_ROLES } from "../../../engine/access/partner-grant.ts";
import { PARTNER_API_BASE, PARTNER_API_RATE, partnerV1, permitted } from "./surface.ts";

/** The partner that asks, as `GET /me` shows it. */
const Partner = Type.Object(
  {
    id: Type.Integer(),
    partnerCode: Type.String(),
    name: Type.String(),
    role: Type.String({
      description: `${PARTNER_API_ROLES.join(", ")}. ADMIN may do everything. OPERATOR may change merchants, their services and the partner's webhooks, but may not create or deactivate merchants or generate keys. VIEWER may only read.`,
    }),
    allowedServices: Type.String({ description: "A JSON array of service codes, as a string." }),
    maxMerchants: Type.Integer({ description: "The maximum number of active merchants." }),
    apiCallCount: Type.Integer({
      description:
        "The number of authenticated calls so far. The relay counts in memory and stores the number every second: calls of the last two seconds may be missing.",
    }),
  },
  { title: "AuthenticatedPartner" },
);

export const showMe = partnerV1.endpoint({
  name: "partnerApiMe",
  method: "GET",
  path: `${PARTNER_API_BASE}/me`,
  summary: "Get the partner",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  responses: {
    200: {
      description: "The partner that the key belongs to, and what it may do.",
      body: Type.Object({ success: Type.Literal(true), partner: Partner }),
      example: {
        success: true,
        partner: {
          id: 7,
          partnerCode: "ACME",
          name: "ACME Payments",
          role: "ADMIN",
          allowedServices: '["IGFS","PAYPAL"]',
          maxMerchants: 100,
          apiCallCount: 1_284,
        },
      },
    },
    ...partnerV1.errors(401, 403, 500, 503),
  },
  handle: async ({ callCounts }, { caller }) => {
    const { partnerId: id, partnerCode, name, role, allowedServices, maxMerchants } = permitted(caller, "look");
    const apiCallCount = await callCounts.of(id);
    const partner = { id, partnerCode, name, role, allowedServices: JSON.stringify(allowedServices), maxMerchants, apiCallCount };
    return { status: 200, body: { success: true, partner } };
  },
});
