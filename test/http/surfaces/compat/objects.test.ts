import assert from "node:assert/strict";
import { test } from "node:test";
import type { TObject } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { IntentRecord } from "../../../../engine/intents/intent.ts";
import { eventEnvelope } from "../../../../http/compat/event-envelope.ts";
import { expandingOf, readExpansion } from "../../../../http/surfaces/compat/expand.ts";
import { intentForPages, intentObjectsOf, webhookEndpointObject } from "../../../../http/surfaces/compat/objects.ts";
import { PlatformError } from "../../../../http/surfaces/compat/platform-error.ts";
import { Charge, Event, PaymentIntent, Refund, WebhookEndpoint } from "../../../../http/surfaces/compat/schemas.ts";
import { assertMatches } from "../../../support/http/matches.ts";
import {
  attempt,
  CHARGE_ID,
  CLIENT_SECRET,
  event,
  failedAttempt,
  INTENT_ID,
  intent,
  NOW_MS,
  order,
  paidAttempt,
  REFUND_ID,
  refundedIntent,
  webhookEndpoint,
} from "./records.ts";

const objects = intentObjectsOf((token) => `https://relay.example/pay/i/${token}`);
const expanding = expandingOf({ compatObjects: objects, isUnderDispute: async ({ uuid }) => disputed.has(uuid) });
const NOW = NOW_MS / 1_000;
const disputed = new Set<string>();

/** An object has just the members that the document says, each as it says. */
function assertDocumented(schema: TObject, object: object): void {
  const errors = [...Value.Errors(schema, object)].map(({ path, message }) => `${path}: ${message}`);
  assert.deepEqual(errors, []);
  const undocumented = Object.keys(object).filter((name) => !Object.hasOwn(schema.properties, name));
  assert.deepEqual(undocumented, []);
}

const authorized = paidAttempt({ capture: "later" });
const followUp = { amountMinor: 1_099, requestedAtMs: NOW_MS, finishedAtMs: NOW_MS + 70_000, description: null };
const captured = paidAttempt({
  capture: "later",
  followUps: [{ ...followUp, id: "capture-1", type: "capture", amountMinor: 700, state: "done" }],
});
const reversed = paidAttempt({ capture: "later", followUps: [{ ...followUp, id: "reversal-1", type: "reversal", state: "done" }] });
const cancellation = { reason: "abandoned", requestedAtMs: NOW_MS + 10_000, canceledAtMs: NOW_MS + 20_000 } as const;

const STATES: readonly [what: string, record: IntentRecord, expected: object][] = [
  ["created", intent(), { status: "requires_payment_method", latest_charge: null, next_action: null, last_payment_error: null }],
  [
    "whose init is not answered",
    intent({ attempts: [attempt({ state: "opening", url: null })] }),
    { status: "processing", next_action: null },
  ],
  [
    "that waits for its buyer",
    intent({ attempts: [attempt()] }),
    {
      status: "requires_action",
      latest_charge: null,
      next_action: {
        type: "redirect_to_url",
        redirect_to_url: { return_url: "https://shop.example/return", url: "https://relay.example/pay/i/aaaaaaaaaaaaaaaaaaaaaaaatoken" },
      },
    },
  ],
  ["of which nobody knows", intent({ attempts: [attempt({ state: "unreachable" })] }), { status: "processing" }],
  [
    "paid",
    intent({ attempts: [paidAttempt()] }),
    { status: "succeeded", amount: 1_099, amount_received: 1_099, amount_capturable: 0, latest_charge: CHARGE_ID, next_action: null },
  ],
  [
    "paid with another amount",
    intent({
      attempts: [paidAttempt({ paid: { atMs: 1, amountMinor: 1_000, currency: "EUR", authCode: null, cardBrand: null, cardLast4: null } })],
    }),
    { amount: 1_099, amount_received: 1_000 },
  ],
  [
    "paid in another currency, of which nothing was received in its own",
    intent({
      attempts: [paidAttempt({ paid: { atMs: 1, amountMinor: 1_099, currency: "JPY", authCode: null, cardBrand: null, cardLast4: null } })],
    }),
    { status: "succeeded", amount: 1_099, amount_received: 0 },
  ],
  ["authorized", intent({ attempts: [authorized] }), { status: "requires_capture", amount_capturable: 1_099, amount_received: 0 }],
  ["captured in part", intent({ attempts: [captured] }), { status: "succeeded", amount_capturable: 0, amount_received: 700 }],
  [
    "whose authorization was reversed",
    intent({ attempts: [reversed] }),
    { status: "canceled", canceled_at: NOW + 70, amount_capturable: 0, amount_received: 0 },
  ],
  ["canceled", intent({ cancellation }), { status: "canceled", canceled_at: NOW + 20, cancellation_reason: "abandoned" }],
  [
    "whose cancellation is not confirmed",
    intent({ attempts: [authorized], cancellation: { ...cancellation, canceledAtMs: null } }),
    { status: "requires_capture", canceled_at: null, cancellation_reason: null },
  ],
  [
    "tried twice",
    intent({ attempts: [failedAttempt("GW_10001"), paidAttempt({ chargeId: "ch_2" })] }),
    { status: "succeeded", latest_charge: "ch_2", last_payment_error: null },
  ],
  [
    "canceled and paid all the same",
    intent({ attempts: [paidAttempt({ unwanted: true })], cancellation }),
    { status: "canceled", amount_received: 0, latest_charge: CHARGE_ID },
  ],
];

