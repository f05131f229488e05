import assert from "node:assert/strict";
import { test } from "node:test";
import type { IntentRecord } from "../../../../engine/intents/intent.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { assertMatches } from "../../../support/matches.ts";
import {
  attempt,
  CHARGE_ID,
  CLIENT_SECRET,
  event,
  failedAttempt,
  INTENT_ID,
  intent,
  paidAttempt,
  REFUND_ID,
  refundedIntent,
  webhookEndpoint,
} from "./records.ts";
import { type Answer, type Said, startCompat, UNAVAILABLE } from "./world.ts";

/** The one envelope, with nothing in it that the platform's clients would not know. */
function assertRefused(answer: Answer, status: number, expected: object): void {
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual(Object.keys(answer.body ?? {}), ["error"]);
  assertMatches(answer.body, { error: { message: /./, ...expected } });
}

const CONFIRM = `/payment_intents/${INTENT_ID}/confirm`;
const OPEN: IntentRecord = intent({ attempts: [attempt()] });
const PAID: IntentRecord = intent({ attempts: [paidAttempt()] });

test("a payment intent is created from a form and from JSON alike", async (t) => {
  const { send, asked, records } = await startCompat(t);
  const form = await send("POST", "/payment_intents", {
    form: "amount=1099&currency=EUR&metadata[order_id]=7&payment_method_types[]=card&expand[0]=latest_charge&description=A+b",
  });
  assertMatches(form, {
    status: 200,
    body: {
      ...{ id: INTENT_ID, object: "payment_intent", amount: 1_099, currency: "eur", status: "requires_payment_method" },
      ...{ metadata: { order_id: "7" }, description: "A b", client_secret: CLIENT_SECRET, livemode: false, latest_charge: null },
    },
  });
  records.clear();
  const json = await send("POST", "/payment_intents", {
    json: {
      ...{ amount: 1_099, currency: "eur", metadata: { order_id: 7 }, payment_method_types: ["card"] },
      ...{ expand: ["latest_charge"], description: "A b" },
    },
  });
  assert.deepEqual(json.body, form.body);
  assert.equal(asked.length, 2);
});

