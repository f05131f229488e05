import assert from "node:assert/strict";
import { test } from "node:test";
import { assertMatches } from "../../../support/http/matches.ts";
import { CLIENT_SECRET, DECLINED, INTENT_ID, intent, OPEN, PAID } from "./records.ts";
import { type Answer, assertRefused, CONFIRM, startCompat, UNAVAILABLE } from "./world.ts";

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

test("a stored answer has the headers of the request that it answers now, each once", async (t) => {
  const { send, names, said, records } = await startCompat(t);
  const create = (version?: string) =>
    send("POST", "/payment_intents", {
      form: "amount=1099&currency=eur",
      headers: { ...KEY, ...(version === undefined ? {} : { "stripe-version": version }) },
    });
  const first = await create();
  const shown = ({ headers }: Answer) => [headers.get("stripe-version"), headers.get("platform-version"), headers.get("idempotency-key")];
  assert.deepEqual(shown(first), ["2026-10-28.endive", "2026-10-28.endive", "order-7"]);
  const ids = new Set([first.headers.get("request-id")]);
  // By one that names a version, by another, and by one that names none, which has the merchant's default.
  for (const [named, answered] of [
    ["2025-01-01", "2025-01-01"],
    ["2026-03-25.dahlia", "2026-03-25.dahlia"],
    [undefined, "2026-10-28.endive"],
  ] as const) {
    const again = await create(named);
    // Fetch joins a header that came twice.
    assert.deepEqual(shown(again), [answered, answered, "order-7"]);
    assertMatches(Object.fromEntries(again.headers), {
      ...{ "idempotent-replayed": "true", "original-request": first.headers.get("request-id") },
    });
    ids.add(again.headers.get("request-id"));
  }
  assert.equal(ids.size, 4);
  assert.deepEqual(names(), ["create"]);
  // The same for a refusal that is stored.
  records.set(INTENT_ID, PAID);
  said.cancel = { type: "unexpected", intent: PAID };
  const cancel = (headers: Record<string, string>) => send("POST", `/payment_intents/${INTENT_ID}/cancel`, { form: "", headers });
  const refused = await cancel({ "idempotency-key": "k" });
  const again = await cancel({ "idempotency-key": "k", "stripe-version": "2024-06-20" });
  assert.deepEqual([refused.status, again.status, again.text], [400, 400, refused.text]);
  assert.deepEqual(shown(again), ["2024-06-20", "2024-06-20", "k"]);
  assertMatches(Object.fromEntries(again.headers), {
    ...{ "idempotent-replayed": "true", "original-request": refused.headers.get("request-id") },
  });
  assert.notEqual(again.headers.get("request-id"), refused.headers.get("request-id"));
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

test("a request that was mistaken leaves its key to a corrected one, and one whose end is open does not", async (t) => {
  const { send, said, asked } = await startCompat(t);
  const create = (form: string) => send("POST", "/payment_intents", { form, headers: KEY });
  assertRefused(await create("amount=x&currency=eur"), 400, { param: "amount" });
  assertRefused(await send("POST", CONFIRM, { form: "", headers: KEY }), 404, { code: "resource_missing" });
  said.fails = UNAVAILABLE;
  assertRefused(await create("amount=1099&currency=eur"), 503, { type: "api_error" });
  // What was begun under the key may have happened.
  assertRefused(await create("amount=x&currency=eur"), 400, { type: "idempotency_error" });
  delete said.fails;
  assert.equal((await create("amount=1099&currency=eur")).status, 200);
  const operations = asked.filter(([name]) => name === "create").map((one) => Reflect.get(Object(one.at(-1)), "id"));
  assert.equal(operations[0], operations[1]);
});

test("nothing is kept or counted for a page that does not know the payment's secret", async (t) => {
  const { send, records, said, idempotencyClaims } = await startCompat(t);
  records.set(INTENT_ID, OPEN);
  said.confirm = { type: "confirmed", intent: OPEN };
  const confirm = (secret: string) =>
    send("POST", CONFIRM, { key: null, form: `key=pk_merchant_shop&client_secret=${secret}`, headers: KEY });
  // More than a page may ask in a minute.
  for (let calls = 0; calls < 61; calls += 1) assert.equal((await confirm("x")).status, 404);
  assert.deepEqual(await idempotencyClaims(), []);
  assert.equal((await confirm(CLIENT_SECRET)).status, 200);
  assert.equal((await idempotencyClaims()).length, 1);
});

test("what is kept of an answer is sealed, for its secrets and the buyer's address", async (t) => {
  const { send, said, records, idempotencyClaims } = await startCompat(t);
  const form = "amount=1&currency=eur&receipt_email=buyer@example.com";
  assert.equal((await send("POST", "/payment_intents", { form, headers: KEY })).status, 200);
  records.set(INTENT_ID, PAID);
  said.confirm = { type: "unexpected", intent: PAID };
  const refused = await send("POST", CONFIRM, { form: "", headers: { "idempotency-key": "order-8" } });
  assertRefused(refused, 400, { payment_intent: { client_secret: CLIENT_SECRET } });
  const claims = await idempotencyClaims();
  assert.equal(claims.length, 2);
  for (const claim of claims) assert.ok(!claim.includes(CLIENT_SECRET) && !claim.includes("buyer@example.com"), claim);
  assert.equal((await send("POST", CONFIRM, { form: "", headers: { "idempotency-key": "order-8" } })).text, refused.text);
});

test("a key that holds a card number is masked in the events of its request", async (t) => {
  const { send, asked } = await startCompat(t);
  await send("POST", "/payment_intents", { form: "amount=1&currency=eur", headers: { "idempotency-key": "4242424242424242" } });
  assertMatches(asked[0]?.at(-1), { idempotencyKey: "424242******4242" });
});
