import assert from "node:assert/strict";
import { test } from "node:test";
import { parseForm } from "../../../../http/endpoint/form-body.ts";
import { EXPAND, EXPAND_OR_EMPTY } from "../../../../http/surfaces/compat/expand.ts";
import { CREATE_FIELDS, changeOf, orderOf, UPDATE_FIELDS } from "../../../../http/surfaces/compat/intent-fields.ts";
import { LIST_FIELDS, pageQueryOf } from "../../../../http/surfaces/compat/lists.ts";
import { type Fields, metadata, readFields } from "../../../../http/surfaces/compat/params.ts";
import { PlatformError } from "../../../../http/surfaces/compat/platform-error.ts";

const ORDER = { amount: "1099", currency: "eur" };
const CARD_NUMBER = "4242424242424242";

/** What the caller is told of the members that it sent. */
function refusalOf(work: () => unknown): { code: string | undefined; param: string | undefined; message: string } {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof PlatformError, String(error));
    assert.equal(error.details.status, 400);
    assert.equal(error.details.type, "invalid_request_error");
    assert.equal(error.details.stored, false, "a corrected request may use the same key");
    return { code: error.details.code, param: error.details.param, message: error.message };
  }
  throw new Error("it was accepted");
}

function created(members: object, livemode = false) {
  return orderOf(readFields(CREATE_FIELDS, { ...ORDER, ...members }), { livemode });
}