test("whoever creates and confirms at once gets the payment page's address, under one operation", async (t) => {
  const { send, asked, said } = await startCompat(t);
  said.confirm = { type: "confirmed", intent: OPEN };
  const answer = await send("POST", "/payment_intents", {
    form: "amount=1099&currency=eur&confirm=true&return_url=https://shop.example/return",
    headers: { "idempotency-key": "order-7" },
  });
  assertMatches(answer, {
    status: 200,
    body: { status: "requires_action", next_action: { type: "redirect_to_url", redirect_to_url: { url: /\/pay\/i\// } } },
  });
  const operations = asked.map((one) => one.at(-1));
  assert.deepEqual(operations[0], operations[1]);
  assertMatches(operations[0], { requestId: answer.headers.get("request-id"), idempotencyKey: "order-7" });
});

test("nothing is created where confirming could not begin", async (t) => {
  const { send, asked } = await startCompat(t);
  for (const form of [
    "amount=1&currency=eur&confirm=true",
    "amount=1&currency=eur&confirm=true&return_url=x",
    "amount=1&currency=eur&expand[]=foo",
  ]) {
    assert.equal((await send("POST", "/payment_intents", { form })).status, 400);
  }
  assert.deepEqual(asked, []);
});

test("bad input is told with the platform's code and the member's name", async (t) => {
  const { send } = await startCompat(t);
  const bad = (form: string) => send("POST", "/payment_intents", { form });
  const invalid = { type: "invalid_request_error" };
  assertRefused(await bad("currency=eur"), 400, { ...invalid, code: "parameter_missing", param: "amount" });
  assertRefused(await bad("amount=1&currency=eur&foo[bar]=1"), 400, { ...invalid, code: "parameter_unknown", param: "foo" });
  assertRefused(await bad("amount=1&currency=eur&expand="), 400, { ...invalid, code: "parameter_invalid_empty", param: "expand[0]" });
  assertRefused(await bad("a[b=1"), 400, invalid);
  assertRefused(await bad("amount=1&amount=2"), 400, invalid);
  assertRefused(await send("POST", "/payment_intents", { json: [] }), 400, invalid);
  assertRefused(await send("POST", "/payment_intents", { form: "", headers: { "content-type": "application/json" } }), 400, {
    ...invalid,
    code: "parameter_missing",
  });
  assertRefused(await bad(`a=${"x".repeat(70_000)}`), 413, invalid);
  assertRefused(await send("POST", "/payment_intents", { form: "a=1", headers: { "content-type": "text/plain" } }), 415, invalid);
});

test("what is not there is in the platform's envelope too", async (t) => {
  const { send } = await startCompat(t);
  assertRefused(await send("GET", "/customers/cus_1"), 404, {
    type: "invalid_request_error",
    message: "Unrecognized request URL (GET: /v1/customers/cus_1).",
  });
  assertRefused(await send("POST", "/4242424242424242", { form: "" }), 404, {
    message: "Unrecognized request URL (POST: /v1/424242******4242).",
  });
  assertRefused(await send("PUT", "/payment_intents", { form: "" }), 405, { type: "invalid_request_error" });
  const id = "pi_zzzzzzzzzzzzzzzzzzzzzzzz";
  const missing = { type: "invalid_request_error", code: "resource_missing" };
  assertRefused(await send("GET", `/payment_intents/${id}`), 404, {
    ...missing,
    param: "intent",
    message: `No such payment_intent: '${id}'`,
  });
  assertRefused(await send("POST", `/payment_intents/${id}`, { form: "" }), 404, { ...missing, param: "intent" });
  assertRefused(await send("POST", `/payment_intents/${id}/cancel`, { form: "" }), 404, { ...missing, param: "intent" });
  assertRefused(await send("POST", `/payment_intents/${id}/capture`, { form: "" }), 404, { ...missing, param: "intent" });
  assertRefused(await send("GET", "/charges/ch_1"), 404, { ...missing, param: "charge" });
  assertRefused(await send("GET", "/refunds/re_1"), 404, { ...missing, param: "refund" });
  assertRefused(await send("POST", "/refunds", { form: `payment_intent=${id}` }), 404, { ...missing, param: "payment_intent" });
  assertRefused(await send("GET", "/webhook_endpoints/we_1"), 404, { ...missing, param: "webhook_endpoint" });
  assertRefused(await send("DELETE", "/webhook_endpoints/we_1"), 404, { ...missing, param: "webhook_endpoint" });
  assertRefused(await send("GET", "/events/evt_1"), 404, { ...missing, param: "id" });
  for (const list of ["payment_intents", "charges", "webhook_endpoints", "events"]) {
    assertRefused(await send("GET", `/${list}?starting_after=x_1`), 404, { ...missing, param: "starting_after" });
  }
});

test("another merchant's payment, and one of the other environment, are not there", async (t) => {
  const { send, records } = await startCompat(t);
  records.set(INTENT_ID, PAID);
  assert.equal((await send("GET", `/payment_intents/${INTENT_ID}`)).status, 200);
  for (const key of ["sk_merchant_other", "sk_merchant_live"]) {
    assertRefused(await send("GET", `/payment_intents/${INTENT_ID}`, { key }), 404, { code: "resource_missing", param: "intent" });
    assertRefused(await send("GET", `/charges/${CHARGE_ID}`, { key }), 404, { code: "resource_missing" });
  }
});

test("keys: none, a wrong one, a replaced one, and a merchant without card payments", async (t) => {
  const { send } = await startCompat(t);
  for (const key of [null, "sk_merchant_nobody", "sk_partner_1", "pk_live_1"]) {
    const answer = await send("GET", "/payment_intents", { key });
    assertRefused(answer, 401, { type: "invalid_request_error", code: undefined });
    assert.ok(key === null || !answer.text.includes(key));
  }
  assertRefused(await send("GET", "/payment_intents", { key: "sk_merchant_old" }), 401, { code: "api_key_expired" });
  assertRefused(await send("GET", "/payment_intents", { key: "sk_merchant_without" }), 403, { code: "account_invalid" });
  assertRefused(await send("GET", "/payment_intents", { key: "pk_merchant_shop" }), 403, { code: "secret_key_required" });
});

test("a request for another account is refused, never executed for the key's own", async (t) => {
  const { send, asked } = await startCompat(t);
  for (const name of ["Stripe-Account", "Stripe-Context"]) {
    const answer = await send("POST", "/payment_intents", { form: "amount=1&currency=eur", headers: { [name]: "acct_1" } });
    assertRefused(answer, 403, { type: "invalid_request_error", code: "account_invalid" });
  }
  assert.deepEqual(asked, []);
});

test("a page retrieves and confirms its payment with both secrets, in the query, the body or the header, and nothing else", async (t) => {
  const { send, said, records } = await startCompat(t);
  records.set(INTENT_ID, OPEN);
  said.confirm = { type: "confirmed", intent: OPEN };
  const path = `/payment_intents/${INTENT_ID}`;
  const proof = `key=pk_merchant_shop&client_secret=${CLIENT_SECRET}`;
  for (const answer of [
    await send("GET", `${path}?${proof}`, { key: null, headers: { origin: "https://shop.example" } }),
    await send("GET", `${path}?client_secret=${CLIENT_SECRET}`, { key: "pk_merchant_shop" }),
    await send("POST", CONFIRM, { key: null, form: `${proof}&return_url=https://shop.example/` }),
    await send("POST", CONFIRM, { key: "pk_merchant_shop", json: { client_secret: CLIENT_SECRET } }),
  ]) {
    assertMatches(answer, { status: 200, body: { id: INTENT_ID, status: "requires_action", metadata: undefined, customer: undefined } });
    assert.ok(!answer.text.includes("buyer@example.com"));
  }
  const missing = { code: "resource_missing", param: "intent" };
  for (const wrong of [`${CLIENT_SECRET}b`, CLIENT_SECRET.slice(0, -1), "x"]) {
    assertRefused(await send("GET", `${path}?key=pk_merchant_shop&client_secret=${wrong}`, { key: null }), 404, missing);
    assertRefused(await send("POST", CONFIRM, { key: null, form: `key=pk_merchant_shop&client_secret=${wrong}` }), 404, missing);
  }
  const other = `key=pk_merchant_other&client_secret=${CLIENT_SECRET}`;
  assertRefused(await send("GET", `${path}?${other}`, { key: null }), 404, missing);
  assertRefused(await send("GET", `${path}?key=pk_merchant_shop`, { key: null }), 403, { code: "secret_key_required" });
  assertRefused(await send("POST", CONFIRM, { key: "pk_merchant_shop", form: "" }), 403, { code: "secret_key_required" });
  assertRefused(await send("GET", path, { key: null }), 401, {});
  assertRefused(await send("GET", `${path}?key=pk_merchant_nobody&client_secret=${CLIENT_SECRET}`, { key: null }), 401, {});
  assertRefused(await send("GET", `${path}?key=pk_merchant_old&client_secret=${CLIENT_SECRET}`, { key: null }), 401, {
    code: "api_key_expired",
  });
  // A secret key in an address stands in logs everywhere.
  assertRefused(await send("GET", `${path}?key=sk_merchant_shop&client_secret=${CLIENT_SECRET}`, { key: null }), 401, {});
  const evil = await send("GET", `${path}?${proof}`, { key: null, headers: { origin: "https://evil.example" } });
  assertRefused(evil, 403, { code: "origin_not_allowed" });
  const without = `key=pk_merchant_without&client_secret=${CLIENT_SECRET}`;
  assertRefused(await send("GET", `${path}?${without}`, { key: null }), 403, { code: "account_invalid" });
});

test("what a page may not change needs the secret key", async (t) => {
  const { send, said, records, names } = await startCompat(t);
  records.set(INTENT_ID, intent());
  said.confirm = { type: "confirmed", intent: OPEN };
  const form = `key=pk_merchant_shop&client_secret=${CLIENT_SECRET}&capture_method=manual`;
  assertRefused(await send("POST", CONFIRM, { key: null, form }), 400, { code: "parameter_unknown", param: "capture_method" });
  assertRefused(await send("POST", CONFIRM, { key: null, form: `key=pk_merchant_shop&client_secret=${CLIENT_SECRET}&amount=1` }), 400, {
    param: "amount",
  });
  assert.ok(!names().includes("confirm"));
});

test("errors show a page no more of the payment than answers do", async (t) => {
  const { send, said, records } = await startCompat(t);
  records.set(INTENT_ID, PAID);
  said.confirm = { type: "unexpected", intent: PAID };
  const answer = await send("POST", CONFIRM, { key: null, form: `key=pk_merchant_shop&client_secret=${CLIENT_SECRET}` });
  assertRefused(answer, 400, { code: "payment_intent_unexpected_state", payment_intent: { id: INTENT_ID, status: "succeeded" } });
  for (const hidden of ["buyer@example.com", "cus_7", CHARGE_ID, "order_id"]) assert.ok(!answer.text.includes(hidden), hidden);
});

const DECLINED = intent({ attempts: [failedAttempt("GW_10002")] });

const OUTCOMES: readonly [what: string, said: Said, path: string, status: number, error: object, shouldRetry: string | null][] = [
  ...(["confirm", "cancel", "capture"] as const).flatMap((call): (typeof OUTCOMES)[number][] => [
    [
      `${call} in another status`,
      { [call]: { type: "unexpected", intent: PAID } },
      call,
      400,
      { type: "invalid_request_error", code: "payment_intent_unexpected_state", payment_intent: { id: INTENT_ID, status: "succeeded" } },
      null,
    ],
    [
      `${call} while an attempt is not settled`,
      { [call]: { type: "unsettled", intent: OPEN } },
      call,
      409,
      { type: "invalid_request_error", code: "lock_timeout" },
      "true",
    ],
    [
      `${call} that the gateway has not confirmed`,
      { [call]: { type: "unavailable", intent: OPEN } },
      call,
      503,
      { type: "api_error" },
      "true",
    ],
    [`${call} while the store is away`, { fails: UNAVAILABLE }, call, 503, { type: "api_error" }, "true"],
    [`${call} when the engine is full`, { fails: new RelayError("too_busy", "Too much") }, call, 503, { type: "api_error" }, "true"],
    [`${call} that breaks`, { fails: new Error("a secret detail") }, call, 500, { type: "api_error", message: "Internal error" }, null],
  ]),
  [
    "confirm that the gateway declines at once",
    { confirm: { type: "declined", intent: DECLINED } },
    "confirm",
    402,
    {
      ...{ type: "card_error", code: "card_declined", decline_code: "insufficient_funds", charge: CHARGE_ID },
      payment_intent: { status: "requires_payment_method", last_payment_error: { code: "card_declined" } },
    },
    null,
  ],
  [
    "confirm without a return address",
    { confirm: { type: "no_return_url", intent: OPEN } },
    "confirm",
    400,
    { code: "parameter_missing", param: "return_url" },
    null,
  ],
  [
    "confirm without an account at the gateway",
    { confirm: { type: "no_account", intent: OPEN } },
    "confirm",
    403,
    { code: "account_invalid" },
    null,
  ],
  [
    "cancel that the gateway refuses",
    { cancel: { type: "refused", intent: OPEN, description: "Reversal not possible" } },
    "cancel",
    400,
    { code: "payment_intent_unexpected_state", message: "Reversal not possible" },
    null,
  ],
  [
    "capture of what was captured",
    { capture: { type: "already_captured", intent: PAID } },
    "capture",
    400,
    { code: "charge_already_captured", payment_intent: { id: INTENT_ID } },
    null,
  ],
  [
    "capture of more than was authorized",
    { capture: { type: "too_much", intent: PAID } },
    "capture",
    400,
    { code: "amount_too_large", param: "amount_to_capture" },
    null,
  ],
  [
    "capture that the gateway refuses",
    { capture: { type: "refused", intent: PAID, description: "No" } },
    "capture",
    400,
    { code: "capture_unauthorized_payment", message: "No" },
    null,
  ],
];

for (const [what, outcome, call, status, error, shouldRetry] of OUTCOMES) {
  test(`${what} is ${status}`, async (t) => {
    const { send, said, records } = await startCompat(t);
    records.set(INTENT_ID, OPEN);
    Object.assign(said, outcome);
    const answer = await send("POST", `/payment_intents/${INTENT_ID}/${call}`, { form: "" });
    assertRefused(answer, status, error);
    assert.equal(answer.headers.get("stripe-should-retry"), shouldRetry);
    assert.ok(!answer.text.includes("secret detail"));
  });
}

const REFUNDED = refundedIntent("done");

const REFUSED_REFUNDS: readonly [what: string, said: Said["refund"], status: number, error: object][] = [
  [
    "of what was refunded",
    { type: "already_refunded", intent: REFUNDED },
    400,
    { code: "charge_already_refunded", payment_intent: { id: INTENT_ID } },
  ],
  ["of a part", { type: "partial", intent: PAID }, 400, { code: "charge_not_refundable", param: "amount" }],
  ["of more than was paid", { type: "too_much", intent: PAID }, 400, { code: "amount_too_large", param: "amount" }],
  ["of what was not paid", { type: "not_paid", intent: OPEN }, 400, { code: "charge_not_refundable", param: "payment_intent" }],
  [
    "that the gateway refuses",
    { type: "refused", intent: PAID, description: "Card 4242424242424242 is closed" },
    400,
    { code: "charge_not_refundable", message: "Card 424242******4242 is closed" },
  ],
  ["while an attempt is not settled", { type: "unsettled", intent: OPEN }, 409, { code: "lock_timeout" }],
];

for (const [what, outcome, status, error] of REFUSED_REFUNDS) {
  test(`a refund ${what} is ${status}`, async (t) => {
    const { send, said } = await startCompat(t);
    if (outcome !== undefined) said.refund = outcome;
    assertRefused(await send("POST", "/refunds", { form: `payment_intent=${INTENT_ID}` }), status, error);
  });
}

test("a refund is asked for by the intent or the charge, and answered as it stands", async (t) => {
  const { send, said, asked, records } = await startCompat(t);
  for (const state of ["done", "requested"] as const) {
    const record = refundedIntent(state);
    const [paid] = record.attempts;
    const [refund] = record.refunds;
    assert.ok(paid !== undefined && refund !== undefined);
    said.refund = { type: "refunded", intent: record, attempt: paid, refund };
    const form = "reason=requested_by_customer&metadata[a]=1&amount=1099&expand[]=payment_intent.latest_charge";
    const answer = await send("POST", "/refunds", { form: `charge=${CHARGE_ID}&${form}` });
    assertMatches(answer, {
      status: 200,
      body: { id: REFUND_ID, status: state === "done" ? "succeeded" : "pending", payment_intent: { latest_charge: { id: CHARGE_ID } } },
    });
    records.set(INTENT_ID, record);
  }
  assertMatches(asked[0]?.slice(1, 3), [
    { chargeId: CHARGE_ID },
    { amountMinor: 1_099, reason: "requested_by_customer", metadata: { a: "1" } },
  ]);
  assertMatches((await send("GET", `/refunds/${REFUND_ID}?expand[]=charge`)).body, { id: REFUND_ID, charge: { id: CHARGE_ID } });
  assertMatches((await send("GET", `/refunds?payment_intent=${INTENT_ID}`)).body, { object: "list", url: "/v1/refunds", data: [] });
  assertRefused(await send("POST", "/refunds", { form: `charge=${CHARGE_ID}&payment_intent=${INTENT_ID}` }), 400, { param: "charge" });
  assertRefused(await send("POST", "/refunds", { form: "" }), 400, { code: "parameter_missing", param: "payment_intent" });
  assertRefused(await send("POST", "/refunds", { form: `charge=${CHARGE_ID}&reverse_transfer=true` }), 400, { param: "reverse_transfer" });
});

test("an update changes only what it names, and metadata key by key", async (t) => {
  const { send, said, asked, records } = await startCompat(t);
  records.set(INTENT_ID, intent());
  const path = `/payment_intents/${INTENT_ID}`;
  const updated = await send("POST", path, { form: "metadata[colour]=red&description=&customer=" });
  assertMatches(updated.body, { metadata: { order_id: "7", colour: "red" }, description: null, customer: null, amount: 1_099 });
  assert.deepEqual(asked.find(([name]) => name === "update")?.[1], {
    ...{ metadata: { order_id: "7", colour: "red" }, description: null, customer: null },
  });
  assertMatches((await send("POST", path, { form: "metadata[order_id]=" })).body, { metadata: { colour: "red", order_id: undefined } });
  assert.deepEqual(Reflect.get(Object((await send("POST", path, { form: "metadata=" })).body), "metadata"), {});
  assertMatches((await send("POST", path, { json: { amount: 2_000, currency: "usd" } })).body, { amount: 2_000, currency: "usd" });
  assertRefused(await send("POST", path, { form: "currency=kwd&amount=2001" }), 400, {
    code: "parameter_invalid_integer",
    param: "amount",
  });
  said.update = { type: "unexpected", intent: OPEN };
  assertRefused(await send("POST", path, { form: "amount=5" }), 400, {
    code: "payment_intent_unexpected_state",
    payment_intent: { status: "requires_action" },
  });
});

test("a capture of a part, with metadata, is one of both", async (t) => {
  const { send, said, asked, names, records } = await startCompat(t);
  records.set(INTENT_ID, PAID);
  said.capture = { type: "captured", intent: PAID };
  const path = `/payment_intents/${INTENT_ID}/capture`;
  assertMatches(await send("POST", path, { form: "amount_to_capture=700&metadata[a]=1" }), { status: 200, body: { metadata: { a: "1" } } });
  assert.equal(asked.find(([name]) => name === "capture")?.[1], 700);
  const captures = names().filter((name) => name === "capture").length;
  const tooMany = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, "1"]));
  assertRefused(await send("POST", path, { json: { metadata: tooMany } }), 400, { param: "metadata" });
  assertRefused(await send("POST", path, { form: "final_capture=false" }), 400, { param: "final_capture" });
  assert.equal(names().filter((name) => name === "capture").length, captures, "no money moved");
});

