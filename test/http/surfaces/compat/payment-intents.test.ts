import assert from "node:assert/strict";
import { test } from "node:test";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { assertMatches } from "../../../support/http/matches.ts";
import { CHARGE_ID, CLIENT_SECRET, DECLINED, INTENT_ID, intent, OPEN, PAID, paidAttempt } from "./records.ts";
import { assertRefused, CONFIRM, type Said, startCompat, UNAVAILABLE } from "./world.ts";

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

const JSON_TYPE = "application/json";

test("what would be read twice, or not at all, is refused", async (t) => {
  const { send, asked } = await startCompat(t);
  const cases: [string, { form: string; type?: string; query?: string }, RegExp][] = [
    ["a form", { form: "amount=100&amount=99900&currency=eur" }, /^amount: is given more than once/],
    ["a form, encoded", { form: "amount=100&%61mount=99900&currency=eur" }, /^amount: is given more than once/],
    ["a form, within", { form: "amount=100&currency=eur&metadata[a]=1&metadata[a]=2" }, /^metadata\[a\]: is given more than once/],
    ["a form, as a list too", { form: "amount=100&amount[]=99900&currency=eur" }, /^amount\[\]: is given in two forms/],
    ["JSON", { type: JSON_TYPE, form: '{"amount":100,"amount":99900,"currency":"eur"}' }, /^amount: is given more than once/],
    [
      "JSON, within",
      { type: JSON_TYPE, form: '{"amount":100,"currency":"eur","metadata":{"a":"1","a":"2"}}' },
      /^a: is given more than once/,
    ],
    ["a query", { form: "amount=100&currency=eur", query: "?capture_method=manual" }, /^capture_method: is not a query member/],
  ];
  for (const [what, { query = "", form, type }, message] of cases) {
    const headers = type === undefined ? {} : { "content-type": type };
    const answer = await send("POST", `/payment_intents${query}`, { form, headers });
    assertRefused(answer, 400, { type: "invalid_request_error" });
    assertMatches(answer.body, { error: { message } }, what);
  }
  assert.deepEqual(asked, []);
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
    "amount=1&currency=eur&confirm=true&return_url=",
    "amount=1&currency=eur&confirm=true&return_url=x",
    "amount=1&currency=eur&expand[]=foo",
  ]) {
    assert.equal((await send("POST", "/payment_intents", { form })).status, 400);
  }
  assert.deepEqual(asked, []);
});

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

test("an update changes only what it names, and metadata key by key", async (t) => {
  const { send, said, asked, records } = await startCompat(t);
  records.set(INTENT_ID, intent());
  const path = `/payment_intents/${INTENT_ID}`;
  const updated = await send("POST", path, { form: "metadata[colour]=red&description=&customer=" });
  assertMatches(updated.body, { metadata: { order_id: "7", colour: "red" }, description: null, customer: null, amount: 1_099 });
  assert.deepEqual(asked.find(([name]) => name === "update")?.[1], {
    // Only what it names, so that another change at the same time is not undone.
    ...{ metadata: { colour: "red" }, description: null, customer: null },
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
  assertMatches(await send("POST", path, { form: "amount_to_capture=700&metadata[a]=1" }), { status: 200, body: { id: INTENT_ID } });
  const [, amountMinor, , metadata] = asked.find(([name]) => name === "capture") ?? [];
  assert.deepEqual([amountMinor, metadata], [700, { a: "1" }]);
  assert.ok(!names().includes("update"), "in one step");
  const captures = names().filter((name) => name === "capture").length;
  assertRefused(await send("POST", path, { form: "final_capture=false" }), 400, { param: "final_capture" });
  assert.equal(names().filter((name) => name === "capture").length, captures, "no money moved");
});

test("buyers return to an app where the merchant has registered its scheme, and to no other address that is not of the web", async (t) => {
  const { send, said, asked, records } = await startCompat(t);
  const create = (url: string, key = "sk_merchant_app") =>
    send("POST", "/payment_intents", { json: { amount: 1, currency: "eur", return_url: url }, key });
  for (const url of ["myapp://back", "MyApp://back?order=7#done", "com.example.shop:///back", "https://shop.example/"]) {
    assertMatches(await create(url), { status: 200, body: { id: INTENT_ID } });
    assertMatches(asked.at(-1)?.[1], { returnUrl: url });
  }
  const refused = { code: "url_invalid", param: "return_url" };
  for (const scheme of [
    "http",
    "otherapp",
    "javascript",
    "data",
    "file",
    "blob",
    "intent",
    "about",
    "JavaScript",
    "vbscript",
    "ms-settings",
    "tel",
  ]) {
    assertRefused(await create(`${scheme}://back`), 400, refused);
  }
  for (const url of [
    "myapp:back",
    "myapp:/back",
    "myapp://",
    "myapp://user:secret@back",
    "myapp://back\n",
    "my app://back",
    "myapp.evil://back",
  ]) {
    assertRefused(await create(url), 400, refused);
  }
  assertRefused(await create("myapp://back", "sk_merchant_shop"), 400, refused);
  assertRefused(await create("otherapp://back"), 400, { ...refused, message: /registered in the merchant's portal/ });

  const before = intent();
  records.set(INTENT_ID, { ...before, livemode: true });
  assertMatches(await send("POST", `/payment_intents/${INTENT_ID}`, { form: "return_url=myapp://again", key: "sk_merchant_app" }), {
    ...{ status: 200, body: { id: INTENT_ID } },
  });
  said.confirm = { type: "confirmed", intent: { ...OPEN, livemode: true } };
  const byPage = `key=pk_merchant_app&client_secret=${before.clientSecret}&return_url=`;
  assert.equal((await send("POST", CONFIRM, { form: `${byPage}myapp://back`, key: null })).status, 200);
  assertRefused(await send("POST", CONFIRM, { form: `${byPage}com.example.shop://back`, key: null }), 400, refused);
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
