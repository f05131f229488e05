import { Type } from "@sinclair/typebox";
import { AllowedOrigins } from "../parts/allowed-origins.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { callingPartner, portal } from "./surface.ts";

const Origins = Type.Record(Type.String(), Type.String());

export const saveOrigins = portal.endpoint({
  name: "saveOwnOrigins",
  method: "POST",
  path: "/api/partner/origins",
  summary: "Set the origins of your API key",
  description:
    "Replaces all origins. The body is an object with at most 100 origins, under names that you choose; an empty object removes the restriction. From then on a request with the key from any other `Origin` (or `Referer`, if there is no `Origin`) gets 403, and listed origins get CORS headers. Requests with neither header, such as those of servers, are accepted.",
  auth: "basic",
  needs: "own account",
  body: AllowedOrigins,
  bodyExample: { shop: "https://shop.example", checkout: "https://checkout.shop.example" },
  audit: { action: "partner.origins", subject: ({ caller }) => String(callingPartner(caller)) },
  responses: {
    200: {
      description: "The change is in force on every node.",
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