test("lists are paged by limit and cursor, and their items expanded", async (t) => {
  const { send, records, asked } = await startCompat(t);
  for (const digit of ["a", "b", "c"]) {
    const id = `pi_${digit.repeat(24)}`;
    records.set(id, intent({ id, attempts: [paidAttempt({ chargeId: `ch_${digit.repeat(24)}` })] }));
  }
  const first = await send("GET", "/payment_intents?limit=2&expand[]=data.latest_charge.payment_intent&created[gte]=5");
  assertMatches(first.body, {
    ...{ object: "list", url: "/v1/payment_intents", has_more: true },
    data: [{ id: "pi_aaaaaaaaaaaaaaaaaaaaaaaa", latest_charge: { object: "charge", payment_intent: { object: "payment_intent" } } }, {}],
  });
  assert.deepEqual(asked[0]?.[1], { limit: 2, startingAfter: null, endingBefore: null, fromMs: 5_000, beforeMs: null });
  const rest = await send("GET", "/payment_intents?limit=2&starting_after=pi_bbbbbbbbbbbbbbbbbbbbbbbb");
  assertMatches(rest.body, { has_more: false, data: [{ id: "pi_cccccccccccccccccccccccc" }] });
  assertMatches((await send("GET", `/charges?payment_intent=${INTENT_ID}&limit=1`)).body, {
    ...{ url: "/v1/charges", has_more: true, data: [{ object: "charge" }] },
  });
  assertMatches(asked.at(-1)?.[1], { intentId: INTENT_ID });
  assertRefused(await send("GET", "/payment_intents?limit=101"), 400, { code: "parameter_invalid_integer", param: "limit" });
  assertRefused(await send("GET", "/payment_intents?expand[]=data.foo"), 400, { param: "expand" });
  assertRefused(await send("GET", "/payment_intents?customer=cus_1"), 400, { param: "customer" });
  assertMatches((await send("GET", `/charges/ch_${"a".repeat(24)}?expand[]=payment_intent`)).body, {
    payment_intent: { object: "payment_intent" },
  });
});

