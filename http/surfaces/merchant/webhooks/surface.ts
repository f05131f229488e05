import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../../engine/access/caller.ts";
import type { MerchantGrant } from "../../../../engine/access/merchant-grant.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { MerchantDeliveries, WebhookMerchant } from "../../../../engine/webhooks/merchant-deliveries.ts";
import type { WebhookDeliveryRecord } from "../../../../engine/webhooks/webhook-delivery.ts";
import type { WebhookOwner } from "../../../../engine/webhooks/webhook-endpoint.ts";
import type { WebhookEndpoints } from "../../../../engine/webhooks/webhook-endpoints.ts";
import type { WebhookEvent } from "../../../../engine/webhooks/webhook-event.ts";
import { merchantSurface } from "../surface.ts";
import { WEBHOOK_ID } from "./schemas.ts";

/** What the endpoints of a merchant's webhooks use. */
export interface WebhookOperations {
  /** Those of both formats. */
  merchantWebhooks: WebhookEndpoints;
  merchantDeliveries: MerchantDeliveries;
  /** The body that is posted to a merchant's endpoint. */
  webhookBody(event: WebhookEvent, delivery: WebhookDeliveryRecord): string;
  clock: { nowMs(): number };
}

export const webhooks = merchantSurface<WebhookOperations>();

export const EndpointParams = Type.Object({
  id: Type.String({
    ...WEBHOOK_ID,
    parameterName: "PortalWebhookId",
  }),
});

export const DeliveryParams = Type.Object({
  id: Type.String({
    pattern: "^evt_[a-z0-9]{24}\\.we_[a-z0-9]{24}$",
    parameterName: "PortalDeliveryId",
    errorMessage: "must be the id of a delivery: that of an event, a dot, and that of an endpoint",
  }),
});

/** The merchant that a session or a key speaks for, with the environment that it is in. */
export function webhookMerchantOf(caller: Caller): WebhookMerchant {
  if (caller.type === "merchantUser") return caller.user;
  if (caller.type === "merchantKey") return caller.merchant;
  throw new RelayError("unauthorized", "Sign in, or send the merchant's secret key");
}

/** The key of the call, for what it makes or changes; absent for a person. */
export function withKeyOf(caller: Caller): { withKey?: MerchantGrant } {
  return caller.type === "merchantKey" ? { withKey: caller.merchant } : {};
}

export function webhookOwnerOf({ merchantId }: WebhookMerchant): WebhookOwner {
  return { type: "merchant", merchantId };
}

export function noSuchEndpoint(): RelayError {
  return new RelayError("not_found", "There is no such webhook endpoint");
}

export function noSuchDelivery(): RelayError {
  return new RelayError("not_found", "There is no such delivery");
}
