import assert from "node:assert/strict";
import { test } from "node:test";
import { assertMatches } from "../../../support/http/matches.ts";
import { CHARGE_ID, CLIENT_SECRET, INTENT_ID, intent, OPEN, PAID } from "./records.ts";
import { assertRefused, CONFIRM, startCompat } from "./world.ts";

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

test("a page's wrong key and its wrong secret are told alike whatever else is right, and never repeated", async (t) => {
  const { send, names, records } = await startCompat(t);
  records.set(INTENT_ID, OPEN);
  const path = `/payment_intents/${INTENT_ID}`;
  const missing = "/payment_intents/pi_zzzzzzzzzzzzzzzzzzzzzzzz";
  const [right, guess] = ["pk_merchant_shop", "pk_merchant_gu3ssed"];
  const wrong = `${CLIENT_SECRET.slice(0, -1)}z`;
  const call = (at: string, key: string, secret: string) => {
    const members = `key=${key}&client_secret=${secret}`;
    return Promise.all([send("GET", `${at}?${members}`, { key: null }), send("POST", `${at}/confirm`, { form: members, key: null })]);
  };
  // Nothing of the payment is looked at for a wrong key, so that it cannot tell whether there is one, or whether the secret was right.
  for (const [at, secret] of [
    [path, CLIENT_SECRET],
    [path, wrong],
    [missing, wrong],
  ] as const) {
    for (const answer of await call(at, guess, secret)) {
      assertRefused(answer, 401, { type: "invalid_request_error", message: "Invalid API key provided." });
      assert.doesNotMatch(answer.text + JSON.stringify([...answer.headers]), /gu3ssed|_secret_/);
    }
  }
  assert.deepEqual(names(), []);
  // One read each, whether it is there or not.
  for (const [at, secret] of [
    [path, wrong],
    [path, `${missing.slice(-27)}_secret_x`],
    [missing, CLIENT_SECRET],
    [missing, wrong],
  ] as const) {
    for (const answer of await call(at, right, secret)) {
      assertRefused(answer, 404, { code: "resource_missing", param: "intent", message: `No such payment_intent: '${at.slice(-27)}'` });
      assert.doesNotMatch(answer.text + JSON.stringify([...answer.headers]), /_secret_/);
    }
  }
  assert.deepEqual(names(), new Array(8).fill("find"));
});

test("what a page may not change needs the secret key", async (t) => {
  const { send, said, records, names } = await startCompat(t);
  records.set(INTENT_ID, intent());
  said.confirm = { type: "confirmed", intent: OPEN };
  for (const [param, member] of [
    ["capture_method", "capture_method=manual"],
    ["payment_method_options[card][capture_method]", "payment_method_options[card][capture_method]=manual"],
    ["payment_method_types", "payment_method_types[]=card&payment_method_types[]=anything"],
  ]) {
    const form = `key=pk_merchant_shop&client_secret=${CLIENT_SECRET}&${member}`;
    assertRefused(await send("POST", CONFIRM, { key: null, form }), 400, { code: "parameter_unknown", param });
  }
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

test("a page is limited apart from its merchant, by its address and payment", async (t) => {
  const { send, records } = await startCompat(t);
  records.set(INTENT_ID, OPEN);
  const path = `/payment_intents/${INTENT_ID}?client_secret=${CLIENT_SECRET}`;
  for (let calls = 0; calls < 60; calls += 1) assert.equal((await send("GET", path, { key: "pk_merchant_shop" })).status, 200);
  assertRefused(await send("GET", path, { key: "pk_merchant_shop" }), 429, { code: "rate_limit" });
  assert.equal((await send("GET", path)).status, 200);
});