test("a webhook endpoint from its creation to its end", async (t) => {
  const { send, asked } = await startCompat(t);
  const created = await send("POST", "/webhook_endpoints", {
    form: "url=https://shop.example/webhook&enabled_events[]=payment_intent.succeeded&enabled_events[]=invoice.paid&enabled_events[]=invoice.paid&expand[]=&connect=false&metadata[a]=1",
    headers: { "stripe-version": "2026-03-25.dahlia" },
  });
  assertMatches(created, {
    status: 200,
    body: {
      ...{ object: "webhook_endpoint", secret: "whsec_c2VjcmV0", status: "enabled", api_version: "2026-03-25.dahlia" },
      ...{ enabled_events: ["payment_intent.succeeded", "invoice.paid"], metadata: { a: "1" } },
    },
  });
  assertMatches(asked[0]?.[2], { format: "platform", livemode: false, apiVersion: "2026-03-25.dahlia" });
  const { id } = webhookEndpoint();
  assertMatches(await send("GET", `/webhook_endpoints/${id}`), { status: 200, body: { id, secret: undefined } });
  assertMatches((await send("GET", "/webhook_endpoints?limit=3")).body, { object: "list", data: [{ id, secret: undefined }] });
  const changed = await send("POST", `/webhook_endpoints/${id}`, { form: "disabled=true&metadata[b]=2&enabled_events[]=*" });
  assertMatches(changed.body, { status: "disabled", metadata: { a: "1", b: "2" }, enabled_events: ["*"] });
  assert.deepEqual((await send("DELETE", `/webhook_endpoints/${id}`)).body, { id, object: "webhook_endpoint", deleted: true });
  assert.equal((await send("DELETE", `/webhook_endpoints/${id}`)).status, 404);
});

