import { WEBHOOK_ENDPOINTS_MAX } from "../../../../engine/webhooks/webhook-endpoint.ts";
import { withoutCards } from "../../parts/webhook-members.ts";
import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { eventsOf } from "./endpoint-members.ts";
import { CreateWebhookEndpoint, WebhookEndpointWithSecret, webhookEndpoint } from "./schemas.ts";
import { webhookOwnerOf, webhooks, withKeyOf } from "./surface.ts";

export const createWebhook = webhooks.endpoint({
  name: "portalCreateWebhook",
  refusesUnknown: "access",
  method: "POST",
  path: `${MERCHANT_BASE}/webhooks`,
  summary: "Create a webhook endpoint of the merchant",
  description:
    "`format` is `portal` (default) or `platform`, the format of `/v1/webhook_endpoints`; each has its own events. `url` must be https in LIVE. The relay rejects addresses of local networks, and checks the host name at each call. The response has the `secret` that signs deliveries; it is not shown again.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "integrate",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  idempotency: "sealed",
  body: CreateWebhookEndpoint,
  bodyExample: { url: webhookEndpoint.example.url, events: webhookEndpoint.example.events, description: "Order system" },
  audit: { action: "webhook.create", subject: ({ body: { format = "portal" } }) => format },
  responses: {
    201: {
      description: "Created.",
      body: okOf(WebhookEndpointWithSecret),
      example: { status: "ok", data: { endpoint: webhookEndpoint.example, secret: "whsec_..." } },
    },
    ...webhooks.errors(400, 401, 403, 413, 415, 429, 503),
    409: {
      description: `The merchant already has ${WEBHOOK_ENDPOINTS_MAX} endpoints (endpoints_full), or the Idempotency-Key was used for another request (conflict).`,
      body: webhooks.envelope.schema,
    },
  },
  handle: async ({ merchantWebhooks, clock }, { caller, body, operationId }) => {
    const merchant = merchantOwnerOf(caller);
    const { withKey } = withKeyOf(caller);
    const { format = "portal", events } = body;
    const { url = "", description = null } = withoutCards(body);
    const order = {
      ...{ format, livemode: merchant.livemode, url, events: eventsOf(format, events) },
      ...{ apiVersion: null, description, metadata: {} },
      madeBy: withKey === undefined ? ({ type: "user" } as const) : ({ type: "key", keyId: withKey.keyId } as const),
    };
    const outcome = await merchantWebhooks.create(webhookOwnerOf(merchant), order, operationId, withKey?.proof);
    if (outcome.type === "full") {
      return refusal(409, "endpoints_full", `A merchant has at most ${WEBHOOK_ENDPOINTS_MAX} endpoints; remove one first`);
    }
    return {
      status: 201,
      body: ok({ endpoint: webhookEndpoint.json(outcome.endpoint, { caller, nowMs: clock.nowMs() }), secret: outcome.secret }),
    };
  },
});
