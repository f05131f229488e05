import type { Caller } from "../../../../engine/access/caller.ts";
import type { MerchantGrant } from "../../../../engine/access/merchant-grant.ts";
import type { MerchantDeliveries, WebhookMerchant } from "../../../../engine/webhooks/merchant-deliveries.ts";
import type { WebhookDeliveryRecord } from "../../../../engine/webhooks/webhook-delivery.ts";
import type { WebhookOwner } from "../../../../engine/webhooks/webhook-endpoint.ts";
import type { WebhookEndpoints } from "../../../../engine/webhooks/webhook-endpoints.ts";
import type { WebhookEvent } from "../../../../engine/webhooks/webhook-event.ts";
import { oneOf } from "../resource-endpoints.ts";
import { merchantSurface } from "../surface.ts";
import { WEBHOOK_ID, webhookDelivery, webhookEndpoint } from "./schemas.ts";

/** The collaborators of the webhook endpoints. */
export interface WebhookOperations {
  /** The endpoints of both formats. */
  merchantWebhooks: WebhookEndpoints;
  merchantDeliveries: MerchantDeliveries;
  /** Returns the body that is posted to a merchant's endpoint. */
  webhookBody(event: WebhookEvent, delivery: WebhookDeliveryRecord): string;
  clock: { nowMs(): number };
}

export const webhooks = merchantSurface<WebhookOperations>();

/** Returns the calling key, to be stored with what it creates or changes. A person has no key. */
export function withKeyOf(caller: Caller): { withKey?: MerchantGrant } {
  return caller.type === "merchantKey" ? { withKey: caller.merchant } : {};
}

export function webhookOwnerOf({ merchantId }: WebhookMerchant): WebhookOwner {
  return { type: "merchant", merchantId };
}

export const oneEndpoint = oneOf(webhooks, {
  noun: "endpoint",
  missing: "There is no such webhook endpoint",
  path: "/webhooks",
  idParameter: { ...WEBHOOK_ID, parameterName: "PortalWebhookId" },
  resource: webhookEndpoint,
  find: ({ merchantWebhooks }, owner, id) => merchantWebhooks.find(webhookOwnerOf(owner), owner.livemode, id),
  context: ({ clock }, caller) => ({ caller, nowMs: clock.nowMs() }),
});

const { example } = webhookDelivery;

export const oneDelivery = oneOf(webhooks, {
  noun: "delivery",
  path: "/webhooks/deliveries",
  idParameter: {
    pattern: "^evt_[a-z0-9]{24}\\.we_[a-z0-9]{24}$",
    parameterName: "PortalDeliveryId",
    errorMessage: "must be the id of a delivery: that of an event, a dot, and that of an endpoint",
  },
  resource: { ...webhookDelivery, example: { ...example, tries: example.tries.slice(-1) } },
  find: async ({ merchantDeliveries, webhookBody }, owner, id) => {
    const found = await merchantDeliveries.find(owner, id);
    if (found === null) return null;
    const { delivery, endpoint, event } = found;
    return { ...delivery, url: endpoint?.url ?? null, body: event === null ? null : webhookBody(event, delivery) };
  },
  context: (_, caller) => ({ caller }),
});

export const DISABLED_ENDPOINT = "The endpoint of this delivery is disabled or removed; enable it first";
