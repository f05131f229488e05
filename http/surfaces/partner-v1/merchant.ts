import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { CALLS_PER_MINUTE_MAX } from "../../../engine/partners/merchant.ts";
import { iso } from "../../endpoint/time.ts";
import { madeItems } from "../parts/made-by-key.ts";
import { refusal } from "./error-body.ts";
import {
  Environment,
  KeysRequest,
  keysOf,
  MERCHANT_EXAMPLE,
  MerchantAnswer,
  MerchantName,
  MerchantParams,
  MerchantWithPendingKeys,
  MerchantWithReplacedKeys,
  merchantOf,
  SERVICE_EXAMPLE,
} from "./schemas.ts";
import { NO_STORE, NO_STORE_HEADERS, PARTNER_API_BASE, PARTNER_API_RATE, partnerV1, permitted } from "./surface.ts";

const answered = {
  description: "The merchant.",
  body: MerchantAnswer,
  example: { success: true, merchant: { ...MERCHANT_EXAMPLE, services: [SERVICE_EXAMPLE] } },
};

/** The 409 of a merchant that has to be activated first. */
export function inactive() {
  return refusal(409, "merchant_inactive", "The merchant is deactivated; activate it first");
}

export const showMerchant = partnerV1.endpoint({
  name: "partnerApiShowMerchant",
  method: "GET",
  path: `${PARTNER_API_BASE}/merchants/{merchantId}`,
  summary: "Get a merchant",
  description: "Deactivated merchants are returned too. Another partner's merchant is not found.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  params: MerchantParams,
  responses: { 200: answered, ...partnerV1.errors(400, 401, 403, 404, 500, 503) },
  handle: async ({ merchants }, { caller, params }) => {
    const partner = permitted(caller, "look");
    const merchant = await merchants.find(partner, params.merchantId);
    return { status: 200, body: { success: true, merchant: merchantOf(merchant, partner) } };
  },
});

/** Body of `PATCH /merchants/{merchantId}`; absent members stay. The id never changes. */
const MerchantPatch = Type.Object(
  {
    merchantName: Type.Optional(MerchantName),
    environment: Type.Optional(Environment),
    active: Type.Optional(
      Type.Boolean({
        description:
          "false deactivates the merchant, as DELETE does. true activates a deactivated merchant again, if `maxMerchants` allows it.",
      }),
    ),
    compatRequestsPerMinute: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: CALLS_PER_MINUTE_MAX,
        description: "Calls of the compatible API in any minute; at most what an administrator permits (`compatRequestsPerMinuteMax`).",
      }),
    ),
  },
  { title: "MerchantPatch" },
);

export const patchMerchant = partnerV1.endpoint({
  name: "partnerApiPatchMerchant",
  refusesUnknown: "access",
  method: "PATCH",
  path: `${PARTNER_API_BASE}/merchants/{merchantId}`,
  summary: "Update a merchant",
  description:
    "Members that are left out keep their values. Changing `active` requires the role ADMIN. `environment` moves the merchant: its keys stay of their environment, none is shown, the owners are told by mail, and keys of the new one are made by `POST .../keys`.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  idempotency: "plain",
  params: MerchantParams,
  body: MerchantPatch,
  bodyExample: { merchantName: "Bar Centrale 2", environment: "LIVE" },
  responses: {
    200: answered,
    ...partnerV1.errors(400, 401, 403, 404, 413, 415, 500, 503),
    409: {
      description:
        "The merchant is deactivated (merchant_inactive), `maxMerchants` does not allow activating it (merchant_limit_reached), or the Idempotency-Key was used for another request (conflict).",
      body: partnerV1.envelope.schema,
    },
  },
  handle: async ({ merchants }, { caller, params, body }) => {
    const partner = permitted(caller, body.active === undefined ? "change" : "own");
    if (Object.keys(body).length === 0) throw new RelayError("invalid_request", "body: must have at least one member to change");
    const { compatRequestsPerMinute, ...facts } = body;
    const limit = compatRequestsPerMinute === undefined ? {} : { callsPerMinute: compatRequestsPerMinute };
    const outcome = await merchants.patch(partner, params.merchantId, { ...facts, ...limit });
    switch (outcome.type) {
      case "inactive":
        return inactive();
      case "full":
        return refusal(409, "merchant_limit_reached", `The partner already has the maximum of ${outcome.maxMerchants} merchants`);
      case "changed":
        return { status: 200, body: { success: true, merchant: merchantOf(outcome.merchant, partner) } };
    }
  },
});