test("a webhook endpoint's secret is rolled, with a day of overlap unless another is asked for", async (t) => {
  const { send, asked } = await startCompat(t);
  const { id } = webhookEndpoint();
  const roll = (form?: string) => send("POST", `/webhook_endpoints/${id}/roll_secret`, form === undefined ? {} : { form });
  assertRefused(await roll(), 404, { code: "resource_missing", param: "webhook_endpoint" });
  await send("POST", "/webhook_endpoints", { form: "url=https://shop.example/&enabled_events[]=*" });
  asked.length = 0;
  assertMatches(await roll(), { status: 200, body: { id, object: "webhook_endpoint", secret: "whsec_cm9sbGVk" } });
  assertMatches(await roll("expires_in=0"), { status: 200 });
  assertMatches(await roll("expires_in=604800"), { status: 200 });
  assert.deepEqual(
    asked.map(([, , overlapMs]) => overlapMs),
    [86_400_000, 0, 604_800_000],
  );
  for (const wrong of ["604801", "-1", "soon"]) assertRefused(await roll(`expires_in=${wrong}`), 400, { param: "expires_in" });
});

test("a webhook endpoint names the version that it asks for, else the merchant's first one", async (t) => {
  const { send, asked } = await startCompat(t);
  const create = (form: string, headers: Record<string, string> = {}) =>
    send("POST", "/webhook_endpoints", { form: `url=https://shop.example/&enabled_events[]=*${form}`, headers });
  await create("", { "stripe-version": "2026-03-25.dahlia" });
  await create("", { "stripe-version": "2026-10-28.endive" });
  await create("&api_version=2026-07-29.dahlia");
  assert.deepEqual(
    asked.map((one) => Reflect.get(Object(one[2]), "apiVersion")),
    ["2026-03-25.dahlia", "2026-03-25.dahlia", "2026-07-29.dahlia"],
  );
  assertRefused(await create("&api_version=latest"), 400, { param: "api_version" });
});

