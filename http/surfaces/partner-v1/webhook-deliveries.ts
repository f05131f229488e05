import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { WebhookDeliveryRecord } from "../../../engine/webhooks/webhook-delivery.ts";
import { described } from "../../endpoint/described.ts";
import { iso, isoOrNull } from "../../endpoint/time.ts";
import { DeliveryState } from "../parts/schemas.ts";
import { PARTNER_API_BASE, PARTNER_API_RATE, partnerV1, permitted } from "./surface.ts";
import { requiredWebhook, WebhookParams, webhookOwnerOf } from "./webhooks.ts";

const PAGE_DEFAULT = 20;
/** Each with up to 24 answers of a KiB: about 2.5 MB in all. */
const PAGE_MAX = 100;

const Time = Type.String({ description: "ISO 8601 UTC." });
const DeliveryId = { maxLength: 128, pattern: "^[A-Za-z0-9._-]{1,128}$" };

const Attempt = Type.Object(
  {
    at: Time,
    durationMs: Type.Integer(),
    status: Type.Union([Type.Integer(), Type.Null()], { description: "Null without an answer." }),
    error: Type.Union([Type.String(), Type.Null()], { description: "Null where it succeeded." }),
    answer: Type.Union([Type.String(), Type.Null()], { description: "At most the first 1,024 bytes of the answer's body." }),
  },
  { title: "WebhookAttempt" },
);

const Delivery = Type.Object(
  {
    deliveryId: Type.String({ description: "The event's id and the webhook's." }),
    webhookId: Type.String(),
    eventId: Type.String(),
    eventType: Type.String(),
    objectId: Type.String({ description: "What the event is about." }),
    merchantId: Type.String(),
    state: DeliveryState,
    createdAt: Time,
    nextAttemptAt: Type.Union([Time, Type.Null()], { description: "Null once it has ended." }),
    attempts: Type.Array(Attempt, { description: "The latest ones, at most 24, the oldest first." }),
  },
  { title: "PartnerWebhookDelivery" },
);

const EXAMPLE: Static<typeof Delivery> = {
  deliveryId: "evt_0d8f5k2m9q4r7s1t3u6v8w0x.we_1a2b3c4d5e6f7g8h9i0j1k2l",
  webhookId: "we_1a2b3c4d5e6f7g8h9i0j1k2l",
  eventId: "evt_0d8f5k2m9q4r7s1t3u6v8w0x",
  eventType: "payment_intent.succeeded",
  objectId: "pi_9z8y7x6w5v4u3t2s1r0q9p8o",
  merchantId: "SHOP-001",
  state: "dead",
  createdAt: "2026-03-01T10:00:00.000Z",
  nextAttemptAt: null,
  attempts: [{ at: "2026-03-01T11:05:05.000Z", durationMs: 84, status: 500, error: "answered 500", answer: "Internal Server Error" }],
};

export const listWebhookDeliveries = partnerV1.endpoint({
  name: "partnerApiListWebhookDeliveries",
  method: "GET",
  path: `${PARTNER_API_BASE}/webhooks/{webhookId}/deliveries`,
  summary: "List deliveries of a partner's webhook endpoint",
  description:
    "With the attempts and what the endpoint answered. dead: six attempts failed within about seventy minutes; kept for 90 days, the others for 30. canceled: the endpoint was inactive before.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  params: WebhookParams,
  query: Type.Object({
    state: Type.Optional(described(DeliveryState, "Default: all.")),
    after: Type.Optional(Type.String({ ...DeliveryId, description: "The last `deliveryId` of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })),
  }),
  responses: {
    200: {
      description: "A page, the oldest first.",
      body: Type.Object({ success: Type.Literal(true), deliveries: Type.Array(Delivery) }),
      example: { success: true, deliveries: [EXAMPLE] },
    },
    ...partnerV1.errors(400, 401, 403, 404, 500, 503),
  },
  handle: async ({ webhookEndpoints, endpointDeliveries }, { caller, params: { webhookId }, query }) => {
    await requiredWebhook(webhookEndpoints, webhookOwnerOf(permitted(caller, "look")), webhookId);
    const { state = null, after = null, limit = PAGE_DEFAULT } = query;
    const page = await endpointDeliveries.list(webhookId, state, after, limit);
    return { status: 200, body: { success: true, deliveries: page.map(deliveryOf) } };
  },
});

export const resendWebhookDelivery = partnerV1.endpoint({
  name: "partnerApiResendWebhookDelivery",
  method: "POST",
  path: `${PARTNER_API_BASE}/webhooks/{webhookId}/deliveries/{deliveryId}/resend`,
  summary: "Resend a delivery of a partner's webhook endpoint",
  description: "Also where it was delivered before. 409 if it is being sent, or if the endpoint is inactive.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  idempotency: "plain",
  params: Type.Object({ ...WebhookParams.properties, deliveryId: Type.String(DeliveryId) }),
  responses: {
    200: {
      description: "The event is sent within a second, and has all its attempts again.",
      body: Type.Object({ success: Type.Literal(true), delivery: Delivery }),
      example: { success: true, delivery: { ...EXAMPLE, state: "waiting", nextAttemptAt: "2026-03-02T08:00:00.000Z" } },
    },
    ...partnerV1.errors(400, 401, 403, 404, 409, 500, 503),
  },
  handle: async ({ webhookEndpoints, endpointDeliveries }, { caller, params: { webhookId, deliveryId } }) => {
    await requiredWebhook(webhookEndpoints, webhookOwnerOf(permitted(caller, "change")), webhookId);
    const record = await endpointDeliveries.resend(webhookId, deliveryId);
    if (record === null) throw new RelayError("not_found", "There is no such delivery");
    return { status: 200, body: { success: true, delivery: deliveryOf(record) } };
  },
});

function deliveryOf(record: WebhookDeliveryRecord): Static<typeof Delivery> {
  const { id, endpointId, eventId, eventType, objectId, merchantId, state, createdAtMs, nextAtMs, attempts } = record;
  return {
    ...{ deliveryId: id, webhookId: endpointId, eventId, eventType, objectId, merchantId, state },
    createdAt: iso(createdAtMs),
    nextAttemptAt: isoOrNull(nextAtMs),
    attempts: attempts.map(({ atMs, durationMs, status, error, answer }) => ({ at: iso(atMs), durationMs, status, error, answer })),
  };
}
