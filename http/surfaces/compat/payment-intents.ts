import type { IntentRecord } from "../../../engine/intents/intent.ts";
import type { ConfirmOutcome, Intents } from "../../../engine/intents/intents.ts";
import type { MerchantParty } from "../../../engine/kernel/merchant-scope.ts";
import { isSameSecret } from "./admission.ts";
import { type Call, call, GATEWAY_DEADLINE_MS } from "./call.ts";
import { requireAmountOf } from "./currencies.ts";
import { EXPAND, expandingOf, readExpansion } from "./expand.ts";
import {
  declined,
  disputed,
  noAccount,
  otherEnvironment,
  refusedByGateway,
  requireReach,
  unavailable,
  unexpected,
  unsettled,
} from "./intent-errors.ts";
import {
  CANCEL_FIELDS,
  CAPTURE_FIELDS,
  CARD_CAPTURE,
  CONFIRM_FIELDS,
  CREATE_FIELDS,
  changeOf,
  orderOf,
  returnUrlMissing,
  UPDATE_FIELDS,
} from "./intent-fields.ts";
import { LIST_FIELDS, listObject, listSchema, noSuchCursor, pageQueryOf } from "./lists.ts";
import { intentForPages } from "./objects.ts";
import type { CompatOperations } from "./operations.ts";
import { type Fields, type ReadFields, refused, tooManyKeys, word } from "./params.ts";
import { invalidParam, noSuch, refusedByState } from "./platform-error.ts";
import { PaymentIntent } from "./schemas.ts";
import { COMPAT_BASE } from "./surface.ts";

const PATH = "/payment_intents";
const ANSWER = { description: "The payment intent.", schema: PaymentIntent };

/** Calls whose answer may be expanded. */
type Expandable = { readonly expand?: readonly string[] | undefined };

function rendered(operations: CompatOperations, record: IntentRecord, { expand }: Expandable): Promise<object> {
  return expandingOf(operations).intent(record, readExpansion(expand, "payment_intent", false));
}

function noSuchIntent(id: string) {
  return noSuch("payment_intent", id, "intent");
}

/** The intent of the path. Throws PlatformError `resource_missing`, for one of others too. */
async function found(intents: Intents, owner: MerchantParty, id: string): Promise<IntentRecord> {
  const record = await intents.find(owner, id);
  if (record === null) throw noSuchIntent(id);
  return record;
}

export const createPaymentIntent = call({
  name: "compatCreatePaymentIntent",
  method: "POST",
  path: PATH,
  summary: "Create a payment intent",
  description:
    "Differs from the platform: the buyer pays on a payment page, whose address is in `next_action.redirect_to_url.url` after confirm. The API never accepts card data, and rejects a request that contains a card number. It accepts members that it can ignore without changing what is paid, and rejects members that would change it, including card options.",
  fields: CREATE_FIELDS,
  bodyExample: { amount: 1099, currency: "eur", description: "Order 7", metadata: { order_id: "7" } },
  deadlineMs: GATEWAY_DEADLINE_MS,
  answer: ANSWER,
  errors: [400, 402, 409],
  handle: async (operations, { members, merchant, owner, operation, shown }) => {
    const order = orderOf(members, merchant);
    // Before anything is made: what cannot be expanded is refused.
    readExpansion(members.expand, "payment_intent", false);
    if (merchant.otherEnvironment === true && !(await operations.intents.mayBegin(owner))) throw otherEnvironment();
    const record = await operations.intents.create(owner, order, operation);
    if (members.confirm !== true) return rendered(operations, record, members);
    const outcome = await operations.intents.confirm(owner, record.id, {}, operation);
    return rendered(operations, confirmed(outcome, record.id, shown), members);
  },
});

export const listPaymentIntents = call({
  name: "compatListPaymentIntents",
  method: "GET",
  path: PATH,
  summary: "List payment intents",
  fields: {
    ...LIST_FIELDS,
    customer: refused("there are no customers here, so the list cannot be narrowed by one"),
    customer_account: refused("there are no customers here"),
  },
  answer: { description: "A page.", schema: listSchema(PaymentIntent) },
  errors: [400, 404],
  handle: async (operations, { members, owner }) => {
    const query = pageQueryOf(members);
    const expansion = readExpansion(members.expand, "payment_intent", true);
    const page = await operations.intents.list(owner, query);
    if (page === null) throw noSuchCursor(query);
    const { intent } = expandingOf(operations);
    return listObject(COMPAT_BASE + PATH, page, (record) => intent(record, expansion));
  },
});

