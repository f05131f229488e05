import { RelayError } from "../../../../engine/kernel/errors.ts";
import { withoutCards } from "../../parts/webhook-members.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE } from "../surface.ts";
import { ENDPOINT_EXAMPLE, endpointJson, eventsOf, seenMsOf } from "./endpoint-json.ts";
import { ChangeWebhookEndpoint, WebhookEndpointItem } from "./schemas.ts";
import { EndpointParams, noSuchEndpoint, webhookMerchantOf, webhookOwnerOf, webhooks, withKeyOf } from "./surface.ts";

export const changeWebhook = webhooks.endpoint({
  name: "portalChangeWebhook",
  refusesUnknown: "access",
  method: "PATCH",
  path: `${MERCHANT_BASE}/webhooks/{id}`,
  summary: "Update a webhook endpoint of the merchant",
  description:
    "Members that are left out stay. Disabling it ends what is still to be delivered to it; enabling it forgets why it was disabled. `seen`: the `updatedAt` that was looked at.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "integrate",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  params: EndpointParams,
  body: ChangeWebhookEndpoint,
  bodyExample: { status: "enabled" },
  audit: { action: "webhook.change" },
  responses: {
    200: { description: "The endpoint.", body: okOf(WebhookEndpointItem), example: { status: "ok", data: ENDPOINT_EXAMPLE } },
    ...webhooks.errors(400, 401, 403, 404, 413, 415, 429, 503),
    409: { description: "It is no longer as in `seen` (conflict).", body: webhooks.envelope.schema },
  },
  handle: async ({ merchantWebhooks, clock }, { caller, params: { id }, body }) => {
    const merchant = webhookMerchantOf(caller);
    const owner = webhookOwnerOf(merchant);
    const { events, status, seen } = body;
    const texts = withoutCards(body);
    if (events === undefined && status === undefined && Object.keys(texts).length === 0) {
      throw new RelayError("invalid_request", "body: must have at least one member to change");
    }
    const before = await merchantWebhooks.find(owner, merchant.livemode, id);
    if (before === null) throw noSuchEndpoint();
    const changed = await merchantWebhooks.change(owner, merchant.livemode, id, {
      ...texts,
      ...withKeyOf(caller),
      ...(events === undefined ? {} : { events: eventsOf(before.format, events, before.events) }),
      ...(status === undefined ? {} : { disabled: status === "disabled" }),
      ...(seen === undefined ? {} : { seenAtMs: seenMsOf(seen) }),
    });
    if (changed === null) throw noSuchEndpoint();
    return { status: 200, body: ok(endpointJson(changed, clock.nowMs())) };
  },
});
