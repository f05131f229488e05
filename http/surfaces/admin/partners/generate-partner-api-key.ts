import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { KEY_GRACE_SECONDS_MAX } from "../../../../engine/partners/partner.ts";
import { admin } from "../surface.ts";
import { NO_STORE, noStore, ofOne } from "./partner.ts";

export const generatePartnerApiKey = admin.endpoint({
  ...ofOne,
  role: "owner",
  stepUp: true,
  name: "generatePartnerApiKey",
  refusesUnknown: "access",
  method: "POST",
  path: "/admin/api/partners/{id}/generate-api-key",
  summary: "Rotate the API key of a partner",
  description:
    "The key is shown in this response only. When it is sent, the relay no longer accepts the previous key, unless `graceSeconds` keeps it valid for a while.",
  body: Type.Optional(
    Type.Object({ graceSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: KEY_GRACE_SECONDS_MAX, default: 0 })) }),
  ),
  bodyExample: { graceSeconds: 3_600 },
  audit: { action: "partner.generate-api-key" },
  responses: {
    200: {
      description: "The key.",
      body: Type.Object({ status: Type.Literal("ok"), apiKey: Type.String(), message: Type.String() }, { title: "ApiKeyResponse" }),
      headers: noStore,
      example: { status: "ok", apiKey: "pk_live_...", message: "The key is not shown again." },
    },
    ...admin.errors(400, 401, 503),
  },
  handle: async ({ administerPartners }, { params, body }) => {
    const graceSeconds = body?.graceSeconds ?? 0;
    try {
      const { apiKey } = await administerPartners.regenerateKey(params.id, graceSeconds);
      return { status: 200, body: { status: "ok", apiKey, message: "The key is not shown again." }, headers: NO_STORE };
    } catch (error) {
      // Here an unknown partner is a 400: part of the interface.
      if (error instanceof RelayError && error.code === "not_found") throw new RelayError("invalid_request", error.message);
      throw error;
    }
  },
});
