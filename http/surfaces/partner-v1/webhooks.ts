import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { WEBHOOK_ENDPOINTS_MAX, type WebhookEndpointRecord, type WebhookOwner } from "../../../engine/webhooks/webhook-endpoint.ts";
import type { WebhookEndpoints } from "../../../engine/webhooks/webhook-endpoints.ts";
import { described } from "../../endpoint/described.ts";
import { iso } from "../../endpoint/time.ts";
import { ActiveState, WebhookDisabledReason } from "../parts/schemas.ts";
import { distinctEvents, withoutCards } from "../parts/webhook-members.ts";
import { refusal } from "./error-body.ts";
import { Environment } from "./schemas.ts";
import { PARTNER_API_BASE, PARTNER_API_RATE, partnerV1, permitted } from "./surface.ts";

/** Names of events that one endpoint may list: a few times as many as there are. */
const EVENTS_MAX = 100;
/** Longer addresses than browsers take belong to nobody. */
const URL_LENGTH_MAX = 2_048;
const DESCRIPTION_LENGTH_MAX = 255;

const Url = Type.String({
  minLength: 1,
  maxLength: URL_LENGTH_MAX,
  description: "https, in TEST also http; without a user name. Addresses of local networks are refused; a name is checked at each call.",
});
const EventNames = Type.Array(
  Type.String({
    maxLength: 64,
    pattern: "^(?:\\*|[a-z][a-z0-9_]*(?:\\.[a-z][a-z0-9_]*)+)$",
    errorMessage: "must be the name of an event, such as payment_intent.succeeded, or *",
  }),
  { minItems: 1, maxItems: EVENTS_MAX, description: "Names of events, or `*` for all." },
);
const Description = Type.String({ maxLength: DESCRIPTION_LENGTH_MAX });

const Webhook = Type.Object(
  {
    webhookId: Type.String(),
    url: Type.String(),
    events: Type.Array(Type.String()),
    environment: Environment,
    description: Type.Union([Type.String(), Type.Null()]),
    status: ActiveState,
    inactiveReason: Type.Union([WebhookDisabledReason, Type.Null()], { description: "Null: the partner or an operator did it." }),
    createdAt: Type.String({ description: "ISO 8601 UTC." }),
    updatedAt: Type.String({ description: "ISO 8601 UTC." }),
  },
  { title: "PartnerWebhook" },
);

const EXAMPLE = {
  webhookId: "we_1a2b3c4d5e6f7g8h9i0j1k2l",
  url: "https://acme.example/hooks",
  events: ["payment_intent.succeeded", "charge.refunded"],
  environment: "LIVE" as const,
  description: "Back office",
  status: "ACTIVE" as const,
  inactiveReason: null,
  createdAt: "2026-03-01T09:30:00.000Z",
  updatedAt: "2026-03-01T09:30:00.000Z",
};

export const WebhookParams = Type.Object({
  webhookId: Type.String({
    pattern: "^we_[A-Za-z0-9]{24}$",
    parameterName: "PartnerWebhookId",
    errorMessage: "must be we_ and 24 letters or digits",
  }),
});

const answered = {
  body: Type.Object({ success: Type.Literal(true), webhook: Webhook }),
  example: { success: true, webhook: EXAMPLE },
};

const WebhookRequest = Type.Object(
  {
    url: Url,
    events: EventNames,
    environment: described(Environment, "Only events of merchants of this environment are sent."),
    description: Type.Optional(Description),
  },
  { title: "PartnerWebhookRequest" },
);

export const createWebhook = partnerV1.endpoint({
  name: "partnerApiCreateWebhook",
  refusesUnknown: "access",
  method: "POST",
  path: `${PARTNER_API_BASE}/webhooks`,
  summary: "Create a partner's webhook endpoint",
  description:
    "The events of all the partner's merchants are posted to it, each with its `merchantId`. `X-Gateway-Signature` is the HMAC-SHA256 (hex) of the body with the partner's secret (`sk_partner_...`).",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  idempotency: "plain",
  body: WebhookRequest,
  bodyExample: {
    url: "https://acme.example/hooks",
    events: ["payment_intent.succeeded", "charge.refunded"],
    environment: "LIVE",
    description: "Back office",
  },
  responses: {
    201: { description: "Registered.", ...answered },
    ...partnerV1.errors(400, 401, 403, 413, 415, 500, 503),
    409: {
      description: `The partner has ${WEBHOOK_ENDPOINTS_MAX} endpoints already (webhook_limit_reached), or the Idempotency-Key was used for another request (conflict).`,
      body: partnerV1.envelope.schema,
    },
  },
  handle: async ({ webhookEndpoints }, { caller, body, operationId }) => {
    const owner = webhookOwnerOf(permitted(caller, "change"));
    const { events, environment } = body;
    const { url = "", description = null } = withoutCards(body);
    const outcome = await webhookEndpoints.create(
      owner,
      {
        format: "platform",
        livemode: environment === "LIVE",
        url,
        events: distinctEvents(events),
        apiVersion: null,
        description,
        metadata: {},
      },
      operationId,
    );
    if (outcome.type === "full") {
      return refusal(409, "webhook_limit_reached", `The partner already has the maximum of ${WEBHOOK_ENDPOINTS_MAX} endpoints`);
    }
    return { status: 201, body: { success: true, webhook: webhookOf(outcome.endpoint) } };
  },
});