export const deactivateMerchant = partnerV1.endpoint({
  name: "partnerApiDeactivateMerchant",
  method: "DELETE",
  path: `${PARTNER_API_BASE}/merchants/{merchantId}`,
  summary: "Disable a merchant",
  description:
    "The merchant is kept, its id stays taken, and PATCH with `active` activates it again. From now on its keys are not accepted, and no payment link is created for its terminals; existing links stay valid until they end. The call is idempotent.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  params: MerchantParams,
  responses: {
    200: { ...answered, example: { success: true, merchant: { ...MERCHANT_EXAMPLE, status: "INACTIVE", services: [SERVICE_EXAMPLE] } } },
    ...partnerV1.errors(400, 401, 403, 404, 500, 503),
  },
  handle: async ({ merchants }, { caller, params }) => {
    const partner = permitted(caller, "own");
    const outcome = await merchants.patch(partner, params.merchantId, { active: false });
    if (outcome.type !== "changed") throw new Error(`deactivating a merchant came out as ${outcome.type}`);
    return { status: 200, body: { success: true, merchant: merchantOf(outcome.merchant, partner) } };
  },
});

export const replaceMerchantKeys = partnerV1.endpoint({
  name: "partnerApiReplaceMerchantKeys",
  method: "POST",
  path: `${PARTNER_API_BASE}/merchants/{merchantId}/keys`,
  summary: "Rotate the keys of a merchant",
  description:
    "TEST and LIVE have a pair each, and a key stays what it is when PATCH moves the merchant: one that goes LIVE gets its first pair of LIVE here. The merchant's owners in the portal are told by mail. Where one is active, the new keys wait (202): the previous pair goes on for 24 hours, unless an owner confirms the new keys earlier, or refuses them; a later rotation replaces what waits. Without an active owner, and with the `reason` `leaked`, the previous pair is no longer accepted when the response is sent (200). The response and the mail list what the previous secret key made; with `leaked` it ends in the same step, else the merchant decides.",
  auth: "partnerApi",
  refusesUnknown: "access",
  rateLimit: PARTNER_API_RATE,
  idempotency: "sealed",
  params: MerchantParams,
  body: Type.Optional(KeysRequest),
  bodyExample: { reason: "leaked" },
  audit: { action: "keys.replace", subject: ({ params }) => params.merchantId, note: ({ body }) => body?.reason },
  responses: {
    200: {
      description: "The new keys, shown in this response only. The previous ones have ended.",
      body: MerchantWithReplacedKeys,
      headers: NO_STORE_HEADERS,
    },
    202: {
      description:
        "The new keys, shown in this response only. They are accepted from `keysApplyAt` on, or once an owner has confirmed them.",
      body: MerchantWithPendingKeys,
      headers: NO_STORE_HEADERS,
    },
    ...partnerV1.errors(400, 401, 403, 404, 409, 500, 503),
  },
  handle: async ({ replaceKeys }, { caller, params, body, operationId }) => {
    const partner = permitted(caller, "own");
    const { reason = "routine", environment } = body ?? {};
    const request = { operationId, by: { type: "partner" }, reason, environment } as const;
    const outcome = await replaceKeys.replace(partner, params.merchantId, request);
    if (outcome.type === "inactive") return inactive();
    const shown = { merchant: merchantOf(outcome.merchant, partner), keys: keysOf(outcome.keys), made: madeItems(outcome.made) };
    const answer = { success: true, ...shown, keysEnvironment: outcome.environment } as const;
    if (outcome.appliesAtMs === null) {
      const message = "Keep the keys: they are not shown again. The previous keys are no longer valid";
      return { status: 200, body: { ...answer, message }, headers: NO_STORE };
    }
    const keysApplyAt = iso(outcome.appliesAtMs);
    const message = `Keep the keys: they are not shown again. The previous keys are valid until ${keysApplyAt}, unless an owner of the merchant confirms the new ones earlier`;
    return { status: 202, body: { ...answer, keysApplyAt, message }, headers: NO_STORE };
  },
});
