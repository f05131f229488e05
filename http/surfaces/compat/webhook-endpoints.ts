import type { MerchantGrant } from "../../../engine/access/merchant-grant.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { changedMetadata, NO_METADATA, TooManyMetadataKeys } from "../../../engine/kernel/metadata.ts";
import { API_VERSION } from "../../../engine/webhooks/api-versions.ts";
import {
  SECRET_OVERLAP_DEFAULT_MS,
  SECRET_OVERLAP_MAX_MS,
  WEBHOOK_ENDPOINTS_MAX,
  type WebhookOwner,
} from "../../../engine/webhooks/webhook-endpoint.ts";
import type { WebhookEndpointChange } from "../../../engine/webhooks/webhook-endpoints.ts";
import { DEFAULT_API_VERSION } from "../../compat/wire-names.ts";
import { call } from "./call.ts";
import { EXPAND_OR_EMPTY, readExpansion } from "./expand.ts";
import { listObject, listSchema, noSuchCursor, PLAIN_LIST_FIELDS, pageQueryOf } from "./lists.ts";
import { webhookEndpointObject } from "./objects.ts";
import { address, type Field, flag, integer, kept, list, metadata, notUrl, refused, required, text, tooManyKeys, word } from "./params.ts";
import { invalidParam, noSuch } from "./platform-error.ts";
import { DeletedWebhookEndpoint, WebhookEndpoint } from "./schemas.ts";
import { COMPAT_BASE } from "./surface.ts";
import { isApiVersion } from "./versions.ts";

const PATH = "/webhook_endpoints";
const ANSWER = { description: "The endpoint.", schema: WebhookEndpoint };

/** The platform has some three hundred kinds of events, and there are plug-ins that register for all of them. */
const EVENTS_MAX = 512;
const EVENT_LENGTH_MAX = 100;
const EVENT = /^(?:\*|[a-z0-9_]+(?:\.[a-z0-9_]+)+)$/;

/** What the document says of events is the same at both calls. */
const events: Field<readonly string[] | undefined> = list(
  "Names of events, or `*` for all. Any well-formed name is accepted; the relay never sends events that do not exist here.",
  {
    itemsMin: 1,
    itemsMax: EVENTS_MAX,
    form: { maxLength: EVENT_LENGTH_MAX, pattern: EVENT.source },
    item: (value, param) => {
      if (typeof value === "string" && value.length <= EVENT_LENGTH_MAX && EVENT.test(value)) return value;
      throw invalidParam(param, "Invalid event: must be a name such as payment_intent.succeeded, or *.");
    },
  },
);

const ENDPOINT_FIELDS = {
  description: text("Your own text."),
  expand: EXPAND_OR_EMPTY,
  metadata: metadata(),
};

const URL_DESCRIPTION =
  "Address to which the relay posts events. It must be public, without a user name and password, and https in LIVE. The relay rejects addresses of local networks, and checks the host name at each call.";

export const createWebhookEndpoint = call({
  name: "compatCreateWebhookEndpoint",
  method: "POST",
  path: PATH,
  summary: "Create a webhook endpoint",
  description: `A merchant may have at most ${WEBHOOK_ENDPOINTS_MAX}. The response has the \`secret\` that signs deliveries; it is not shown again.`,
  fields: {
    ...ENDPOINT_FIELDS,
    api_version: word(
      "The API version of its events: the version of your client library. Default: the merchant's version, or the version of this request if the merchant has set none.",
      {
        pattern: API_VERSION.source,
      },
    ),
    connect: refused("there are no connected accounts", [false]),
    enabled_events: required(events),
    url: required(address(URL_DESCRIPTION)),
  },
  bodyExample: { url: "https://shop.example/webhook", enabled_events: ["payment_intent.succeeded"] },
  answer: ANSWER,
  errors: [400, 409],
  handle: async ({ webhookEndpoints, apiVersions }, { members, merchant, operation, apiVersion }) => {
    readExpansion(members.expand, "nothing", false);
    const { api_version: named, enabled_events, url } = members;
    if (named !== undefined && !isApiVersion(named)) {
      throw invalidParam("api_version", `Invalid api_version: must be a version such as ${DEFAULT_API_VERSION}.`);
    }
    const order = {
      ...({ format: "platform", livemode: merchant.livemode } as const),
      url: webhookUrl(url, merchant),
      events: distinct(enabled_events),
      apiVersion: named ?? (await apiVersions.versionOf(merchant.merchantId)) ?? apiVersion,
      description: members.description ?? null,
      metadata: changedMetadata(NO_METADATA, members.metadata),
      madeBy: { type: "key", keyId: merchant.keyId } as const,
    };
    const outcome = await callable(() => webhookEndpoints.create(ownerOf(merchant), order, operation.id, merchant.proof));
    if (outcome.type === "full") throw invalidParam("url", `You have reached the maximum of ${WEBHOOK_ENDPOINTS_MAX} webhook endpoints.`);
    return webhookEndpointObject(outcome.endpoint, outcome.secret);
  },
});

export const listWebhookEndpoints = call({
  name: "compatListWebhookEndpoints",
  method: "GET",
  path: PATH,
  summary: "List webhook endpoints",
  fields: { ...PLAIN_LIST_FIELDS, expand: EXPAND_OR_EMPTY },
  answer: { description: "A page.", schema: listSchema(WebhookEndpoint) },
  errors: [400, 404],
  handle: async ({ webhookEndpoints }, { members, merchant }) => {
    const query = pageQueryOf(members);
    readExpansion(members.expand, "nothing", true);
    const page = await webhookEndpoints.list(ownerOf(merchant), merchant.livemode, query);
    if (page === null) throw noSuchCursor(query);
    return listObject(COMPAT_BASE + PATH, page, (record) => webhookEndpointObject(record));
  },
});