for (const [what, record, expected] of STATES) {
  test(`a payment intent ${what}`, () => {
    const object = objects.intent(record);
    assertDocumented(PaymentIntent, object);
    assertMatches(object, { id: INTENT_ID, object: "payment_intent", created: NOW, currency: "eur", ...expected });
  });
}

const DECLINES: readonly [resultCode: string | null, expected: object, outcome: object][] = [
  [
    "GW_10001",
    { type: "card_error", code: "card_declined", decline_code: "generic_decline", network_decline_code: undefined },
    { type: "issuer_declined", network_status: "declined_by_network", reason: "generic_decline" },
  ],
  [
    "GW_10002",
    { type: "card_error", code: "card_declined", decline_code: "insufficient_funds", network_decline_code: undefined },
    { type: "issuer_declined", reason: "insufficient_funds" },
  ],
  [
    "GW_20002",
    { type: "invalid_request_error", code: "payment_intent_payment_attempt_expired", decline_code: undefined },
    { type: "invalid", network_status: "not_sent_to_network", reason: null },
  ],
  [
    "GW_20090",
    { type: "invalid_request_error", code: "payment_method_customer_decline", decline_code: undefined },
    { type: "invalid", reason: null },
  ],
  [
    "GW_10099",
    { type: "card_error", code: "card_declined", decline_code: "generic_decline", network_decline_code: "GW_10099" },
    { type: "issuer_declined", network_decline_code: "GW_10099" },
  ],
  [null, { type: "invalid_request_error", code: "payment_intent_payment_attempt_expired" }, { type: "invalid" }],
];

for (const [resultCode, expected, outcome] of DECLINES) {
  test(`an attempt that ended with ${resultCode} is told on the intent and its charge`, () => {
    const failed = failedAttempt(resultCode);
    const record = intent({ attempts: [failed] });
    const object = objects.intent(record);
    assertDocumented(PaymentIntent, object);
    assertMatches(object, { status: "requires_payment_method", last_payment_error: { ...expected, charge: CHARGE_ID, message: /./ } });
    assert.ok(!JSON.stringify(object).includes("The gateway's words"));
    const charge = objects.charge({ intent: record, attempt: failed });
    assertDocumented(Charge, charge);
    assertMatches(charge, { status: "failed", paid: false, captured: false, amount: 1_099, amount_captured: 0, outcome });
    assert.equal(charge.failure_code, object.last_payment_error?.code);
    assert.equal(charge.failure_message, object.last_payment_error?.message);
  });
}

test("an attempt that was canceled while it was open has a failed charge", () => {
  const revoked = attempt({ state: "revoked", endedAtMs: NOW_MS + 20_000 });
  const record = intent({ attempts: [revoked], cancellation });
  assertMatches(objects.intent(record), { status: "canceled", latest_charge: CHARGE_ID, last_payment_error: null });
  assertMatches(objects.charge({ intent: record, attempt: revoked }), {
    ...{ status: "failed", paid: false, refunded: false, created: NOW + 20, failure_message: "The payment was canceled." },
  });
});

