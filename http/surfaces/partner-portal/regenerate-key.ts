import { Type } from "@sinclair/typebox";
import { KEY_GRACE_SECONDS_MAX } from "../../../engine/partners/partner.ts";
import { callingPartner, portal } from "./surface.ts";

export const regenerateKey = portal.endpoint({
  name: "regenerateOwnApiKey",
  refusesUnknown: "access",
  method: "POST",
  path: "/api/partner/regenerate-key",
  summary: "Rotate your API key",
  description:
    "The key is shown in this response only. When it is sent, the relay no longer accepts the previous key, unless `graceSeconds` keeps it valid for a while.",
  auth: "basic",
  needs: "own account",
  body: Type.Optional(
    Type.Object({ graceSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: KEY_GRACE_SECONDS_MAX, default: 0 })) }),
  ),
  bodyExample: { graceSeconds: 3_600 },
  audit: { action: "partner.regenerate-key", subject: ({ caller }) => String(callingPartner(caller)) },
  responses: {
    200: {
      description: "The key.",
      body: Type.Object({ status: Type.Literal("ok"), apiKey: Type.String(), message: Type.String() }, { title: "ApiKeyResponse" }),
      headers: { "Cache-Control": { description: "no-store" } },
      example: { status: "ok", apiKey: "pk_live_...", message: "The key is not shown again." },
    },
    ...portal.errors(400, 401, 403, 503),
  },
  handle: async ({ administerPartners }, { caller, body }) => {
    const { apiKey } = await administerPartners.regenerateKey(callingPartner(caller), body?.graceSeconds ?? 0);
    return {
      status: 200,
      body: { status: "ok", apiKey, message: "The key is not shown again." },
      headers: { "Cache-Control": "no-store" },
    };
  },
});
