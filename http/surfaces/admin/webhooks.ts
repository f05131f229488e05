import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { MERCHANT_ID_PATTERN } from "../../../engine/partners/merchant.ts";
import type { DeliveriesTo } from "../../../engine/webhooks/administer-webhooks.ts";
import type { WebhookAttempt, WebhookDeliveryRecord } from "../../../engine/webhooks/webhook-delivery.ts";
import type { WebhookEndpointRecord } from "../../../engine/webhooks/webhook-endpoint.ts";
import type { Endpoint } from "../../endpoint/endpoint.ts";
import { iso, isoOrNull } from "../../endpoint/time.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { DeliveryState, Environment, WebhookDisabledReason, WebhookFormat, WebhookStatus } from "../parts/schemas.ts";
import { type AdminOperations, adminOfWebhooks as admin } from "./surface.ts";

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;

const orNull = <T extends Parameters<typeof Type.Optional>[0]>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

const Time = Type.String({ description: "ISO 8601 UTC." });

const deliveryMembers = {
  id: Type.String({ description: "The event's id and the endpoint's." }),
  state: DeliveryState,
  eventId: Type.String(),
  eventType: Type.String(),
  objectId: Type.String({ description: "What the event is about." }),
  endpointId: Type.String(),
  merchantId: Type.String(),
  partnerId: Type.Integer(),
  environment: Environment,
  attempts: Type.Integer({ description: "Since it was last sent again." }),
  createdAt: Time,
  nextAttemptAt: orNull(Time, "Null once it has ended."),
  lastAttemptAt: orNull(Time),
  lastStatus: orNull(Type.Integer(), "The status of the last answer; null without one."),
  lastError: orNull(Type.String(), "Why the last attempt failed; null where it succeeded."),
};
const Delivery = Type.Object(deliveryMembers, { title: "AdminWebhookDelivery" });

const Attempt = Type.Object(
  {
    at: Time,
    durationMs: Type.Integer(),
    status: orNull(Type.Integer(), "Null without an answer."),
    error: orNull(Type.String(), "Null where it succeeded."),
    answer: orNull(Type.String(), "At most the first 1,024 bytes of the answer's body."),
  },
  { title: "WebhookAttempt" },
);
const DeliveryWithAttempts = Type.Object(
  { ...deliveryMembers, latestAttempts: Type.Array(Attempt, { description: "At most 24, the oldest first." }) },
  { title: "AdminWebhookDeliveryWithAttempts" },
);

const WebhookEndpoint = Type.Object(
  {
    id: Type.String(),
    owner: Type.Union([
      Type.Object({ type: Type.Literal("merchant"), merchantId: Type.String() }),
      Type.Object({ type: Type.Literal("partner"), partnerId: Type.Integer() }),
    ]),
    format: WebhookFormat,
    environment: Environment,
    url: Type.String(),
    events: Type.Array(Type.String()),
    apiVersion: orNull(Type.String()),
    description: orNull(Type.String()),
    status: WebhookStatus,
    disabledReason: orNull(WebhookDisabledReason, "Null: somebody disabled it, or nobody did."),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "AdminWebhookEndpoint" },
);

const DELIVERY_EXAMPLE = {
  id: "evt_0d8f5k2m9q4r7s1t3u6v8w0x.we_1a2b3c4d5e6f7g8h9i0j1k2l",
  state: "dead" as const,
  eventId: "evt_0d8f5k2m9q4r7s1t3u6v8w0x",
  eventType: "payment_intent.succeeded",
  objectId: "pi_9z8y7x6w5v4u3t2s1r0q9p8o",
  endpointId: "we_1a2b3c4d5e6f7g8h9i0j1k2l",
  merchantId: "SHOP-001",
  partnerId: 7,
  environment: "LIVE" as const,
  attempts: 6,
  createdAt: "2026-01-01T10:00:00.000Z",
  nextAttemptAt: null,
  lastAttemptAt: "2026-01-01T11:05:05.000Z",
  lastStatus: 500,
  lastError: "answered 500",
};

const ENDPOINT_EXAMPLE = {
  id: DELIVERY_EXAMPLE.endpointId,
  owner: { type: "merchant" as const, merchantId: "SHOP-001" },
  format: "platform" as const,
  environment: "LIVE" as const,
  url: "https://shop.example/hooks",
  events: ["payment_intent.succeeded"],
  apiVersion: "2026-10-28.endive",
  description: null,
  status: "enabled" as const,
  disabledReason: null,
  createdAt: "2026-01-01T09:00:00.000Z",
  updatedAt: "2026-01-01T09:00:00.000Z",
};