test("a payment that nobody wants has a failed charge: nothing is to be shipped for it", () => {
  const unwanted = { ...paidAttempt(), unwanted: true };
  const record = intent({ attempts: [unwanted], cancellation });
  assertMatches(objects.intent(record), { status: "canceled", amount_received: 0, latest_charge: CHARGE_ID });
  const charge = objects.charge({ intent: record, attempt: unwanted });
  assertDocumented(Charge, charge);
  assertMatches(charge, {
    ...{ status: "failed", paid: false, captured: false, refunded: false, amount_captured: 0, amount_refunded: 0 },
    ...{ failure_code: "payment_intent_payment_attempt_expired", failure_message: /given back/, outcome: { type: "invalid" } },
  });
});

test("a charge tells what was paid, by which card, and what was given back", () => {
  const of = (one = paidAttempt()) => {
    const charge = objects.charge({ intent: intent({ attempts: [one] }), attempt: one });
    assertDocumented(Charge, charge);
    return charge;
  };
  assertMatches(of(), {
    ...{ id: CHARGE_ID, object: "charge", status: "succeeded", paid: true, captured: true, refunded: false, created: NOW + 60 },
    ...{ amount: 1_099, amount_captured: 1_099, amount_refunded: 0, currency: "eur", payment_intent: INTENT_ID, disputed: false },
    ...{ failure_code: null, failure_message: null, outcome: { type: "authorized", network_status: "approved_by_network", reason: null } },
    payment_method_details: { type: "card", card: { brand: "visa", last4: "4242", exp_month: null, exp_year: null } },
  });
  assertMatches(of(authorized), { captured: false, amount_captured: 0, amount_refunded: 0 });
  assertMatches(of(captured), { captured: true, amount: 1_099, amount_captured: 700, amount_refunded: 0 });
  assertMatches(of(reversed), { captured: false, refunded: true, amount_refunded: 1_099 });
  for (const [state, refunded] of [
    ["done", true],
    ["requested", true],
    ["refused", false],
  ] as const) {
    assertMatches(of(refundedIntent(state).attempts[0]), { refunded, amount_refunded: refunded ? 1_099 : 0 });
  }
});

test("the card's brand is told in the platform's words", () => {
  const brandOf = (cardBrand: string | null) => {
    const paid = { atMs: 1, amountMinor: 1, currency: "EUR", authCode: null, cardBrand, cardLast4: null };
    return objects.charge({ intent: intent(), attempt: paidAttempt({ paid }) }).payment_method_details.card.brand;
  };
  assert.deepEqual(["VISA", "MasterCard", "AMEX", "American Express", "PagoBancomat", null].map(brandOf), [
    "visa",
    "mastercard",
    "amex",
    "amex",
    "unknown",
    null,
  ]);
});

for (const [state, expected] of [
  ["done", { status: "succeeded", failure_reason: undefined, pending_reason: undefined }],
  ["requested", { status: "pending", pending_reason: "processing", failure_reason: undefined }],
  ["refused", { status: "failed", failure_reason: "declined", pending_reason: undefined }],
] as const) {
  test(`a refund that the gateway has ${state}`, () => {
    const record = refundedIntent(state);
    const [paid] = record.attempts;
    const [refund] = record.refunds;
    assert.ok(paid !== undefined && refund !== undefined);
    const object = objects.refund({ intent: record, attempt: paid, refund });
    assertDocumented(Refund, object);
    assertMatches(object, {
      ...{ id: REFUND_ID, object: "refund", amount: 1_099, charge: CHARGE_ID, payment_intent: INTENT_ID, currency: "eur" },
      ...{ created: NOW + 90, reason: "requested_by_customer", ...expected },
    });
  });
}

test("a page sees nothing of a payment that is not its buyer's", () => {
  const record = intent({ attempts: [failedAttempt("GW_10001")], order: order({ metadata: { secret: "of the shop" } }) });
  const shown = intentForPages(objects.intent(record));
  assertDocumented(PaymentIntent, shown);
  for (const hidden of ["metadata", "customer", "latest_charge", "amount_received", "receipt_email"]) {
    assert.ok(!Object.hasOwn(shown, hidden), hidden);
  }
  const text = JSON.stringify(shown);
  for (const hidden of ["of the shop", "cus_7", CHARGE_ID, "buyer@example.com"]) assert.ok(!text.includes(hidden), hidden);
  assertMatches(shown, { client_secret: CLIENT_SECRET, amount: 1_099, last_payment_error: { code: "card_declined" } });
});

test("an endpoint's secret is told only where it is given", () => {
  assertDocumented(WebhookEndpoint, webhookEndpointObject(webhookEndpoint()));
  assert.ok(!JSON.stringify(webhookEndpointObject(webhookEndpoint())).includes("secret"));
  assert.equal(webhookEndpointObject(webhookEndpoint(), "whsec_1").secret, "whsec_1");
});

