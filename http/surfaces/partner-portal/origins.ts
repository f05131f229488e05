import { Type } from "@sinclair/typebox";
import { okBody } from "../relay-envelope.ts";
import { callingPartner, portal } from "./surface.ts";

const Origins = Type.Record(Type.String(), Type.String());

export const saveOrigins = portal.endpoint({
  name: "saveOwnOrigins",
  method: "POST",
  path: "/api/partner/origins",
  summary: "Where browsers may use the calling partner's API key",
  description:
    "Replaces all of them: origins under names of your own, at most 100; an empty object lifts the restriction. From then on a request with the key whose `Origin` (without one, whose `Referer`) is another is answered 403, and listed origins get CORS answers. Requests that are not from browsers carry neither and pass.",
  auth: "basic",
  body: Origins,
  bodyExample: { shop: "https://shop.example", checkout: "https://checkout.shop.example" },
  audit: { action: "partner.origins", subject: ({ caller }) => String(callingPartner(caller)) },
  responses: {
    200: {
      description: "In force on every node.",
      body: okBody(Type.Object({ allowedOrigins: Origins })),
      example: { status: "ok", data: { allowedOrigins: { shop: "https://shop.example" } } },
    },
    ...portal.errors(400, 401, 403, 413, 415, 503),
  },
  handle: async ({ administerPartners }, { caller, body }) => {
    const { allowedOrigins } = await administerPartners.change(callingPartner(caller), { allowedOrigins: body });
    return { status: 200, body: { status: "ok", data: { allowedOrigins } } };
  },
});