test("a webhook endpoint is refused without an address that may be called, or without events", async (t) => {
  const { send, said } = await startCompat(t);
  const create = (form: string, key = "sk_merchant_shop") => send("POST", "/webhook_endpoints", { form, key });
  assertRefused(await create("enabled_events[]=*"), 400, { code: "parameter_missing", param: "url" });
  assertRefused(await create("url=ftp://a&enabled_events[]=*"), 400, { code: "url_invalid", param: "url" });
  assertRefused(await create("url=http://shop.example/&enabled_events[]=*", "sk_merchant_live"), 400, {
    code: "url_invalid",
    param: "url",
  });
  assertRefused(await create("url=https://shop.example/"), 400, { code: "parameter_missing", param: "enabled_events" });
  assertRefused(await create("url=https://shop.example/&enabled_events="), 400, {
    code: "parameter_invalid_empty",
    param: "enabled_events",
  });
  assertRefused(await create("url=https://shop.example/&enabled_events[]=Not+an+event"), 400, { param: "enabled_events[0]" });
  assertRefused(await create("url=https://shop.example/&enabled_events[]=*&connect=true"), 400, { param: "connect" });
  said.fails = new RelayError("invalid_request", "url: is in a local network");
  assertRefused(await create("url=https://10.0.0.1/&enabled_events[]=*"), 400, { code: "url_invalid", param: "url" });
});