test("an event is the same for all who get it but for the version", () => {
  const one = eventEnvelope(event(), { apiVersion: "2026-10-28.endive", pending: 2 });
  assertDocumented(Event, one);
  const other = eventEnvelope(event(), { apiVersion: "2026-03-25.dahlia", pending: 2 });
  assert.deepEqual({ ...other, api_version: one.api_version }, one);
  assertMatches(one, { object: "event", created: NOW, pending_webhooks: 2, request: { id: null, idempotency_key: null } });
});

test("ids are expanded to the objects that they name, as deep as asked", async () => {
  const record = refundedIntent("done");
  const [paid] = record.attempts;
  const [refund] = record.refunds;
  assert.ok(paid !== undefined && refund !== undefined);
  const of = { intent: record, attempt: paid, refund };
  const intentWith = (...paths: string[]) => expanding.intent(record, readExpansion(paths, "payment_intent", false));
  assert.deepEqual(await intentWith(), objects.intent(record));
  assertMatches(await intentWith("latest_charge", "customer", "payment_method"), {
    latest_charge: { id: CHARGE_ID, payment_intent: INTENT_ID },
  });
  assertMatches(await intentWith("latest_charge.payment_intent.latest_charge"), {
    latest_charge: { payment_intent: { id: INTENT_ID, latest_charge: { id: CHARGE_ID } } },
  });
  assertMatches(await expanding.charge(of, readExpansion(["payment_intent", "balance_transaction"], "charge", false)), {
    payment_intent: { id: INTENT_ID, latest_charge: CHARGE_ID },
    balance_transaction: null,
  });
  assertMatches(await expanding.refund(of, readExpansion(["charge.payment_intent", "payment_intent"], "refund", false)), {
    charge: { id: CHARGE_ID, payment_intent: { id: INTENT_ID } },
    payment_intent: { id: INTENT_ID },
  });
  assert.equal(
    Reflect.get(await expanding.intent(intent(), readExpansion(["latest_charge"], "payment_intent", false)), "latest_charge"),
    null,
  );
});

test("a charge under dispute says so wherever it stands, and one that took nothing is never asked about", async () => {
  const record = intent({ attempts: [paidAttempt()] });
  const refunded = refundedIntent("done");
  const [attempt] = record.attempts;
  const [refund] = refunded.refunds;
  assert.ok(attempt !== undefined && refund !== undefined);
  assertMatches(await expanding.charge({ intent: record, attempt }, {}), { disputed: false });
  disputed.add(attempt.txId);
  assertMatches(await expanding.charge({ intent: record, attempt }, {}), { id: CHARGE_ID, disputed: true });
  assertMatches(await expanding.intent(record, { latest_charge: {} }), { latest_charge: { disputed: true } });
  assertMatches(await expanding.refund({ intent: refunded, attempt, refund }, { charge: {} }), { charge: { disputed: true } });
  const failed = { ...attempt, state: "failed" as const };
  assertMatches(await expanding.charge({ intent: record, attempt: failed }, {}), { disputed: false });
  assertDocumented(Charge, await expanding.charge({ intent: record, attempt }, {}));
  disputed.clear();
});

const NOT_EXPANDABLE: readonly [path: string, of: "payment_intent" | "charge" | "nothing", inList: boolean][] = [
  ["foo", "payment_intent", false],
  ["amount", "payment_intent", false],
  ["toString", "payment_intent", false],
  ["customer.default_source", "payment_intent", false],
  ["data.latest_charge", "payment_intent", false],
  ["latest_charge", "payment_intent", true],
  ["data", "payment_intent", true],
  ["latest_charge.", "payment_intent", false],
  ["latest_charge.payment_intent.latest_charge.payment_intent.latest_charge", "payment_intent", false],
  ["data.payment_intent.latest_charge.payment_intent.latest_charge", "charge", true],
  ["data.object", "nothing", false],
];

for (const [path, of, inList] of NOT_EXPANDABLE) {
  test(`${path} of a ${of}${inList ? " in a list" : ""} cannot be expanded`, () => {
    assert.throws(
      () => readExpansion([path], of, inList),
      (error) => error instanceof PlatformError && error.details.param === "expand" && /cannot/.test(error.message),
    );
  });
}
