import { type Static, Type } from "@sinclair/typebox";
import { outcomeOf } from "../../../../engine/webhooks/merchant-deliveries.ts";
import type { WebhookAttempt, WebhookDeliveryRecord } from "../../../../engine/webhooks/webhook-delivery.ts";
import { liveSecrets, WEBHOOK_ENDPOINTS_MAX, type WebhookEndpointRecord } from "../../../../engine/webhooks/webhook-endpoint.ts";
import { WEBHOOK_OUTCOMES } from "../../../../engine/webhooks/words.ts";
import { type ResourceContext, resourceOf } from "../../../endpoint/resource.ts";
import { WebhookDisabledReason, WebhookFormat, WebhookStatus, words } from "../../parts/schemas.ts";
import { EXAMPLE_CONTEXT } from "../actor-context.ts";
import { filtersOf } from "../list-filters.ts";
import { nullable } from "../schema-parts.ts";
import { withoutAddresses, withoutPeople } from "./delivery-masks.ts";
import { DELIVERY_LIST } from "./list.ts";

/** The resources of endpoints and deliveries, and the JSON of requests. Pages take its types. */

const e = resourceOf<WebhookEndpointRecord, ResourceContext & { readonly nowMs: number }>();
export const webhookEndpoint = e.resource({
  title: "PortalWebhookEndpoint",
  members: {
    id: e.text(),
    format: e.value(WebhookFormat),
    url: e.text(),
    events: e.value(Type.Array(Type.String(), { description: "`*` means all events of its format." })),
    description: e.text().orNull(),
    status: e.value(WebhookStatus),
    disabledReason: e.value(WebhookDisabledReason).orNull(),
    formerSecretUntil: e
      .time("until when the previous secret signs, too.")
      .orNull()
      .from((record, { nowMs }) => {
        const endings = liveSecrets(record, nowMs).flatMap(({ untilMs }) => (untilMs === null ? [] : [untilMs]));
        return endings.length === 0 ? null : Math.max(...endings);
      }),
    createdAt: e.time("when the endpoint was created."),
    updatedAt: e.time("when the endpoint was last changed."),
  },
  example: {
    record: {
      ...{ schema: 1, id: "we_1a2b3c4d5e6f7g8h9i0j1k2l", owner: { type: "merchant", merchantId: "SHOP-001" }, livemode: true },
      ...{ format: "portal", url: "https://shop.example/hooks", events: ["payment_link.paid", "payment.refunded"], apiVersion: null },
      ...{ description: "Order system", metadata: {}, status: "enabled", disabledReason: null, secrets: [], rolls: [] },
      ...{ createdAtMs: Date.parse("2026-03-01T09:30:00.000Z"), updatedAtMs: Date.parse("2026-03-01T09:30:00.000Z") },
    },
    context: EXAMPLE_CONTEXT,
  },
});
/** GET /webhooks. `events` lists what each format offers. */
export const WebhookEndpointList = Type.Object(
  {
    items: Type.Array(webhookEndpoint.schema),
    max: Type.Integer({ default: WEBHOOK_ENDPOINTS_MAX }),
    events: Type.Object({ portal: Type.Array(Type.String()), platform: Type.Array(Type.String()) }),
  },
  { title: "PortalWebhookEndpoints" },
);
export const CreateWebhookEndpoint = Type.Object(
  {
    format: Type.Optional(WebhookFormat),
    url: Type.String({ minLength: 1, maxLength: 2_048 }),
    events: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 100 }),
    description: Type.Optional(Type.String({ maxLength: 255 })),
  },
  { title: "PortalWebhookEndpointRequest" },
);
/** POST /webhooks and POST /webhooks/{id}/rotate-secret show the secret once. */
export const WebhookEndpointWithSecret = Type.Object(
  { endpoint: webhookEndpoint.schema, secret: Type.String() },
  { title: "PortalWebhookEndpointWithSecret" },
);
/**
 * PATCH /webhooks/{id}. `seen` is the `updatedAt` that the caller has read; a later change gives
 * 409 `conflict`.
 */
export const ChangeWebhookEndpoint = Type.Object(
  {
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
    events: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 100 })),
    description: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
    status: Type.Optional(WebhookStatus),
    seen: Type.Optional(Type.String({ maxLength: 32 })),
  },
  { title: "PortalWebhookEndpointChange" },
);
const DeliveryOutcome = words(WEBHOOK_OUTCOMES, { title: "PortalDeliveryOutcome" });

export const WEBHOOK_ID = { pattern: DELIVERY_LIST.endpointId.pattern, errorMessage: "must be we_ and 24 lower-case letters or digits" };

/** The filters of GET /webhooks/deliveries, without PAGE_QUERY. The newest come first. */
export const DELIVERY_FILTERS = filtersOf(DELIVERY_LIST, { endpointId: WEBHOOK_ID, outcome: DeliveryOutcome });

interface Delivery extends WebhookDeliveryRecord {
  /** The current address of the endpoint; null if it is removed. */
  readonly url: string | null;
  /** The body as posted; null in lists. */
  readonly body: string | null;
}