test("events are listed by their types, shown with the reader's version, and sent again", async (t) => {
  const { send, events, asked } = await startCompat(t);
  const { id } = event();
  events.set(id, { event: event(), pending: 2 });
  const headers = { "stripe-version": "2026-07-29.dahlia" };
  assertMatches((await send("GET", `/events/${id}`, { headers })).body, {
    ...{ id, object: "event", api_version: "2026-07-29.dahlia", pending_webhooks: 2, data: { object: { id: INTENT_ID } } },
  });
  const typesFor = async (query: string) => {
    assertMatches(await send("GET", `/events?${query}`), { status: 200, body: { object: "list", data: [{ id }] } });
    return Reflect.get(Object(asked.at(-1)?.[1]), "types");
  };
  assert.equal(await typesFor(""), null);
  assert.deepEqual(await typesFor("type=charge.failed"), ["charge.failed"]);
  assert.deepEqual(await typesFor("type=refund.*"), ["refund.created", "refund.updated", "refund.failed"]);
  assert.deepEqual(await typesFor("types[]=charge.failed&types[]=charge.refunded"), ["charge.failed", "charge.refunded"]);
  assertRefused(await send("GET", "/events?type=a&types[]=b"), 400, { param: "types" });
  assertRefused(await send("GET", "/events?delivery_success=false"), 400, { param: "delivery_success" });
  assertMatches(await send("POST", `/events/${id}/retry`, { form: "webhook_endpoint=we_1" }), { status: 200, body: { id } });
  assert.deepEqual(asked.at(-1), ["retry", id, "we_1"]);
});

test("a key's account is always the same, and another merchant's is another", async (t) => {
  const { send } = await startCompat(t);
  const idOf = async (key: string) => {
    const { status, body } = await send("GET", "/account", { key });
    assertMatches({ status, body }, { status: 200, body: { object: "account", id: /^acct_[a-z0-9]{16}$/, charges_enabled: true } });
    return Reflect.get(Object(body), "id");
  };
  assert.equal(await idOf("sk_merchant_shop"), await idOf("sk_merchant_shop"));
  assert.notEqual(await idOf("sk_merchant_shop"), await idOf("sk_merchant_other"));
});

test("the version is answered in both headers: the request's, else the merchant's first one", async (t) => {
  const { send, pins } = await startCompat(t);
  const versions = ({ headers }: Answer) => [headers.get("stripe-version"), headers.get("platform-version")];
  const list = (headers: Record<string, string> = {}) => send("GET", "/events", { headers });
  assert.deepEqual(versions(await list()), ["2026-10-28.endive", "2026-10-28.endive"]);
  assert.deepEqual(versions(await list({ "platform-version": "2025-01-01" })), ["2025-01-01", "2025-01-01"]);
  assert.equal(pins.get("SHOP-001"), "2025-01-01");
  assert.deepEqual(versions(await list({ "stripe-version": "2026-03-25.dahlia; feature=v1" })), ["2026-03-25.dahlia", "2026-03-25.dahlia"]);
  assert.deepEqual(versions(await list()), ["2025-01-01", "2025-01-01"]);
  assert.deepEqual(versions(await send("GET", "/nothing", { headers: { "stripe-version": "2025-01-01" } })), ["2025-01-01", "2025-01-01"]);
  for (const malformed of ["latest", "2026-10-28.", "2026-10-28.endive; rm", "x".repeat(300)]) {
    const answer = await list({ "stripe-version": malformed });
    assertRefused(answer, 400, { type: "invalid_request_error" });
    assert.deepEqual(versions(answer), [null, null]);
  }
  assert.equal((await list({ "stripe-version": "2025-01-01", "platform-version": "2026-03-25.dahlia" })).status, 400);
});