const WRONG: readonly [what: string, members: object, code: string | undefined, param: string][] = [
  ["no amount", { amount: undefined }, "parameter_missing", "amount"],
  ["an empty amount", { amount: "" }, "parameter_invalid_empty", "amount"],
  ["an amount with decimals", { amount: "10.99" }, "parameter_invalid_integer", "amount"],
  ["an amount with an exponent", { amount: "1e3" }, "parameter_invalid_integer", "amount"],
  ["an amount in hexadecimal", { amount: "0x10" }, "parameter_invalid_integer", "amount"],
  ["an amount with spaces", { amount: " 10" }, "parameter_invalid_integer", "amount"],
  ["an amount with a leading zero", { amount: "010" }, "parameter_invalid_integer", "amount"],
  ["an amount that is a list", { amount: ["1"] }, "parameter_invalid_integer", "amount"],
  ["a negative amount", { amount: "-5" }, "parameter_invalid_integer", "amount"],
  ["an amount of nothing", { amount: "0" }, "amount_too_small", "amount"],
  ["an amount above the limit", { amount: "100000000" }, "amount_too_large", "amount"],
  ["no currency", { currency: undefined }, "parameter_missing", "currency"],
  ["an empty currency", { currency: "" }, "parameter_invalid_empty", "currency"],
  ["a currency that is none", { currency: "xyz" }, undefined, "currency"],
  ["a currency by its number", { currency: "978" }, undefined, "currency"],
  ["a currency of another smallest unit, isk", { currency: "isk" }, undefined, "currency"],
  ["a currency of another smallest unit, mga", { currency: "MGA" }, undefined, "currency"],
  ["a currency of another smallest unit, ugx", { currency: "ugx" }, undefined, "currency"],
  ["a currency with four decimals", { currency: "clf" }, undefined, "currency"],
  ["an amount that three decimals cannot have", { currency: "kwd", amount: "1001" }, "parameter_invalid_integer", "amount"],
  ["an unknown member", { foo: "1" }, "parameter_unknown", "foo"],
  ["a member of JavaScript's own objects", { toString: "1" }, "parameter_unknown", "toString"],
  [
    "an unknown member within another",
    { automatic_payment_methods: { enabled: "true", foo: "1" } },
    "parameter_unknown",
    "automatic_payment_methods[foo]",
  ],
  ["a word for a flag", { confirm: "yes" }, undefined, "confirm"],
  ["an empty flag", { confirm: "" }, "parameter_invalid_empty", "confirm"],
  ["an unknown capture method", { capture_method: "later" }, undefined, "capture_method"],
  ["a text that is an object", { description: { a: "1" } }, undefined, "description"],
  ["a text of 256 characters", { description: "a".repeat(256) }, undefined, "description"],
  ["a text with a control character", { description: "a\u0007" }, undefined, "description"],
  ["an address without a host", { receipt_email: "buyer" }, "email_invalid", "receipt_email"],
  ["a return address that is none", { return_url: "shop" }, "url_invalid", "return_url"],
  ["a return address of another scheme", { return_url: "javascript:alert(1)" }, "url_invalid", "return_url"],
  ["a return address with a password", { return_url: "https://a:b@shop.example/" }, "url_invalid", "return_url"],
  ["confirmation without a return address", { confirm: "true" }, "parameter_missing", "return_url"],
  ["methods of payment without cards", { payment_method_types: ["klarna"] }, undefined, "payment_method_types"],
  ["cards excluded", { excluded_payment_method_types: ["card"] }, undefined, "excluded_payment_method_types"],
  [
    "automatic methods that do not say whether",
    { automatic_payment_methods: {} },
    "parameter_missing",
    "automatic_payment_methods[enabled]",
  ],
  [
    "no redirects",
    { automatic_payment_methods: { enabled: "true", allow_redirects: "never" } },
    "parameter_unknown",
    "automatic_payment_methods[allow_redirects]",
  ],
  ["another account's share", { transfer_data: { destination: "acct_1" } }, "parameter_unknown", "transfer_data"],
  ["a fee", { application_fee_amount: "1" }, "parameter_unknown", "application_fee_amount"],
  ["another account's business", { on_behalf_of: "acct_1" }, "parameter_unknown", "on_behalf_of"],
  ["a payment without the buyer", { off_session: "true" }, "parameter_unknown", "off_session"],
  ["a recurring payment", { off_session: "recurring" }, "parameter_unknown", "off_session"],
  ["a card to be kept", { setup_future_usage: "off_session" }, "parameter_unknown", "setup_future_usage"],
  [
    "a card to be kept, in the card's options",
    { payment_method_options: { card: { setup_future_usage: "off_session" } } },
    "parameter_unknown",
    "payment_method_options[card][setup_future_usage]",
  ],
  [
    "an unknown capture method in the card's options",
    { payment_method_options: { card: { capture_method: "automatic" } } },
    undefined,
    "payment_method_options[card][capture_method]",
  ],
  [
    "a plan of installments",
    { payment_method_options: { card: { installments: { enabled: "true", plan: { count: "3" } } } } },
    "parameter_unknown",
    "payment_method_options[card][installments][plan]",
  ],
  [
    "a buyer on the telephone",
    { payment_method_options: { card: { moto: "true" } } },
    "parameter_unknown",
    "payment_method_options[card][moto]",
  ],
  [
    "a mandate in the card's options",
    { payment_method_options: { card: { mandate_options: { amount: "1" } } } },
    "parameter_unknown",
    "payment_method_options[card][mandate_options]",
  ],
  [
    "an option of the card that there is not",
    { payment_method_options: { card: { captrue_method: "manual" } } },
    "parameter_unknown",
    "payment_method_options[card][captrue_method]",
  ],
  ["options of a method that are a text", { payment_method_options: "card" }, undefined, "payment_method_options"],
  [
    "a card number in the options of another method",
    { payment_method_options: { klarna: { preferred_locale: CARD_NUMBER } } },
    undefined,
    "payment_method_options",
  ],
  ["a mandate", { mandate: "mandate_1" }, "parameter_unknown", "mandate"],
  ["a mandate's data", { mandate_data: { customer_acceptance: { type: "online" } } }, "parameter_unknown", "mandate_data"],
  ["a payment that must need nothing", { error_on_requires_action: "true" }, "parameter_unknown", "error_on_requires_action"],
  ["metadata that is a text", { metadata: "a" }, undefined, "metadata"],
  ["metadata with a long key", { metadata: { ["k".repeat(41)]: "1" } }, undefined, "metadata"],
  ["metadata with a bracket in a key", { metadata: { "a[": "1" } }, undefined, "metadata"],
  ["metadata with a long value", { metadata: { a: "v".repeat(501) } }, undefined, "metadata[a]"],
  ["metadata of 51 keys", { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, "1"])) }, undefined, "metadata"],
  ["metadata with an object", { metadata: { a: { b: "1" } } }, undefined, "metadata[a]"],
  ["a card number as a method of payment", { payment_method: CARD_NUMBER }, undefined, "payment_method"],
  [
    "a card number where the platform takes it",
    { payment_method_data: { type: "card", card: { number: CARD_NUMBER } } },
    undefined,
    "payment_method_data",
  ],
  [
    "a card's data without a real number",
    { payment_method_data: { card: { number: "1", exp_month: "1" } } },
    undefined,
    "payment_method_data",
  ],
  ["a card number in metadata", { metadata: { note: `card 4242 4242 4242 4242` } }, undefined, "metadata"],
  ["a card number as a key of metadata", { metadata: { [CARD_NUMBER]: "1" } }, undefined, "metadata"],
  ["a card number in a member without effect", { radar_options: { session: CARD_NUMBER } }, undefined, "radar_options"],
];