export const retrievePaymentIntent = call({
  name: "compatRetrievePaymentIntent",
  method: "GET",
  path: `${PATH}/{id}`,
  summary: "Get a payment intent",
  description: "A page may call it with its publishable key and the intent's client secret; the response then has fewer members.",
  fields: {
    client_secret: word("Required with a publishable key."),
    expand: EXPAND,
    key: word("A page's publishable key, if it is not sent in `Authorization`."),
  },
  answer: ANSWER,
  errors: [400, 404],
  handle: async (operations, { id, members, merchant, owner }) => {
    const record = await found(operations.intents, owner, id);
    requireSecret(record, members.client_secret, id);
    if (merchant.kind === "secret") return rendered(operations, record, members);
    readExpansion(members.expand, "payment_intent", false);
    return intentForPages(operations.compatObjects.intent(record));
  },
});

/** A page has it, and a server may send it. A wrong one is answered as if there were no such intent. */
function requireSecret({ clientSecret }: IntentRecord, given: string | undefined, id: string): void {
  if (given !== undefined && !isSameSecret(given, clientSecret)) throw noSuchIntent(id);
}

export const updatePaymentIntent = call({
  name: "compatUpdatePaymentIntent",
  method: "POST",
  path: `${PATH}/{id}`,
  summary: "Update a payment intent",
  description:
    "Members that are left out keep their values. `amount`, `currency` and `capture_method` can be changed only while no attempt is in progress or paid.",
  fields: UPDATE_FIELDS,
  bodyExample: { metadata: { order_id: "7" } },
  answer: ANSWER,
  errors: [400, 404, 409],
  handle: async (operations, { id, members, merchant, owner, operation, shown }) => {
    readExpansion(members.expand, "payment_intent", false);
    const before = await found(operations.intents, owner, id);
    const outcome = await operations.intents.update(owner, id, changeOf(members, before.order, merchant), operation);
    if (outcome === null) throw noSuchIntent(id);
    if (outcome.type === "too_many_keys") throw tooManyKeys();
    if (outcome.type === "unexpected") throw unexpected(outcome.intent, "change the amount, currency or capture method of", shown);
    return rendered(operations, outcome.intent, members);
  },
});

/** What the shop decides: whoever has the page may not change it. */
const OF_SERVERS = ["capture_method", "payment_method_types"] as const;

function serversMember(members: ReadFields<typeof CONFIRM_FIELDS>): string | undefined {
  if ((members.payment_method_options?.card?.capture_method ?? null) !== null) return CARD_CAPTURE;
  return OF_SERVERS.find((name) => members[name] !== undefined);
}

export const confirmPaymentIntent = call({
  name: "compatConfirmPaymentIntent",
  method: "POST",
  path: `${PATH}/{id}/confirm`,
  summary: "Confirm a payment intent",
  description:
    "Starts an attempt to pay, and responds with `requires_action` and the address of the payment page. While an attempt is open the response is the same, with another `return_url` if the request has one. This response does not report a declined card, because the buyer enters the card later: events and `last_payment_error` report it. A page may confirm with its publishable key and the intent's client secret.",
  fields: CONFIRM_FIELDS,
  bodyExample: { return_url: "https://shop.example/return" },
  deadlineMs: GATEWAY_DEADLINE_MS,
  answer: ANSWER,
  errors: [400, 402, 404, 409],
  handle: async (operations, { id, members, merchant, owner, operation, shown }) => {
    const ofPage = merchant.kind === "publishable";
    const ofServers = ofPage ? serversMember(members) : undefined;
    if (ofServers !== undefined) {
      throw invalidParam(ofServers, `Received unknown parameter: ${ofServers} (it needs the secret key)`, "parameter_unknown");
    }
    readExpansion(members.expand, "payment_intent", false);
    const before = await found(operations.intents, owner, id);
    requireSecret(before, members.client_secret, id);
    const outcome = await operations.intents.confirm(owner, id, changeOf(members, before.order, merchant), operation);
    const record = confirmed(outcome, id, shown);
    return ofPage ? intentForPages(operations.compatObjects.intent(record)) : rendered(operations, record, members);
  },
});

