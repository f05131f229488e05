import assert from "node:assert/strict";
import { test } from "node:test";
import { assertMatches } from "../../../support/http/matches.ts";
import { CHARGE_ID, INTENT_ID, PAID } from "./records.ts";
import { type Answer, assertRefused, CONFIRM, startCompat } from "./world.ts";

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

test("another merchant's payment, and one of the other environment, are not there", async (t) => {
  const { send, records } = await startCompat(t);
  records.set(INTENT_ID, PAID);
  assert.equal((await send("GET", `/payment_intents/${INTENT_ID}`)).status, 200);
  for (const key of ["sk_merchant_other", "sk_merchant_live"]) {
    assertRefused(await send("GET", `/payment_intents/${INTENT_ID}`, { key }), 404, { code: "resource_missing", param: "intent" });
    assertRefused(await send("GET", `/charges/${CHARGE_ID}`, { key }), 404, { code: "resource_missing" });
  }
});

test("a request for another account is refused, never executed for the key's own", async (t) => {
  const { send, asked } = await startCompat(t);
  for (const name of ["Stripe-Account", "Stripe-Context"]) {
    const answer = await send("POST", "/payment_intents", { form: "amount=1&currency=eur", headers: { [name]: "acct_1" } });
    assertRefused(answer, 403, { type: "invalid_request_error", code: "account_invalid" });
  }
  assert.deepEqual(asked, []);
});

test("an address from which too many keys were none waits, but for a key that was right, and good answers say nothing of it", async (t) => {
  const { send, lookedUp, clock } = await startCompat(t);
  const good = await send("GET", "/events");
  assert.equal(good.status, 200);
  assert.deepEqual(
    [...good.headers.keys()].filter((name) => name.startsWith("ratelimit")),
    [],
  );
  const guess = (n: number) =>
    n % 2 === 0
      ? send("GET", "/events", { key: `sk_merchant_guess${n}` })
      : send("GET", `/payment_intents/${INTENT_ID}?key=pk_merchant_guess${n}&client_secret=x`, { key: null });
  for (let n = 0; n < 20; n += 1) assertRefused(await guess(n), 401, {});
  const looked = lookedUp.length;
  for (const n of [20, 21]) {
    const held = await guess(n);
    assertRefused(held, 429, { type: "invalid_request_error", code: "rate_limit" });
    assert.equal(held.headers.get("retry-after"), "1");
    assert.doesNotMatch(held.text, /guess/);
  }
  assert.equal(lookedUp.length, looked, "nothing was read");
  assert.equal((await send("GET", "/events")).status, 200);
  assert.equal((await send("GET", "/events", { key: "sk_merchant_other" })).status, 429, "not known to be right yet");
  clock.advance(1_000);
  assert.equal((await send("GET", "/events", { key: "sk_merchant_other" })).status, 200);
  assertRefused(await guess(22), 401, {});
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

test("the version is answered in both headers: the request's, else the merchant's default, which no request changes", async (t) => {
  const { send, defaultVersions } = await startCompat(t);
  const versions = ({ headers }: Answer) => [headers.get("stripe-version"), headers.get("platform-version")];
  const list = (headers: Record<string, string> = {}) => send("GET", "/events", { headers });
  assert.deepEqual(versions(await list()), ["2026-10-28.endive", "2026-10-28.endive"]);
  assert.deepEqual(versions(await list({ "platform-version": "2025-01-01" })), ["2025-01-01", "2025-01-01"]);
  assert.deepEqual(versions(await list({ "stripe-version": "2026-03-25.dahlia; feature=v1" })), ["2026-03-25.dahlia", "2026-03-25.dahlia"]);
  assert.deepEqual(versions(await list()), ["2026-10-28.endive", "2026-10-28.endive"]);
  defaultVersions.set("SHOP-001", "2025-02-02");
  assert.deepEqual(versions(await list()), ["2025-02-02", "2025-02-02"]);
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

test("a key of the environment that the merchant is not in reads, and moves no money but on an account that is kept for it", async (t) => {
  const { send, records, said, asked } = await startCompat(t);
  records.set(INTENT_ID, PAID);
  const key = "sk_merchant_moved";
  const moves = [
    ["/payment_intents", "amount=1&currency=eur"],
    [`/payment_intents/${INTENT_ID}/capture`, ""],
    ["/refunds", `payment_intent=${INTENT_ID}`],
    ["/refunds", `charge=${CHARGE_ID}`],
  ] as const;
  for (const [path, form] of moves) {
    assertRefused(await send("POST", path, { key, form }), 409, { type: "invalid_request_error", code: "other_environment" });
  }
  said.confirm = { type: "other_environment", intent: PAID };
  assertRefused(await send("POST", CONFIRM, { key, form: "" }), 409, { code: "other_environment" });
  const done = new Set(asked.map(([name]) => name));
  for (const name of ["create", "capture", "refund"]) assert.ok(!done.has(name), name);
  assert.equal((await send("GET", `/payment_intents/${INTENT_ID}`, { key })).status, 200);
  assert.equal((await send("GET", `/charges/${CHARGE_ID}`, { key })).status, 200);
  said.isKept = true;
  for (const [path, form] of moves) assert.notEqual((await send("POST", path, { key, form })).status, 409, path);
});