test("a merchant beyond its limit is told when to come again, and not to do so at once", async (t) => {
  const { send } = await startCompat(t);
  const key = "sk_merchant_slow";
  for (const _ of [1, 2]) assert.equal((await send("GET", "/events", { key })).status, 200);
  const answer = await send("GET", "/events", { key });
  assertRefused(answer, 429, { type: "invalid_request_error", code: "rate_limit" });
  assertMatches(Object.fromEntries(answer.headers), {
    ...{ "stripe-should-retry": "false", "retry-after": /^\d\d$/, "ratelimit-limit": "2", "ratelimit-remaining": "0" },
  });
});

test("a page is limited apart from its merchant, by its address and payment", async (t) => {
  const { send, records } = await startCompat(t);
  records.set(INTENT_ID, OPEN);
  const path = `/payment_intents/${INTENT_ID}?client_secret=${CLIENT_SECRET}`;
  for (let calls = 0; calls < 60; calls += 1) assert.equal((await send("GET", path, { key: "pk_merchant_shop" })).status, 200);
  assertRefused(await send("GET", path, { key: "pk_merchant_shop" }), 429, { code: "rate_limit" });
  assert.equal((await send("GET", path)).status, 200);
});

const KEY = { "idempotency-key": "order-7" };

test("the same request with the same key is answered again, and not executed again", async (t) => {
  const { send, names } = await startCompat(t);
  const first = await send("POST", "/payment_intents", { form: "amount=1099&currency=eur", headers: KEY });
  const again = await send("POST", "/payment_intents", { json: { currency: "eur", amount: 1_099 }, headers: KEY });
  assert.deepEqual([again.status, again.text], [200, first.text]);
  assert.deepEqual(names(), ["create"]);
  assertMatches(Object.fromEntries(again.headers), {
    ...{ "idempotent-replayed": "true", "original-request": first.headers.get("request-id"), "idempotency-key": "order-7" },
  });
  assert.notEqual(again.headers.get("request-id"), first.headers.get("request-id"));
  for (const path of ["/payment_intents", "/refunds"]) {
    const other = await send("POST", path, { form: "amount=5&currency=eur", headers: KEY });
    assertRefused(other, 400, { type: "idempotency_error" });
  }
  assert.equal(
    (await send("POST", "/payment_intents", { form: "amount=5&currency=eur", headers: KEY, key: "sk_merchant_live" })).status,
    200,
  );
});

test("refusals by state stand, those by parameters and by what is unknown do not", async (t) => {
  const { send, said, records, names } = await startCompat(t);
  records.set(INTENT_ID, OPEN);
  const confirm = () => send("POST", CONFIRM, { form: "", headers: KEY });
  said.confirm = { type: "unavailable", intent: OPEN };
  assert.equal((await confirm()).status, 503);
  said.confirm = { type: "unsettled", intent: OPEN };
  assert.equal((await confirm()).status, 409);
  said.confirm = { type: "no_return_url", intent: OPEN };
  assert.equal((await confirm()).status, 400);
  said.confirm = { type: "declined", intent: DECLINED };
  const declined = await confirm();
  assert.equal(declined.status, 402);
  said.confirm = { type: "confirmed", intent: OPEN };
  const replayed = await confirm();
  assert.deepEqual([replayed.status, replayed.text, replayed.headers.get("idempotent-replayed")], [402, declined.text, "true"]);
  assert.equal(names().filter((name) => name === "confirm").length, 4);
});

test("a request that was not confirmed goes on under the same operation", async (t) => {
  const { send, said, records, asked } = await startCompat(t);
  records.set(INTENT_ID, PAID);
  const cancel = () => send("POST", `/payment_intents/${INTENT_ID}/cancel`, { form: "cancellation_reason=duplicate", headers: KEY });
  said.cancel = { type: "unavailable", intent: PAID };
  assert.equal((await cancel()).status, 503);
  said.cancel = { type: "canceled", intent: intent({ cancellation: { reason: "duplicate", requestedAtMs: 1, canceledAtMs: 2 } }) };
  assertMatches(await cancel(), { status: 200, body: { status: "canceled", cancellation_reason: "duplicate" } });
  const [one, other] = asked.map((given) => Reflect.get(Object(given[2]), "id"));
  assert.equal(one, other);
});
