import assert from "node:assert/strict";
import { test } from "node:test";
import { assertMatches } from "../../../support/http/matches.ts";
import { CLIENT_SECRET } from "./records.ts";
import { assertRefused, startCompat } from "./world.ts";

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
  const { send, url } = await startCompat(t);
  // Clients that get another envelope take the error for one of OAuth, without its message.
  const newer = await fetch(`${url}/v2/core/events`);
  assert.deepEqual(await newer.json(), {
    error: { type: "invalid_request_error", message: "Unrecognized request URL (GET: /v2/core/events)." },
  });
  assertMatches([newer.status, newer.headers.get("request-id")], [404, /^req_[a-z0-9]{24}$/]);
  assertRefused(await send("GET", "/customers/cus_1"), 404, {
    type: "invalid_request_error",
    message: "Unrecognized request URL (GET: /v1/customers/cus_1).",
  });
  // The platform's searches stand where an id does.
  for (const path of ["/payment_intents/search", "/charges/search", "/refunds/search"]) {
    for (const [method, query] of [
      ["GET", "?query=status:'succeeded'"],
      ["GET", ""],
      ["POST", ""],
    ] as const) {
      assertRefused(await send(method, path + query, method === "POST" ? { form: "" } : {}), 404, {
        ...{ type: "invalid_request_error", code: undefined, message: `Unrecognized request URL (${method}: /v1${path}).` },
      });
    }
  }
  assertRefused(await send("GET", "/payment_intents/searches"), 404, { code: "resource_missing" });
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

test("no error quotes a key or a client secret that stands in an address", async (t) => {
  const { send } = await startCompat(t);
  for (const path of [
    `/payment_intents/${CLIENT_SECRET}`,
    "/charges/sk_merchant_shop",
    "/tokens/sk_merchant_shop",
    "/tokens/whsec_c2VjcmV0",
    `/sources?starting_after=x/${CLIENT_SECRET}`,
    `/sources/${CLIENT_SECRET}/x`,
  ]) {
    const { status, text } = await send("GET", path);
    assert.equal(status, 404, path);
    for (const secret of ["bbbbbbbbbbbb", "sk_merchant_shop", "c2VjcmV0"]) assert.ok(!text.includes(secret), text);
  }
});
