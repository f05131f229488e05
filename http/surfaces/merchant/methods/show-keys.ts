import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE, userOf } from "../surface.ts";
import { Keys } from "./schemas.ts";
import { methods } from "./surface.ts";

export const showKeys = methods.endpoint({
  name: "portalShowKeys",
  method: "GET",
  path: `${MERCHANT_BASE}/keys`,
  summary: "Get the API keys of the merchant",
  description: "The publishable key, and of the secret key its beginning: the relay keeps a digest of it.",
  auth: "merchantUser",
  may: "administer keys",
  rateLimit: PORTAL_RATE,
  responses: {
    200: {
      description: "The present pair.",
      body: okOf(Keys),
      example: {
        status: "ok",
        data: {
          publishableKey: "pk_merchant_...",
          secretKeyPrefix: "sk_merchant_k3Qd",
          createdAt: "2026-03-01T09:30:00.000Z",
          environment: "TEST",
        },
      },
    },
    ...methods.errors(401, 403, 429, 503),
  },
  handle: async ({ ownMerchant }, { caller }) => {
    const { shownKeys, environment } = await ownMerchant.find(userOf(caller).merchantId);
    const keys = {
      publishableKey: shownKeys?.publishable ?? null,
      secretKeyPrefix: shownKeys?.secretPrefix ?? null,
      createdAt: shownKeys === undefined ? null : new Date(shownKeys.madeAtMs).toISOString(),
      environment,
    };
    return { status: 200, body: ok(keys) };
  },
});
