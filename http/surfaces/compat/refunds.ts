import { changedMetadata, NO_METADATA } from "../../../engine/kernel/metadata.ts";
import { call, GATEWAY_DEADLINE_MS } from "./call.ts";
import { EXPAND, expandingOf, readExpansion } from "./expand.ts";
import { disputed, requireReach, unsettled } from "./intent-errors.ts";
import { LIST_FIELDS, listObject, listSchema, noSuchCursor, pageQueryOf } from "./lists.ts";
import { amount, metadata, refused, tooManyKeys, unsettableOneOf, withoutEffect, word } from "./params.ts";
import { invalidParam, noSuch, refusedByState } from "./platform-error.ts";
import { Refund } from "./schemas.ts";
import { COMPAT_BASE } from "./surface.ts";

const PATH = "/refunds";

export const createRefund = call({
  name: "compatCreateRefund",
  method: "POST",
  path: PATH,
  summary: "Create a refund",
  description:
    "Differs from the platform: only the whole payment can be refunded; a smaller `amount` is rejected with `charge_not_refundable`. A payment under dispute cannot be refunded (`charge_disputed`). If the card gateway's response is lost, the refund is `pending`; the relay asks again, and an event reports the outcome.",
  fields: {
    amount: amount("Leave it out, or send the whole amount."),
    charge: word("The charge; send either it or `payment_intent`."),
    currency: refused("a refund is in the payment's currency"),
    customer: refused("customer balances do not exist here"),
    expand: EXPAND,
    instructions_email: withoutEffect(""),
    metadata: metadata(),
    origin: refused("customer balances do not exist here"),
    payment_intent: word("The payment intent."),
    reason: unsettableOneOf(["duplicate", "fraudulent", "requested_by_customer"], "Why."),
    refund_application_fee: refused("platform fees do not exist here", [false]),
    reverse_transfer: refused("there are no connected accounts", [false]),
  },
  bodyExample: { payment_intent: "pi_3k2jd8s7f6g5h4j3k2l1m0n9" },
  deadlineMs: GATEWAY_DEADLINE_MS,
  answer: { description: "The refund.", schema: Refund },
  errors: [400, 404, 409],
  handle: async (operations, { members, merchant, owner, operation, shown }) => {
    const { payment_intent: intentId, charge: chargeId } = members;
    if (intentId !== undefined && chargeId !== undefined) {
      throw invalidParam("charge", "You may give only one of payment_intent and charge.");
    }
    const expansion = readExpansion(members.expand, "refund", false);
    const request = {
      amountMinor: members.amount ?? null,
      reason: members.reason ?? null,
      metadata: changedMetadata(NO_METADATA, members.metadata),
    };
    const of = intentId !== undefined ? { intentId } : chargeId !== undefined ? { chargeId } : null;
    if (of === null) throw invalidParam("payment_intent", "Missing required param: payment_intent, or charge.", "parameter_missing");
    const { intents } = operations;
    await requireReach(intents, merchant, async () =>
      "intentId" in of ? intents.find(owner, of.intentId) : ((await intents.charge(owner, of.chargeId))?.intent ?? null),
    );
    const outcome = await operations.intents.refund(owner, of, request, operation);
    const param = intentId === undefined ? "charge" : "payment_intent";
    switch (outcome?.type) {
      case undefined:
        throw noSuch(param, intentId ?? chargeId ?? "", param);
      case "refunded":
        return expandingOf(operations).refund(outcome, expansion);
      case "already_refunded":
        throw refusedByState("This payment was already refunded.", {
          code: "charge_already_refunded",
          paymentIntent: shown(outcome.intent),
        });
      case "partial":
        throw invalidParam("amount", "Only the whole payment can be refunded: leave the amount out.", "charge_not_refundable");
      case "too_much":
        throw invalidParam("amount", "The amount is more than the paid amount.", "amount_too_large");
      case "not_paid":
        throw refusedByState("There is no payment that could be refunded.", {
          ...{ code: "charge_not_refundable", param },
          paymentIntent: shown(outcome.intent),
        });
      case "refused":
        throw refusedByState(outcome.description === "" ? "The card gateway refused the refund." : outcome.description, {
          code: "charge_not_refundable",
          paymentIntent: shown(outcome.intent),
        });
      case "under_dispute":
        throw disputed(outcome.intent, shown);
      case "unsettled":
        throw unsettled();
    }
  },
});

export const listRefunds = call({
  name: "compatListRefunds",
  method: "GET",
  path: PATH,
  summary: "List refunds",
  fields: { ...LIST_FIELDS, charge: word("Only refunds of this charge."), payment_intent: word("Only refunds of this payment intent.") },
  answer: { description: "A page.", schema: listSchema(Refund) },
  errors: [400, 404],
  handle: async (operations, { members, owner }) => {
    const query = { ...pageQueryOf(members), intentId: members.payment_intent ?? null, chargeId: members.charge ?? null };
    const expansion = readExpansion(members.expand, "refund", true);
    const page = await operations.intents.listRefunds(owner, query);
    if (page === null) throw noSuchCursor(query);
    const { refund } = expandingOf(operations);
    return listObject(COMPAT_BASE + PATH, page, (one) => refund(one, expansion));
  },
});

export const retrieveRefund = call({
  name: "compatRetrieveRefund",
  method: "GET",
  path: `${PATH}/{id}`,
  summary: "Get a refund",
  fields: { expand: EXPAND },
  answer: { description: "The refund.", schema: Refund },
  errors: [400, 404],
  handle: async (operations, { id, members, owner }) => {
    const expansion = readExpansion(members.expand, "refund", false);
    const refund = await operations.intents.refundOf(owner, id);
    if (refund === null) throw noSuch("refund", id, "refund");
    return expandingOf(operations).refund(refund, expansion);
  },
});

export const updateRefund = call({
  name: "compatUpdateRefund",
  method: "POST",
  path: `${PATH}/{id}`,
  summary: "Update a refund",
  description: "Changes its metadata; nothing else of a refund can be changed.",
  fields: { expand: EXPAND, metadata: metadata() },
  bodyExample: { metadata: { order_id: "7" } },
  answer: { description: "The refund.", schema: Refund },
  errors: [400, 404, 409],
  handle: async (operations, { id, members, owner, operation }) => {
    const expansion = readExpansion(members.expand, "refund", false);
    const { refund } = expandingOf(operations);
    if (members.metadata === undefined) {
      const found = await operations.intents.refundOf(owner, id);
      if (found === null) throw noSuch("refund", id, "refund");
      return refund(found, expansion);
    }
    const outcome = await operations.intents.updateRefund(owner, id, members.metadata, operation);
    if (outcome === null) throw noSuch("refund", id, "refund");
    if (outcome.type === "too_many_keys") throw tooManyKeys();
    return refund(outcome, expansion);
  },
});