for (const [what, members, code, param] of WRONG) {
  test(`a payment intent is refused for ${what}`, () => {
    const refusal = refusalOf(() => created(members));
    assert.deepEqual([refusal.code, refusal.param], [code, param], refusal.message);
    assert.ok(!JSON.stringify(refusal).includes(CARD_NUMBER));
  });
}

test("a card number as an unknown member's name is not told back", () => {
  const refusal = refusalOf(() => created({ [CARD_NUMBER]: "1" }));
  assert.ok(!JSON.stringify(refusal).includes(CARD_NUMBER), JSON.stringify(refusal));
});

test("in LIVE buyers come back by https only", () => {
  assert.equal(created({ return_url: "http://shop.example/" }).returnUrl, "http://shop.example/");
  assert.deepEqual(refusalOf(() => created({ return_url: "http://shop.example/" }, true)).code, "url_invalid");
});

test("what clients of the platform send without effect on the money is accepted", () => {
  const members = {
    payment_method: "pm_card_visa",
    payment_method_data: { type: "card", billing_details: { name: "A" }, card: { token: "tok_visa" } },
    payment_method_options: {
      card: {
        ...{
          request_three_d_secure: "any",
          capture_method: "",
          setup_future_usage: "none",
          moto: "false",
          installments: { enabled: "true" },
        },
        ...{ request_extended_authorization: "if_available", request_multicapture: "if_available", network: "visa", mandate_options: "" },
      },
      klarna: { capture_method: "manual", setup_future_usage: "none" },
      card_present: { capture_method: "manual_preferred" },
    },
    payment_method_configuration: "pmc_1",
    radar_options: { session: "rse_1" },
    use_stripe_sdk: "true",
    confirmation_token: "ctoken_1",
    off_session: "false",
    error_on_requires_action: "false",
    setup_future_usage: "",
    transfer_data: "",
    automatic_payment_methods: { enabled: "true", allow_redirects: "always" },
    payment_method_types: ["card", "klarna"],
    expand: ["latest_charge"],
  };
  assert.deepEqual(created(members).paymentMethodTypes, ["card", "klarna"]);
});

test("capture_method in the card's options counts, and before the one of the whole payment", () => {
  const manual = { payment_method_options: { card: { capture_method: "manual" } } };
  assert.equal(created(manual).captureMethod, "manual");
  assert.equal(created({ ...manual, capture_method: "automatic" }).captureMethod, "manual");
  assert.equal(
    created({ payment_method_options: { card: { capture_method: "" } }, capture_method: "automatic" }).captureMethod,
    "automatic",
  );

  const change = (members: object, before: object = {}) =>
    changeOf(readFields(UPDATE_FIELDS, members), created(before), { livemode: false });
  assert.equal(change(manual).captureMethod, "manual");
  assert.equal(change({ capture_method: "automatic" }, manual).captureMethod, "automatic");
  const unset = { payment_method_options: { card: { capture_method: "" } } };
  assert.equal("captureMethod" in change(unset), false);
  assert.equal(change({ ...unset, capture_method: "automatic" }, manual).captureMethod, "automatic");
  // It would be taken at once, or not, and nobody could tell.
  assert.equal(refusalOf(() => change(unset, manual)).param, "payment_method_options[card][capture_method]");
});

test("an order has what was sent, and the platform's defaults", () => {
  assert.deepEqual(created({ description: "", metadata: { a: "1", b: "" } }), {
    amountMinor: 1_099,
    currency: "EUR",
    captureMethod: "automatic_async",
    confirmationMethod: "automatic",
    description: null,
    metadata: { a: "1" },
    receiptEmail: null,
    returnUrl: null,
    shipping: null,
    customer: null,
    statementDescriptor: null,
    statementDescriptorSuffix: null,
    paymentMethodTypes: ["card"],
    automaticPaymentMethods: true,
  });
  assert.deepEqual(created({ shipping: { name: "A", address: { line1: "B" } } }).shipping, {
    address: { city: null, country: null, line1: "B", line2: null, postal_code: null, state: null },
    carrier: null,
    name: "A",
    phone: null,
    tracking_number: null,
  });
});