export const listWebhooks = partnerV1.endpoint({
  name: "partnerApiListWebhooks",
  method: "GET",
  path: `${PARTNER_API_BASE}/webhooks`,
  summary: "List a partner's webhook endpoints",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  responses: {
    200: {
      description: "All of them, of both environments, the newest first.",
      body: Type.Object({ success: Type.Literal(true), webhooks: Type.Array(Webhook) }),
      example: { success: true, webhooks: [EXAMPLE] },
    },
    ...partnerV1.errors(401, 403, 500, 503),
  },
  handle: async ({ webhookEndpoints }, { caller }) => {
    const owner = webhookOwnerOf(permitted(caller, "look"));
    const lists = await Promise.all([false, true].map((livemode) => allOf(webhookEndpoints, owner, livemode)));
    const records = lists.flat().sort((one, other) => other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1));
    return { status: 200, body: { success: true, webhooks: records.map(webhookOf) } };
  },
});

export const showWebhook = partnerV1.endpoint({
  name: "partnerApiShowWebhook",
  method: "GET",
  path: `${PARTNER_API_BASE}/webhooks/{webhookId}`,
  summary: "Get a partner's webhook endpoint",
  description: "Another partner's endpoint is not found.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  params: WebhookParams,
  responses: { 200: { description: "The endpoint.", ...answered }, ...partnerV1.errors(400, 401, 403, 404, 500, 503) },
  handle: async ({ webhookEndpoints }, { caller, params }) => {
    const owner = webhookOwnerOf(permitted(caller, "look"));
    const found = await requiredWebhook(webhookEndpoints, owner, params.webhookId);
    return { status: 200, body: { success: true, webhook: webhookOf(found) } };
  },
});

/** Absent members stay. The environment never changes. */
const WebhookPatch = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(EventNames),
    description: Type.Optional(Type.Union([Description, Type.Null()])),
    active: Type.Optional(
      Type.Boolean({ description: "false ends what is still to be delivered to it. true activates it again, whyever it was inactive." }),
    ),
  },
  { title: "PartnerWebhookPatch" },
);

export const patchWebhook = partnerV1.endpoint({
  name: "partnerApiPatchWebhook",
  refusesUnknown: "access",
  method: "PATCH",
  path: `${PARTNER_API_BASE}/webhooks/{webhookId}`,
  summary: "Update a partner's webhook endpoint",
  description: "Members that are left out keep their values.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  idempotency: "plain",
  params: WebhookParams,
  body: WebhookPatch,
  bodyExample: { events: ["*"], active: true },
  responses: {
    200: { description: "The endpoint.", ...answered },
    ...partnerV1.errors(400, 401, 403, 404, 409, 413, 415, 500, 503),
  },
  handle: async ({ webhookEndpoints }, { caller, params, body }) => {
    const owner = webhookOwnerOf(permitted(caller, "change"));
    if (Object.keys(body).length === 0) throw new RelayError("invalid_request", "body: must have at least one member to change");
    const { livemode } = await requiredWebhook(webhookEndpoints, owner, params.webhookId);
    const { active, events } = body;
    const changed = await webhookEndpoints.change(owner, livemode, params.webhookId, {
      ...withoutCards(body),
      ...(events === undefined ? {} : { events: distinctEvents(events) }),
      ...(active === undefined ? {} : { disabled: !active }),
    });
    if (changed === null) throw absent();
    return { status: 200, body: { success: true, webhook: webhookOf(changed) } };
  },
});

export const deleteWebhook = partnerV1.endpoint({
  name: "partnerApiDeleteWebhook",
  method: "DELETE",
  path: `${PARTNER_API_BASE}/webhooks/{webhookId}`,
  summary: "Delete a partner's webhook endpoint",
  description: "Ends what is still to be delivered to it.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  params: WebhookParams,
  responses: {
    200: {
      description: "Removed.",
      body: Type.Object({ success: Type.Literal(true), webhookId: Type.String(), deleted: Type.Literal(true) }),
      example: { success: true, webhookId: EXAMPLE.webhookId, deleted: true },
    },
    ...partnerV1.errors(400, 401, 403, 404, 500, 503),
  },
  handle: async ({ webhookEndpoints }, { caller, params: { webhookId } }) => {
    const owner = webhookOwnerOf(permitted(caller, "change"));
    const { livemode } = await requiredWebhook(webhookEndpoints, owner, webhookId);
    if (!(await webhookEndpoints.remove(owner, livemode, webhookId))) throw absent();
    return { status: 200, body: { success: true, webhookId, deleted: true } };
  },
});

export function webhookOwnerOf({ partnerId }: { partnerId: number }): WebhookOwner {
  return { type: "partner", partnerId };
}

/** An endpoint belongs to one environment, which its partner need not name. Throws RelayError `not_found`. */
export async function requiredWebhook(endpoints: WebhookEndpoints, owner: WebhookOwner, id: string): Promise<WebhookEndpointRecord> {
  const found = (await endpoints.find(owner, true, id)) ?? (await endpoints.find(owner, false, id));
  if (found === null) throw absent();
  return found;
}

function absent(): RelayError {
  return new RelayError("not_found", "There is no such webhook");
}

async function allOf(endpoints: WebhookEndpoints, owner: WebhookOwner, livemode: boolean): Promise<readonly WebhookEndpointRecord[]> {
  const all = { limit: WEBHOOK_ENDPOINTS_MAX, startingAfter: null, endingBefore: null, fromMs: null, beforeMs: null };
  return (await endpoints.list(owner, livemode, all))?.items ?? [];
}

function webhookOf(record: WebhookEndpointRecord): Static<typeof Webhook> {
  const { id, url, events, livemode, description, status, disabledReason, createdAtMs, updatedAtMs } = record;
  return {
    webhookId: id,
    url,
    events: [...events],
    environment: livemode ? "LIVE" : "TEST",
    description,
    status: status === "enabled" ? "ACTIVE" : "INACTIVE",
    inactiveReason: disabledReason,
    createdAt: iso(createdAtMs),
    updatedAt: iso(updatedAtMs),
  };
}
