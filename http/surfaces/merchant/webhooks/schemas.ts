import { type Static, Type } from "@sinclair/typebox";
import { WEBHOOK_ENDPOINTS_MAX } from "../../../../engine/webhooks/webhook-endpoint.ts";
import { WebhookDisabledReason, WebhookFormat, WebhookStatus } from "../../parts/schemas.ts";
import { nullable, time } from "../schema-parts.ts";

/** The JSON of webhook endpoints and of what is delivered to them: endpoints declare it, the portal's pages take their types from it. */

export const WebhookEndpointItem = Type.Object(
  {
    id: Type.String(),
    format: WebhookFormat,
    url: Type.String(),
    events: Type.Array(Type.String(), { description: "`*`: all of its format." }),
    description: nullable(Type.String()),
    status: WebhookStatus,
    disabledReason: nullable(WebhookDisabledReason),
    /** Until when the former secret signs too; null: it does not. */
    formerSecretUntil: nullable(time("until when the former secret signs too.")),
    createdAt: time("when it was created."),
    updatedAt: time("when it was last changed."),
  },
  { title: "PortalWebhookEndpoint" },
);
/** GET /webhooks. `events`: what each format offers. */
export const WebhookEndpointList = Type.Object(
  {
    items: Type.Array(WebhookEndpointItem),
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
/** POST /webhooks, POST /webhooks/{id}/rotate-secret: the secret once. */
export const WebhookEndpointWithSecret = Type.Object(
  { endpoint: WebhookEndpointItem, secret: Type.String() },
  { title: "PortalWebhookEndpointWithSecret" },
);
/** PATCH /webhooks/{id}. `seen`: the `updatedAt` that was looked at; 409 `conflict` where it was changed since. */
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
const DeliveryOutcome = Type.Union([Type.Literal("PENDING"), Type.Literal("DELIVERED"), Type.Literal("FAILED")], {
  title: "PortalDeliveryOutcome",
});
export const WebhookDelivery = Type.Object(
  {
    id: Type.String(),
    eventId: Type.String(),
    eventType: Type.String(),
    endpointId: Type.String(),
    /** Null where the endpoint is gone. */
    url: nullable(Type.String()),
    objectId: Type.String(),
    outcome: DeliveryOutcome,
    attempts: Type.Integer(),
    lastAttemptAt: nullable(time("when it was last tried.")),
    lastStatus: nullable(Type.Integer({ description: "The last answer's HTTP status." })),
    nextAttemptAt: nullable(time("when it is tried next.")),
    createdAt: time("when the event was fanned out."),
  },
  { title: "PortalWebhookDelivery" },
);

export const WEBHOOK_ID = { pattern: "^we_[a-z0-9]{24}$", errorMessage: "must be we_ and 24 small letters or digits" };

/** Filters of GET /webhooks/deliveries, beside PAGE_QUERY; newest first. */
export const DELIVERY_FILTERS = {
  endpointId: Type.Optional(Type.String(WEBHOOK_ID)),
  outcome: Type.Optional(DeliveryOutcome),
  eventType: Type.Optional(Type.String({ maxLength: 100 })),
  objectId: Type.Optional(Type.String({ maxLength: 100 })),
};
/** GET /webhooks/deliveries/{id}. */
export const WebhookDeliveryDetail = Type.Object(
  {
    ...WebhookDelivery.properties,
    /** The body as it is posted. */
    body: nullable(Type.String()),
    tries: Type.Array(
      Type.Object({
        at: time("when."),
        ms: nullable(Type.Integer()),
        status: nullable(Type.Integer()),
        answer: nullable(Type.String({ description: "The beginning of the answer, as text." })),
        problem: nullable(Type.String({ description: "Why there was no answer." })),
      }),
    ),
  },
  { title: "PortalWebhookDeliveryDetail" },
);
/** POST /webhooks/deliveries/resend-failed. */
export const ResendFailed = Type.Object(
  {
    endpointId: Type.Optional(Type.String({ ...WEBHOOK_ID, description: "Of this endpoint only." })),
    cursor: Type.Optional(Type.String({ maxLength: 256, description: "The `next` of the call before." })),
  },
  { title: "FailedDeliveriesRequest" },
);
export const ResentDeliveries = Type.Object(
  {
    resent: Type.Integer(),
    skipped: Type.Integer({
      description: "Not sent: a later event of the same object was delivered, it was sent again meanwhile, or its endpoint is disabled.",
    }),
    more: Type.Boolean({ description: "Whether there are more than one call looks at; call again with `cursor`." }),
    next: nullable(Type.String({ description: "The `cursor` of the next call; null where there is no more." })),
  },
  { title: "ResentDeliveries" },
);

export type WebhookEndpointJson = Static<typeof WebhookEndpointItem>;
export type WebhookEndpointListJson = Static<typeof WebhookEndpointList>;
export type WebhookEndpointWithSecretJson = Static<typeof WebhookEndpointWithSecret>;
export type ResentDeliveriesJson = Static<typeof ResentDeliveries>;
export type WebhookDeliveryJson = Static<typeof WebhookDelivery>;
export type WebhookDeliveryDetailJson = Static<typeof WebhookDeliveryDetail>;