test("numbers and booleans of JSON are read as those of a form", () => {
  assert.equal(orderOf(readFields(CREATE_FIELDS, { amount: 5, currency: "jpy", confirm: false }), { livemode: false }).amountMinor, 5);
});

test("metadata is read as a change of its keys, or of all", () => {
  const fields = { metadata: metadata() };
  assert.deepEqual(readFields(fields, { metadata: { a: "", c: "3", d: null } }).metadata, { a: null, c: "3", d: null });
  assert.equal(readFields(fields, { metadata: "" }).metadata, "clear");
  assert.equal(readFields(fields, {}).metadata, undefined);
});

const NO_BOUNDS = { fromMs: null, beforeMs: null };
const NO_CURSOR = { startingAfter: null, endingBefore: null };

const PAGES: readonly [query: object, expected: object][] = [
  [{}, { limit: 10, ...NO_CURSOR, ...NO_BOUNDS }],
  [
    { limit: "100", starting_after: "pi_1" },
    { limit: 100, startingAfter: "pi_1", endingBefore: null, ...NO_BOUNDS },
  ],
  [{ ending_before: "pi_1" }, { limit: 10, startingAfter: null, endingBefore: "pi_1", ...NO_BOUNDS }],
  [{ created: "5" }, { limit: 10, ...NO_CURSOR, fromMs: 5_000, beforeMs: 6_000 }],
  [{ created: { gte: "5", lt: "7" } }, { limit: 10, ...NO_CURSOR, fromMs: 5_000, beforeMs: 7_000 }],
  [{ created: { gt: "5", lte: "7" } }, { limit: 10, ...NO_CURSOR, fromMs: 6_000, beforeMs: 8_000 }],
  [{ created: { gt: "5", gte: "9", lt: "20", lte: "12" } }, { limit: 10, ...NO_CURSOR, fromMs: 9_000, beforeMs: 13_000 }],
];

for (const [query, expected] of PAGES) {
  test(`the list asked for by ${JSON.stringify(query)}`, () => {
    assert.deepEqual(pageQueryOf(readFields(LIST_FIELDS, query)), expected);
  });
}

const WRONG_PAGES: readonly [query: object, code: string | undefined, param: string][] = [
  [{ limit: "0" }, "parameter_invalid_integer", "limit"],
  [{ limit: "101" }, "parameter_invalid_integer", "limit"],
  [{ limit: "a" }, "parameter_invalid_integer", "limit"],
  [{ limit: "" }, "parameter_invalid_empty", "limit"],
  [{ starting_after: "a", ending_before: "b" }, undefined, "ending_before"],
  [{ created: { gt: "x" } }, "parameter_invalid_integer", "created[gt]"],
  [{ created: { after: "1" } }, "parameter_unknown", "created"],
  [{ created: "yesterday" }, "parameter_invalid_integer", "created"],
  [{ page: "2" }, "parameter_unknown", "page"],
];

for (const [query, code, param] of WRONG_PAGES) {
  test(`no list is asked for by ${JSON.stringify(query)}`, () => {
    const refusal = refusalOf(() => pageQueryOf(readFields(LIST_FIELDS, query)));
    assert.deepEqual([refusal.code, refusal.param], [code, param]);
  });
}

test("an empty expand is refused, except for webhook endpoints", () => {
  const read = (field: Fields[string], value: unknown) => readFields({ expand: field }, { expand: value }).expand;
  for (const empty of ["", [""]]) {
    assert.equal(refusalOf(() => read(EXPAND, empty)).code, "parameter_invalid_empty");
    assert.deepEqual(read(EXPAND_OR_EMPTY, empty), []);
  }
  assert.deepEqual(read(EXPAND, { "0": "latest_charge", "2": "customer" }), ["latest_charge", "customer"]);
});

test("keys of metadata may be numbers, which a form's reader takes for places of a list", () => {
  assert.deepEqual(created(parseForm("amount=1&currency=eur&metadata[0]=a&metadata[1]=b")).metadata, { "0": "a", "1": "b" });
  assert.deepEqual(created(parseForm("amount=1&currency=eur&metadata[7]=a")).metadata, { "7": "a" });
});
