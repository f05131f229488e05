import { PLATFORM_EVENT_TYPES } from "../../../engine/intents/events.ts";
import { eventEnvelope } from "../../compat/event-envelope.ts";
import { call } from "./call.ts";
import { EXPAND, readExpansion } from "./expand.ts";
import { LIST_FIELDS, listObject, listSchema, noSuchCursor, pageQueryOf } from "./lists.ts";
import { refused, word, words } from "./params.ts";
import { invalidParam, noSuch } from "./platform-error.ts";
import { Event } from "./schemas.ts";
import { COMPAT_BASE } from "./surface.ts";

const PATH = "/events";
const ANSWER = { description: "The event.", schema: Event };
const TYPES_MAX = 20;

export const listEvents = call({
  name: "compatListEvents",
  method: "GET",
  path: PATH,
  summary: "List events",
  description: "Lists the events of the last 30 days, whether or not an endpoint was subscribed to them.",
  fields: {
    ...LIST_FIELDS,
    delivery_success: refused("the list cannot be narrowed by deliveries"),
    type: word("One event name, or a name that ends in `.*` for all names with that beginning."),
    types: words(`At most ${TYPES_MAX} names; not together with \`type\`.`, TYPES_MAX),
  },
  answer: { description: "A page.", schema: listSchema(Event) },
  errors: [400, 404],
  handle: async ({ webhookEvents }, { members, merchant, apiVersion }) => {
    const query = { ...pageQueryOf(members), types: typesOf(members.type, members.types) };
    readExpansion(members.expand, "nothing", true);
    const page = await webhookEvents.list(merchant.merchantId, merchant.livemode, query);
    if (page === null) throw noSuchCursor(query);
    return listObject(COMPAT_BASE + PATH, page, ({ event, pending }) => eventEnvelope(event, { apiVersion, pending }));
  },
});

function typesOf(type: string | undefined, types: readonly string[] | undefined): readonly string[] | null {
  if (type !== undefined && types !== undefined) throw invalidParam("types", "You may give only one of type and types.");
  if (type === undefined || type === "*") return types ?? null;
  return type.endsWith(".*") ? PLATFORM_EVENT_TYPES.filter((one) => one.startsWith(type.slice(0, -1))) : [type];
}

export const retrieveEvent = call({
  name: "compatRetrieveEvent",
  method: "GET",
  path: `${PATH}/{id}`,
  summary: "Get an event",
  description: "For 30 days.",
  fields: { expand: EXPAND },
  answer: ANSWER,
  errors: [400, 404],
  handle: async ({ webhookEvents }, { id, members, merchant, apiVersion }) => {
    readExpansion(members.expand, "nothing", false);
    const shown = await webhookEvents.find(merchant.merchantId, merchant.livemode, id);
    if (shown === null) throw noSuch("event", id);
    return eventEnvelope(shown.event, { apiVersion, pending: shown.pending });
  },
});

export const retryEvent = call({
  name: "compatRetryEvent",
  method: "POST",
  path: `${PATH}/{id}/retry`,
  summary: "Resend an event",
  description: "Sends it at once, with all attempts, to one endpoint or to all that are enabled and subscribed.",
  fields: { expand: EXPAND, webhook_endpoint: word("Sends it only to this endpoint.") },
  bodyExample: { webhook_endpoint: "we_3k2jd8s7f6g5h4j3k2l1m0n9" },
  answer: ANSWER,
  errors: [400, 404, 409],
  handle: async ({ webhookEvents }, { id, members, merchant, apiVersion }) => {
    readExpansion(members.expand, "nothing", false);
    const shown = await webhookEvents.retry(merchant.merchantId, merchant.livemode, id, members.webhook_endpoint ?? null);
    if (shown === null) throw noSuch("event, or webhook endpoint that gets it", id);
    return eventEnvelope(shown.event, { apiVersion, pending: shown.pending });
  },
});
