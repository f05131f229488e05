import { SECRET_OVERLAP_DEFAULT_MS } from "../../../../engine/webhooks/webhook-endpoint.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { WebhookEndpointWithSecret, webhookEndpoint } from "./schemas.ts";
import { oneEndpoint, webhookOwnerOf, webhooks, withKeyOf } from "./surface.ts";

export const rotateWebhookSecret = webhooks.endpoint({
  name: "portalRotateWebhookSecret",
  method: "POST",
  path: `${MERCHANT_BASE}/webhooks/{id}/rotate-secret`,
  summary: "Rotate the secret of the merchant's webhook endpoint",
  description:
    "The response has the new `secret`, which is not shown again. For 24 hours (until `formerSecretUntil`) the previous secret signs, too: `X-Gateway-Signature` uses the previous one until then, and `webhook-signature` has a signature of each.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "integrate",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  idempotency: "sealed",
  params: oneEndpoint.params,
  audit: { action: "webhook.rotate-secret" },
  responses: {
    200: {
      description: "Replaced.",
      body: okOf(WebhookEndpointWithSecret),
      example: {
        status: "ok",
        data: { endpoint: { ...webhookEndpoint.example, formerSecretUntil: "2026-03-02T09:30:00.000Z" }, secret: "whsec_..." },
      },
    },
    ...webhooks.errors(400, 401, 403, 404, 429, 503),
    409: {
      description:
        "The secret that this request created has been replaced since, or the Idempotency-Key was used for another request (conflict).",
      body: webhooks.envelope.schema,
    },
  },
  handle: async ({ merchantWebhooks, clock }, { caller, params: { id }, operationId }) => {
    const merchant = merchantOwnerOf(caller);
    const owner = webhookOwnerOf(merchant);
    const { withKey } = withKeyOf(caller);
    const rolled = await merchantWebhooks.rollSecret(owner, merchant.livemode, id, SECRET_OVERLAP_DEFAULT_MS, operationId, withKey);
    if (rolled === null) throw oneEndpoint.notFound();
    return {
      status: 200,
      body: ok({ endpoint: webhookEndpoint.json(rolled.endpoint, { caller, nowMs: clock.nowMs() }), secret: rolled.secret }),
    };
  },
});