function confirmed(outcome: ConfirmOutcome | null, id: string, shown: Call<Fields>["shown"]): IntentRecord {
  switch (outcome?.type) {
    case undefined:
      throw noSuchIntent(id);
    case "confirmed":
      return outcome.intent;
    case "declined":
      throw declined(outcome.intent, shown);
    case "no_return_url":
      throw returnUrlMissing();
    case "no_account":
      throw noAccount();
    case "other_environment":
      throw otherEnvironment();
    case "unexpected":
      throw unexpected(outcome.intent, "confirm", shown);
    case "unsettled":
      throw unsettled();
    case "unavailable":
      throw unavailable();
  }
}

export const cancelPaymentIntent = call({
  name: "compatCancelPaymentIntent",
  method: "POST",
  path: `${PATH}/{id}/cancel`,
  summary: "Cancel a payment intent",
  description:
    "The relay reverses an authorized payment. The card gateway cannot end a payment that is open on its page: if the buyer still pays after the intent was canceled here, the relay automatically reverses the whole payment, and the intent stays `canceled`.",
  fields: CANCEL_FIELDS,
  bodyExample: { cancellation_reason: "requested_by_customer" },
  deadlineMs: GATEWAY_DEADLINE_MS,
  answer: ANSWER,
  errors: [400, 404, 409],
  handle: async (operations, { id, members, owner, operation, shown }) => {
    readExpansion(members.expand, "payment_intent", false);
    const outcome = await operations.intents.cancel(owner, id, members.cancellation_reason ?? null, operation);
    switch (outcome?.type) {
      case undefined:
        throw noSuchIntent(id);
      case "canceled":
        return rendered(operations, outcome.intent, members);
      case "refused":
        throw refusedByGateway(outcome.intent, outcome.description, "payment_intent_unexpected_state", shown);
      case "under_dispute":
        throw disputed(outcome.intent, shown);
      case "unexpected":
        throw unexpected(outcome.intent, "cancel", shown);
      case "unsettled":
        throw unsettled();
      case "unavailable":
        throw unavailable();
    }
  },
});

export const capturePaymentIntent = call({
  name: "compatCapturePaymentIntent",
  method: "POST",
  path: `${PATH}/{id}/capture`,
  summary: "Capture a payment intent",
  description: "A payment can be captured once, in full or in part; the rest is released.",
  fields: CAPTURE_FIELDS,
  bodyExample: { amount_to_capture: 1099 },
  deadlineMs: GATEWAY_DEADLINE_MS,
  answer: ANSWER,
  errors: [400, 404, 409],
  handle: async (operations, { id, members, merchant, owner, operation, shown }) => {
    readExpansion(members.expand, "payment_intent", false);
    const { intents } = operations;
    const before = await found(intents, owner, id);
    await requireReach(intents, merchant, async () => before);
    const { order } = before;
    if (members.amount_to_capture !== undefined) requireAmountOf(members.amount_to_capture, order.currency, "amount_to_capture");
    const outcome = await intents.capture(owner, id, members.amount_to_capture ?? null, operation, members.metadata);
    switch (outcome?.type) {
      case undefined:
        throw noSuchIntent(id);
      case "captured":
        return rendered(operations, outcome.intent, members);
      case "too_many_keys":
        throw tooManyKeys();
      case "already_captured":
        throw refusedByState("This payment was already captured; it can be captured once.", {
          code: "charge_already_captured",
          paymentIntent: shown(outcome.intent),
        });
      case "too_much":
        throw invalidParam("amount_to_capture", "The amount is more than the authorized amount.", "amount_too_large");
      case "refused":
        throw refusedByGateway(outcome.intent, outcome.description, "capture_unauthorized_payment", shown);
      case "unexpected":
        throw unexpected(outcome.intent, "capture", shown);
      case "unsettled":
        throw unsettled();
      case "unavailable":
        throw unavailable();
    }
  },
});