const Id = Type.Object({ id: Type.String({ pattern: "^[A-Za-z0-9._-]{1,128}$", parameterName: "DeliveryId" }) });

const MerchantId = (description: string) => Type.String({ pattern: MERCHANT_ID_PATTERN, description });

const paging = {
  after: Type.Optional(Type.String({ maxLength: 128, pattern: "^[\\x21-\\x7e]*$", description: "The last id of the previous page." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT, parameterName: "PageSize" })),
};

const listWebhookDeliveries = admin.endpoint({
  name: "listWebhookDeliveries",
  method: "GET",
  path: "/admin/webhooks/deliveries",
  summary: "List webhook deliveries of all owners",
  description:
    "A dead delivery was tried six times within about seventy minutes and is kept for 90 days; delivered ones are kept for 30 days. canceled: its endpoint was disabled or removed before.",
  auth: "admin",
  role: "read-only",
  query: Type.Object({
    state: Type.Optional(Type.Union([DeliveryState], { default: "dead" })),
    merchantId: Type.Optional(MerchantId("Only deliveries to the endpoints that this merchant has now.")),
    endpointId: Type.Optional(
      Type.String({ pattern: "^we_[a-z0-9]{24}$", description: "Only deliveries to this endpoint, also one that was removed." }),
    ),
    ...paging,
  }),
  responses: {
    200: {
      description: "A page, oldest first.",
      body: okBody(Type.Array(Delivery)),
      example: { status: "ok", data: [DELIVERY_EXAMPLE] },
    },
    ...admin.errors(400, 401, 503),
  },
  handle: async ({ administerWebhooks }, { query }) => {
    const { state = "dead", merchantId, endpointId, after = null, limit = PAGE_DEFAULT } = query;
    if (merchantId !== undefined && endpointId !== undefined) {
      throw new RelayError("invalid_request", "merchantId: cannot be combined with endpointId");
    }
    const page = await administerWebhooks.deliveries(state, deliveriesTo(merchantId, endpointId), after, limit);
    return { status: 200, body: { status: "ok", data: page.map(deliveryOf) } };
  },
});

