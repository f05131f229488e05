import type { Endpoint } from "../../endpoint/endpoint.ts";
import { retrieveAccount } from "./account.ts";
import { listCharges, retrieveCharge } from "./charges.ts";
import { listEvents, retrieveEvent, retryEvent } from "./events.ts";
import type { CompatOperations } from "./operations.ts";
import {
  cancelPaymentIntent,
  capturePaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
  listPaymentIntents,
  retrievePaymentIntent,
  updatePaymentIntent,
} from "./payment-intents.ts";
import { createRefund, listRefunds, retrieveRefund } from "./refunds.ts";
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  retrieveWebhookEndpoint,
  rollWebhookSecret,
  updateWebhookEndpoint,
} from "./webhook-endpoints.ts";

/** The compatible API. Everything else under its base is answered 404 in its envelope. */
export const compatEndpoints: Endpoint<CompatOperations>[] = [
  createPaymentIntent,
  listPaymentIntents,
  retrievePaymentIntent,
  updatePaymentIntent,
  confirmPaymentIntent,
  cancelPaymentIntent,
  capturePaymentIntent,
  createRefund,
  listRefunds,
  retrieveRefund,
  listCharges,
  retrieveCharge,
  createWebhookEndpoint,
  listWebhookEndpoints,
  retrieveWebhookEndpoint,
  updateWebhookEndpoint,
  rollWebhookSecret,
  deleteWebhookEndpoint,
  listEvents,
  retrieveEvent,
  retryEvent,
  retrieveAccount,
];
