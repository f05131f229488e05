import { Type } from "@sinclair/typebox";
import { MERCHANTS_PER_PARTNER_MAX } from "../../../engine/partners/merchant.ts";
import { described } from "../../endpoint/described.ts";
import { refusal } from "./error-body.ts";
import { Environment, keysOf, MERCHANT_EXAMPLE, MerchantId, MerchantName, MerchantWithKeys, merchantOf } from "./schemas.ts";
import { NO_STORE, NO_STORE_HEADERS, PARTNER_API_BASE, PARTNER_API_RATE, partnerV1, permitted } from "./surface.ts";

/** Body of `POST /merchants`. */
const MerchantRequest = Type.Object(
  {
    merchantId: MerchantId,
    merchantName: Type.Optional(Type.String({ ...MerchantName, description: "Display name. Default: the id." })),
    environment: Type.Optional(described(Environment, "Default: TEST.")),
  },
  { title: "MerchantCreateRequest" },
);

export const createMerchant = partnerV1.endpoint({
  name: "partnerApiCreateMerchant",
  refusesUnknown: "money",
  method: "POST",
  path: `${PARTNER_API_BASE}/merchants`,
  summary: "Create a merchant",
  description:
    "The merchant's keys are shown in this response only. Send an `Idempotency-Key`: without one, the keys are lost if the response is lost.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  idempotency: "sealed",
  body: MerchantRequest,
  bodyExample: { merchantId: "SHOP-001", merchantName: "Bar Centrale", environment: "TEST" },
  responses: {
    201: {
      description: "Created.",
      body: MerchantWithKeys,
      headers: NO_STORE_HEADERS,
      example: {
        success: true,
        merchant: { ...MERCHANT_EXAMPLE, services: [] },
        keys: { publishableKey: "pk_merchant_...", secretKey: "sk_merchant_..." },
        message: "Store the keys: they are not shown again",
      },
    },
    ...partnerV1.errors(400, 401, 403, 413, 415, 500, 503),
    409: {
      description: `The id is already used (merchant_exists), the partner has reached \`maxMerchants\` or, including deactivated merchants, ${MERCHANTS_PER_PARTNER_MAX} (merchant_limit_reached), or the Idempotency-Key was used for another request (conflict).`,
      body: partnerV1.envelope.schema,
    },
  },
  handle: async ({ merchants }, { caller, body, operationId }) => {
    const partner = permitted(caller, "own");
    const outcome = await merchants.create(partner, body, operationId);
    switch (outcome.type) {
      case "taken":
        return refusal(409, "merchant_exists", "merchantId: is already used; choose another one");
      case "full":
        return refusal(409, "merchant_limit_reached", `The partner already has the maximum of ${outcome.maxMerchants} merchants`);
      case "created": {
        const { merchant, keys } = outcome;
        const message = "Store the keys: they are not shown again";
        const body = { success: true as const, merchant: merchantOf(merchant, partner), keys: keysOf(keys), message };
        return { status: 201, body, headers: NO_STORE };
      }
    }
  },
});