const showWebhookDelivery = admin.endpoint({
  name: "showWebhookDelivery",
  method: "GET",
  path: "/admin/webhooks/deliveries/{id}",
  summary: "Get a webhook delivery of any owner",
  auth: "admin",
  role: "read-only",
  params: Id,
  responses: {
    200: {
      description: "The delivery.",
      body: okBody(DeliveryWithAttempts),
      example: {
        status: "ok",
        data: {
          ...DELIVERY_EXAMPLE,
          latestAttempts: [
            { at: "2026-01-01T11:05:05.000Z", durationMs: 84, status: 500, error: "answered 500", answer: "Internal Server Error" },
          ],
        },
      },
    },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async ({ administerWebhooks }, { params }) => {
    const record = await administerWebhooks.delivery(params.id);
    if (record === null) throw new RelayError("not_found", "There is no such delivery");
    return { status: 200, body: { status: "ok", data: { ...deliveryOf(record), latestAttempts: record.attempts.map(attemptOf) } } };
  },
});

const resendWebhookDelivery = admin.endpoint({
  name: "resendWebhookDelivery",
  method: "POST",
  path: "/admin/webhooks/deliveries/{id}/resend",
  summary: "Resend a webhook delivery of any owner",
  description: "Also where it was delivered before. 409 if it is being sent, or if its endpoint is disabled or removed.",
  auth: "admin",
  role: "operator",
  machine: "webhooks",
  params: Id,
  audit: { action: "webhook.resend" },
  responses: {
    200: {
      description: "The event is sent within a second, and has all its attempts again.",
      body: okBody(Delivery),
      example: { status: "ok", data: { ...DELIVERY_EXAMPLE, state: "waiting", attempts: 0, nextAttemptAt: "2026-01-02T08:00:00.000Z" } },
    },
    ...admin.errors(400, 401, 404, 409, 503),
  },
  handle: async ({ administerWebhooks }, { params }) => {
    const record = await administerWebhooks.resend(params.id);
    if (record === null) throw new RelayError("not_found", "There is no such delivery");
    return { status: 200, body: { status: "ok", data: deliveryOf(record) } };
  },
});

const listWebhookEndpoints = admin.endpoint({
  name: "listWebhookEndpoints",
  method: "GET",
  path: "/admin/webhooks/endpoints",
  summary: "List webhook endpoints of all owners",
  auth: "admin",
  role: "read-only",
  query: Type.Object({
    merchantId: Type.Optional(MerchantId("Only this merchant's own.")),
    ...paging,
  }),
  responses: {
    200: {
      description: "A page, by id.",
      body: okBody(Type.Array(WebhookEndpoint)),
      example: { status: "ok", data: [ENDPOINT_EXAMPLE] },
    },
    ...admin.errors(400, 401, 503),
  },
  handle: async ({ administerWebhooks }, { query }) => {
    const page = await administerWebhooks.endpoints(query.merchantId ?? null, query.after ?? null, query.limit ?? PAGE_DEFAULT);
    return { status: 200, body: { status: "ok", data: page.map(endpointOf) } };
  },
});

const answeredEndpoint = { body: okBody(WebhookEndpoint), example: { status: "ok", data: ENDPOINT_EXAMPLE } };

const showWebhookEndpoint = admin.endpoint({
  name: "showWebhookEndpoint",
  method: "GET",
  path: "/admin/webhooks/endpoints/{id}",
  summary: "Get a webhook endpoint of any owner",
  auth: "admin",
  role: "read-only",
  params: Id,
  responses: { 200: { description: "The endpoint.", ...answeredEndpoint }, ...admin.errors(400, 401, 404, 503) },
  handle: async ({ administerWebhooks }, { params }) => {
    const record = await administerWebhooks.endpoint(params.id);
    if (record === null) throw new RelayError("not_found", "There is no such endpoint");
    return { status: 200, body: { status: "ok", data: endpointOf(record) } };
  },
});

const disableWebhookEndpoint = admin.endpoint({
  name: "disableWebhookEndpoint",
  method: "POST",
  path: "/admin/webhooks/endpoints/{id}/disable",
  summary: "Disable a webhook endpoint of any owner",
  description: "Ends what is still to be delivered to it. Its owner can enable it again. The call is idempotent.",
  auth: "admin",
  role: "operator",
  machine: "webhooks",
  params: Id,
  audit: { action: "webhook.disable" },
  responses: {
    200: {
      description: "The endpoint.",
      body: okBody(WebhookEndpoint),
      example: { status: "ok", data: { ...ENDPOINT_EXAMPLE, status: "disabled" } },
    },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async ({ administerWebhooks }, { params }) => {
    const record = await administerWebhooks.disableEndpoint(params.id);
    if (record === null) throw new RelayError("not_found", "There is no such endpoint");
    return { status: 200, body: { status: "ok", data: endpointOf(record) } };
  },
});

/** Webhooks of all merchants and partners, for operators. */
export const webhookEndpoints: Endpoint<Pick<AdminOperations, "administerWebhooks">>[] = [
  listWebhookDeliveries,
  showWebhookDelivery,
  resendWebhookDelivery,
  listWebhookEndpoints,
  showWebhookEndpoint,
  disableWebhookEndpoint,
];

const environmentOf = (livemode: boolean) => (livemode ? "LIVE" : "TEST");

function deliveriesTo(merchantId: string | undefined, endpointId: string | undefined): DeliveriesTo {
  if (merchantId !== undefined) return { type: "merchant", id: merchantId };
  return endpointId === undefined ? { type: "all" } : { type: "endpoint", id: endpointId };
}

function deliveryOf(record: WebhookDeliveryRecord): Static<typeof Delivery> {
  const { id, state, eventId, eventType, objectId, endpointId, merchantId, partnerId, livemode, attemptsMade, attempts } = record;
  const last = attempts.at(-1);
  return {
    ...{ id, state, eventId, eventType, objectId, endpointId, merchantId, partnerId },
    environment: environmentOf(livemode),
    attempts: attemptsMade,
    createdAt: iso(record.createdAtMs),
    nextAttemptAt: isoOrNull(record.nextAtMs),
    lastAttemptAt: last === undefined ? null : iso(last.atMs),
    lastStatus: last?.status ?? null,
    lastError: last?.error ?? null,
  };
}

function attemptOf({ atMs, durationMs, status, error, answer }: WebhookAttempt): Static<typeof Attempt> {
  return { at: iso(atMs), durationMs, status, error, answer };
}

/** Without its secrets and its owner's metadata. */
function endpointOf(record: WebhookEndpointRecord): Static<typeof WebhookEndpoint> {
  const { id, owner, format, livemode, url, events, apiVersion, description, status, disabledReason } = record;
  return {
    ...{ id, owner, format, url, apiVersion, description, status, disabledReason },
    environment: environmentOf(livemode),
    events: [...events],
    createdAt: iso(record.createdAtMs),
    updatedAt: iso(record.updatedAtMs),
  };
}
