import { call } from "./call.ts";
import { EXPAND, expandingOf, readExpansion } from "./expand.ts";
import { LIST_FIELDS, listObject, listSchema, noSuchCursor, pageQueryOf } from "./lists.ts";
import { metadata, refused, text, tooManyKeys, withoutEffect, word } from "./params.ts";
import { noSuch } from "./platform-error.ts";
import { Charge } from "./schemas.ts";
import { COMPAT_BASE } from "./surface.ts";

const PATH = "/charges";

export const listCharges = call({
  name: "compatListCharges",
  method: "GET",
  path: PATH,
  summary: "List charges",
  description: "Lists attempts to pay that have ended, including those that failed.",
  fields: {
    ...LIST_FIELDS,
    customer: refused("there are no customers here, so the list cannot be narrowed by one"),
    payment_intent: word("Only charges of this payment intent."),
    transfer_group: refused("there are no connected accounts"),
  },
  answer: { description: "A page.", schema: listSchema(Charge) },
  errors: [400, 404],
  handle: async (operations, { members, owner }) => {
    const query = { ...pageQueryOf(members), intentId: members.payment_intent ?? null };
    const expansion = readExpansion(members.expand, "charge", true);
    const page = await operations.intents.listCharges(owner, query);
    if (page === null) throw noSuchCursor(query);
    const { charge } = expandingOf(operations);
    return listObject(COMPAT_BASE + PATH, page, (one) => charge(one, expansion));
  },
});

export const retrieveCharge = call({
  name: "compatRetrieveCharge",
  method: "GET",
  path: `${PATH}/{id}`,
  summary: "Get a charge",
  description:
    "Differs from the platform: `payment_method_details.card.exp_month` and `exp_year` are null, because the card gateway does not report them.",
  fields: { expand: EXPAND },
  answer: { description: "The charge.", schema: Charge },
  errors: [400, 404],
  handle: async (operations, { id, members, owner }) => {
    const expansion = readExpansion(members.expand, "charge", false);
    const charge = await operations.intents.charge(owner, id);
    if (charge === null) throw noSuch("charge", id, "charge");
    return expandingOf(operations).charge(charge, expansion);
  },
});

export const updateCharge = call({
  name: "compatUpdateCharge",
  method: "POST",
  path: `${PATH}/{id}`,
  summary: "Update a charge",
  description:
    "Changes its description and metadata. Until then a charge has the values of its payment intent; afterwards it has its own. No event is sent.",
  fields: {
    customer: withoutEffect(""),
    description: text("Your own text; it is not sent to the card gateway."),
    expand: EXPAND,
    fraud_details: withoutEffect(""),
    metadata: metadata(),
    receipt_email: withoutEffect("The card gateway received the payment intent's value with the payment."),
    shipping: withoutEffect(""),
    transfer_group: withoutEffect(""),
  },
  bodyExample: { metadata: { order_id: "7" } },
  answer: { description: "The charge.", schema: Charge },
  errors: [400, 404, 409],
  handle: async (operations, { id, members, owner, operation }) => {
    const expansion = readExpansion(members.expand, "charge", false);
    const { charge } = expandingOf(operations);
    const change = {
      ...(members.description === undefined ? {} : { description: members.description }),
      ...(members.metadata === undefined ? {} : { metadata: members.metadata }),
    };
    if (Object.keys(change).length === 0) {
      const found = await operations.intents.charge(owner, id);
      if (found === null) throw noSuch("charge", id, "charge");
      return charge(found, expansion);
    }
    const outcome = await operations.intents.updateCharge(owner, id, change, operation);
    if (outcome === null) throw noSuch("charge", id, "charge");
    if (outcome.type === "too_many_keys") throw tooManyKeys();
    return charge(outcome, expansion);
  },
});