export const retrieveWebhookEndpoint = call({
  name: "compatRetrieveWebhookEndpoint",
  method: "GET",
  path: `${PATH}/{id}`,
  summary: "Get a webhook endpoint",
  fields: { expand: EXPAND_OR_EMPTY },
  answer: ANSWER,
  errors: [400, 404],
  handle: async ({ webhookEndpoints }, { id, members, merchant }) => {
    readExpansion(members.expand, "nothing", false);
    const record = await webhookEndpoints.find(ownerOf(merchant), merchant.livemode, id);
    if (record === null) throw noSuchEndpoint(id);
    return webhookEndpointObject(record);
  },
});

export const updateWebhookEndpoint = call({
  name: "compatUpdateWebhookEndpoint",
  method: "POST",
  path: `${PATH}/{id}`,
  summary: "Update a webhook endpoint",
  description: "Members that are left out keep their values. Disabling the endpoint ends all pending deliveries to it.",
  fields: {
    ...ENDPOINT_FIELDS,
    disabled: flag("True if the relay delivers nothing to it."),
    enabled_events: events,
    url: kept(address(URL_DESCRIPTION)),
  },
  bodyExample: { disabled: false },
  answer: ANSWER,
  errors: [400, 404, 409],
  handle: async ({ webhookEndpoints }, { id, members, merchant }) => {
    readExpansion(members.expand, "nothing", false);
    const owner = ownerOf(merchant);
    const { description, disabled, enabled_events, url } = members;
    const change: WebhookEndpointChange = {
      withKey: merchant,
      ...(description === undefined ? {} : { description }),
      ...(disabled === undefined ? {} : { disabled }),
      ...(enabled_events === undefined ? {} : { events: distinct(enabled_events) }),
      ...(members.metadata === undefined ? {} : { metadata: members.metadata }),
      ...(url === undefined ? {} : { url: webhookUrl(url, merchant) }),
    };
    const record = await callable(() => webhookEndpoints.change(owner, merchant.livemode, id, change));
    if (record === null) throw noSuchEndpoint(id);
    return webhookEndpointObject(record);
  },
});

export const rollWebhookSecret = call({
  name: "compatRollWebhookSecret",
  method: "POST",
  path: `${PATH}/{id}/roll_secret`,
  summary: "Rotate the secret of a webhook endpoint",
  description:
    "An addition of this relay; the platform offers it in its dashboard only. The response has the new `secret`, which is not shown again. Until the previous secret expires, deliveries have a signature of each; `X-Gateway-Signature` uses the previous one.",
  fields: {
    expand: EXPAND_OR_EMPTY,
    expires_in: integer("For how many seconds the previous secret stays valid. Default: a day.", {
      minimum: 0,
      maximum: SECRET_OVERLAP_MAX_MS / 1_000,
    }),
  },
  bodyExample: { expires_in: SECRET_OVERLAP_DEFAULT_MS / 1_000 },
  answer: ANSWER,
  errors: [400, 404, 409],
  handle: async ({ webhookEndpoints }, { id, members, merchant, operation }) => {
    readExpansion(members.expand, "nothing", false);
    const overlapMs = members.expires_in === undefined ? SECRET_OVERLAP_DEFAULT_MS : members.expires_in * 1_000;
    const rolled = await webhookEndpoints.rollSecret(ownerOf(merchant), merchant.livemode, id, overlapMs, operation.id, merchant);
    if (rolled === null) throw noSuchEndpoint(id);
    return webhookEndpointObject(rolled.endpoint, rolled.secret);
  },
});

export const deleteWebhookEndpoint = call({
  name: "compatDeleteWebhookEndpoint",
  method: "DELETE",
  path: `${PATH}/{id}`,
  summary: "Delete a webhook endpoint",
  description: "Ends all pending deliveries to it.",
  fields: {},
  answer: { description: "The endpoint is deleted.", schema: DeletedWebhookEndpoint },
  errors: [400, 404],
  handle: async ({ webhookEndpoints }, { id, merchant }) => {
    if (!(await webhookEndpoints.remove(ownerOf(merchant), merchant.livemode, id))) throw noSuchEndpoint(id);
    return { id, object: "webhook_endpoint", deleted: true };
  },
});

function ownerOf({ merchantId }: MerchantGrant): WebhookOwner {
  return { type: "merchant", merchantId };
}

function noSuchEndpoint(id: string) {
  return noSuch("webhook endpoint", id, "webhook_endpoint");
}

function webhookUrl(url: string, { livemode }: MerchantGrant): string {
  if (livemode && !/^https:/i.test(url)) throw notUrl("url", "must be an https URL in LIVE");
  return url;
}

/** An endpoint without events would get none, and nobody would notice. */
function distinct(names: readonly string[]): readonly string[] {
  if (names.length === 0) throw invalidParam("enabled_events", "enabled_events must have at least one event.", "parameter_invalid_empty");
  return [...new Set(names)];
}

/** The engine refuses too much metadata, and addresses that may not be called, such as those of local networks. */
async function callable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TooManyMetadataKeys) throw tooManyKeys();
    if (error instanceof RelayError && error.code === "invalid_request") {
      throw invalidParam("url", `Not a valid URL: ${error.message}`, "url_invalid");
    }
    throw error;
  }
}
