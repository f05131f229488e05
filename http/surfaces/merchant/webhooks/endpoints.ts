import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { MerchantOperations } from "../surface.ts";
import { changeWebhook } from "./change-webhook.ts";
import { createWebhook } from "./create-webhook.ts";
import { findWebhookDelivery } from "./find-delivery.ts";
import { listWebhookDeliveries } from "./list-deliveries.ts";
import { listWebhooks } from "./list-webhooks.ts";
import { removeWebhook } from "./remove-webhook.ts";
import { resendWebhookDelivery } from "./resend-delivery.ts";
import { resendFailedDeliveries } from "./resend-failed.ts";
import { rotateWebhookSecret } from "./rotate-secret.ts";
import type { WebhookOperations } from "./surface.ts";
import { testWebhook } from "./test-webhook.ts";

/** The endpoints of a merchant's webhooks and of their deliveries. */
export const webhookEndpoints: Endpoint<WebhookOperations & MerchantOperations>[] = [
  listWebhooks,
  createWebhook,
  changeWebhook,
  removeWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  findWebhookDelivery,
  resendWebhookDelivery,
  resendFailedDeliveries,
];