const t = resourceOf<WebhookAttempt>();
const attempt = t.resource({
  members: {
    at: t.time("when."),
    ms: t
      .integer()
      .orNull()
      .from(({ durationMs }) => durationMs),
    status: t.integer().orNull(),
    answer: t.text("The beginning of the response, as text.").personal(withoutAddresses).orNull(),
    problem: t
      .text("Why there was no response.")
      .orNull()
      .from(({ status, error }) => (status === null ? error : null)),
  },
});

const SHOWN = [
  ["id", "eventId", "eventType", "endpointId", "url", "objectId", "outcome", "attempts", "lastAttemptAt", "lastStatus"],
  ["nextAttemptAt", "createdAt"],
] as const;
const EXAMPLE_ATTEMPT: WebhookAttempt = {
  ...{ atMs: Date.parse("2026-03-01T11:05:05.000Z"), durationMs: 84, status: 500, answer: "Internal Server Error", error: null },
};
const d = resourceOf<Delivery>();
/** GET /webhooks/deliveries/{id}. GET /webhooks/deliveries shows it without body and attempts. */
export const webhookDelivery = d.resource({
  title: "PortalWebhookDeliveryDetail",
  itemTitle: "PortalWebhookDelivery",
  members: {
    id: d.text(),
    eventId: d.text(),
    eventType: d.text(),
    endpointId: d.text(),
    url: d.text().orNull(),
    objectId: d.text(),
    outcome: d.value(DeliveryOutcome).from(outcomeOf),
    attempts: d.integer().from(({ attempts }) => attempts.length),
    lastAttemptAt: d
      .time("when the relay last tried.")
      .orNull()
      .from(({ attempts }) => attempts.at(-1)?.atMs ?? null),
    lastStatus: d
      .integer("HTTP status of the last response.")
      .orNull()
      .from(({ attempts }) => attempts.at(-1)?.status ?? null),
    nextAttemptAt: d
      .time("when the relay tries next.")
      .orNull()
      .from(({ nextAtMs }) => nextAtMs),
    createdAt: d.time("when the delivery was created."),
    body: d
      .text()
      .personal((body) => withoutAddresses(withoutPeople(body)))
      .orNull(),
    tries: d.list(attempt).from(({ attempts }) => attempts),
  },
  views: { full: [...SHOWN, ["body", "tries"]], item: SHOWN },
  example: {
    record: {
      ...{ schema: 1, id: "evt_0d8f5k2m9q4r7s1t3u6v8w0x.we_1a2b3c4d5e6f7g8h9i0j1k2l", eventId: "evt_0d8f5k2m9q4r7s1t3u6v8w0x" },
      ...{ eventType: "payment.succeeded", endpointId: "we_1a2b3c4d5e6f7g8h9i0j1k2l", url: "https://shop.example/hooks" },
      ...{ objectId: "pl_9z8y7x6w5v4u3t2s1r0q9p8o.1", owner: "merchant", merchantId: "SHOP-001", partnerId: 1, livemode: true },
      ...{ sequence: 1, apiVersion: null, pendingWebhooks: 1, state: "dead", attemptsMade: 6, nextAtMs: null },
      ...{ createdAtMs: Date.parse("2026-03-01T10:00:00.000Z"), attempts: new Array<WebhookAttempt>(6).fill(EXAMPLE_ATTEMPT) },
      body: '{"id":"evt_0d8f5k2m9q4r7s1t3u6v8w0x","type":"payment.succeeded"}',
    },
    context: EXAMPLE_CONTEXT,
  },
});
/** POST /webhooks/deliveries/resend-failed. */
export const ResendFailed = Type.Object(
  {
    endpointId: Type.Optional(Type.String({ ...WEBHOOK_ID, description: "Only deliveries of this endpoint." })),
    cursor: Type.Optional(Type.String({ maxLength: 256, description: "The `next` of the previous call." })),
  },
  { title: "FailedDeliveriesRequest" },
);
export const ResentDeliveries = Type.Object(
  {
    resent: Type.Integer(),
    skipped: Type.Integer({
      description:
        "Number of skipped deliveries: a later event of the same object was delivered, the delivery was sent again in the meantime, or its endpoint is disabled.",
    }),
    more: Type.Boolean({ description: "True if there are more deliveries than one call examines; call again with `cursor`." }),
    next: nullable(Type.String({ description: "The `cursor` of the next call; null if there are no more deliveries." })),
  },
  { title: "ResentDeliveries" },
);

export type WebhookEndpointJson = Static<typeof webhookEndpoint.schema>;
export type WebhookEndpointListJson = Static<typeof WebhookEndpointList>;
export type WebhookEndpointWithSecretJson = Static<typeof WebhookEndpointWithSecret>;
export type ResentDeliveriesJson = Static<typeof ResentDeliveries>;
export type WebhookDeliveryJson = Static<typeof webhookDelivery.item.schema>;
export type WebhookDeliveryDetailJson = Static<typeof webhookDelivery.schema>;
