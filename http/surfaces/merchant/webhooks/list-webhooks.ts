import { WEBHOOK_ENDPOINTS_MAX } from "../../../../engine/webhooks/webhook-endpoint.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { EVENTS_OFFERED } from "./endpoint-members.ts";
import { WebhookEndpointList, webhookEndpoint } from "./schemas.ts";
import { webhookOwnerOf, webhooks } from "./surface.ts";

const ALL = { limit: WEBHOOK_ENDPOINTS_MAX, startingAfter: null, endingBefore: null, fromMs: null, beforeMs: null };
const offered = () => ({ portal: [...EVENTS_OFFERED.portal], platform: [...EVENTS_OFFERED.platform] });

export const listWebhooks = webhooks.endpoint({
  name: "portalListWebhooks",
  method: "GET",
  path: `${MERCHANT_BASE}/webhooks`,
  summary: "List webhook endpoints of the merchant",
  description:
    "Lists endpoints of both formats: those created here, and those created with `/v1/webhook_endpoints`. `events` has the events that each format offers.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "integrate",
  rateLimit: PORTAL_RATE,
  responses: {
    200: {
      description: "All endpoints of the merchant.",
      body: okOf(WebhookEndpointList),
      example: { status: "ok", data: { items: [webhookEndpoint.example], max: WEBHOOK_ENDPOINTS_MAX, events: offered() } },
    },
    ...webhooks.errors(401, 403, 429, 503),
  },
  handle: async ({ merchantWebhooks, clock }, { caller }) => {
    const merchant = merchantOwnerOf(caller);
    const page = await merchantWebhooks.list(webhookOwnerOf(merchant), merchant.livemode, ALL);
    const items = (page?.items ?? []).map((record) => webhookEndpoint.json(record, { caller, nowMs: clock.nowMs() }));
    return { status: 200, body: ok({ items, max: WEBHOOK_ENDPOINTS_MAX, events: offered() }) };
  },
});
