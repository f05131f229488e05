import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { iso } from "../../../endpoint/time.ts";
import { MADE_EXAMPLE, madeItems } from "../../parts/made-by-key.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE, userOf } from "../surface.ts";
import { NewKeys, ReplaceKeys } from "./schemas.ts";
import { methods } from "./surface.ts";

/** A response with keys must not be stored by caches. */
const NO_STORE = { "Cache-Control": "no-store" } as const;

export const replaceKeys = methods.endpoint({
  name: "portalReplaceKeys",
  method: "POST",
  path: `${MERCHANT_BASE}/keys`,
  summary: "Rotate the API keys of the merchant",
  description:
    "TEST and LIVE have a pair each, and a key stays what it is when the merchant moves: one that goes LIVE gets its first pair here. The present pair of the environment is no longer accepted, at any node, when the response is sent. The new keys are shown in this response only. Keys of the environment that wait are dropped. The owners are told by mail. The response and the mail list what the former secret key made; with the `reason` `leaked` it ends in the same step.",
  auth: "merchantUser",
  may: "administer keys",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  idempotency: "sealed",
  refusesUnknown: "access",
  body: Type.Optional(ReplaceKeys),
  bodyExample: { reason: "leaked" },
  audit: { action: "keys.replace", subject: ({ caller }) => userOf(caller).merchantId, note: ({ body }) => body?.reason },
  responses: {
    201: {
      description: "The new pair.",
      body: okOf(NewKeys),
      headers: { "Cache-Control": { description: "no-store" } },
      example: {
        status: "ok",
        data: {
          publishableKey: "pk_merchant_...",
          secretKey: "sk_merchant_...",
          environment: "TEST",
          createdAt: "2026-03-01T09:30:00.000Z",
          made: MADE_EXAMPLE,
        },
      },
    },
    ...methods.errors(400, 401, 403, 413, 415, 429, 503),
    409: {
      description: "The merchant is deactivated, or the Idempotency-Key was used for another request (conflict).",
      body: methods.envelope.schema,
    },
  },
  handle: async ({ ownMerchant }, { caller, body, operationId }) => {
    const { merchantId, email } = userOf(caller);
    const { reason = "routine", environment } = body ?? {};
    const outcome = await ownMerchant.replaceKeys(merchantId, { operationId, by: { type: "person", email }, reason, environment });
    if (outcome.type === "inactive") throw new RelayError("conflict", "The merchant is deactivated");
    const { keys, madeAtMs, made } = outcome;
    const pair = {
      publishableKey: keys.publishable,
      secretKey: keys.secret,
      environment: outcome.environment,
      createdAt: iso(madeAtMs),
    };
    return { status: 201, body: ok({ ...pair, made: madeItems(made) }), headers: NO_STORE };
  },
});
