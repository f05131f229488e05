/** A surface for merchants over real sockets: forms, keys, its own errors and headers, pages of any origin. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "@sinclair/typebox";
import type { MerchantGrant } from "../../../engine/access/merchant-grant.ts";
import { createExecuteOnce } from "../../../engine/idempotency/execute-once.ts";
import { createIdempotencyStore } from "../../../engine/idempotency/idempotency-store.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { createMinuteCounts } from "../../../engine/kernel/minute-counts.ts";
import { createMerchantCalls, type MerchantCalls } from "../../../engine/partners/merchant-calls.ts";
import { createAuthenticator } from "../../../http/auth/authenticator.ts";
import type { CredentialSource } from "../../../http/auth/credential-source.ts";
import { type BoundEndpoint, bind } from "../../../http/endpoint/endpoint.ts";
import { type ErrorEnvelope, USUAL_STATUS } from "../../../http/endpoint/error-envelope.ts";
import { formOf } from "../../../http/endpoint/form-body.ts";
import { idempotent } from "../../../http/endpoint/idempotency.ts";
import { buildOpenApi } from "../../../http/endpoint/openapi.ts";
import { surface } from "../../../http/endpoint/surface.ts";
import { compatIdempotency } from "../../../http/surfaces/compat/idempotency-policy.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import { ManualClock } from "../../engine/world.ts";
import { rawClient } from "./raw-client.ts";
import { envelope, monotonicMs, startWorld } from "./world.ts";

/** An error with more than the usual codes say. */
class ShopError extends RelayError {
  readonly status: number;
  readonly reason: string;
  readonly stands: boolean;

  constructor(status: number, reason: string, stands = false) {
    super(status === 503 ? "unavailable" : "invalid_request", `This is ${reason}`);
    this.status = status;
    this.reason = reason;
    this.stands = stands;
  }
}

const shopEnvelope = {
  schema: Type.Object({ error: Type.Unknown() }, { title: "ShopError" }),
  status: USUAL_STATUS,
  body: (code, message) => ({ error: { code, message } }),
  answer: (error, requestId) => {
    const own = error instanceof ShopError ? error : null;
    const status = own?.status ?? USUAL_STATUS[error.code];
    return {
      status,
      body: { error: { code: own?.reason ?? error.detail ?? error.code, message: error.message, request: `req_${requestId}` } },
      ...(status >= 500 ? { headers: { "X-Retry": "true" } } : {}),
    };
  },
} satisfies ErrorEnvelope;

interface ShopOperations {
  calls: MerchantCalls;
  run(operationId: string, what: string): Promise<void>;
}

const shop = surface<ShopOperations>()({
  name: "shop",
  tags: ["Shop"],
  envelope: shopEnvelope,
  headersOf: (header, requestId) => ({
    "Request-Id": `req_${requestId}`,
    "X-Version": header("x-version") || "1",
    ...(header("idempotency-key") === "" ? {} : { "Idempotency-Key": header("idempotency-key") }),
    "X-Odd": "a\r\nb",
  }),
  idempotency: compatIdempotency({
    isFinal: (error) => error instanceof ShopError && error.stands,
    frees: () => false,
    differs: () => new ShopError(400, "idempotency_error"),
    running: () => new ShopError(409, "idempotency_key_in_use"),
    requestIdOf: (requestId) => `req_${requestId}`,
  }),
  admit: async ({ calls }, { caller }) => {
    if (caller.type === "merchantKey" && caller.merchant.kind === "secret") await calls.admitMerchant(caller.merchant);
  },
});

const Anything = Type.Unknown();
const FORM = { bodyFormat: "form or JSON", queryFormat: "bracketed" } as const;
const Id = Type.Object({ id: Type.String() });
const Query = Type.Object({ expand: Type.Optional(Type.String()) });
const answered = { 200: { description: "What came.", body: Anything } };

const shopEndpoints = [
  shop.endpoint({
    name: "create",
    method: "POST",
    path: "/v1/things",
    summary: "Creates",
    auth: "merchantKey",
    idempotency: "plain",
    ...FORM,
    body: Type.Object({ amount: Type.Integer() }),
    query: Query,
    responses: answered,
    handle: async ({ run }, { body, query, caller, operationId }) => {
      const { what = "" } = formOf(body);
      await run(operationId, String(what));
      return { status: 200, body: { body, query, caller, operationId } };
    },
  }),
  shop.endpoint({
    name: "createOther",
    method: "POST",
    path: "/v1/things/{id}",
    summary: "Creates another",
    auth: "merchantKey",
    idempotency: "plain",
    ...FORM,
    params: Id,
    body: Type.Object({}),
    responses: answered,
    handle: (_operations, { operationId }) => ({ status: 200, body: { operationId } }),
  }),
  shop.endpoint({
    name: "list",
    method: "GET",
    path: "/v1/things",
    summary: "Lists",
    auth: "merchantKey",
    queryFormat: "bracketed",
    query: Query,
    responses: answered,
    handle: (_operations, { query }) => ({ status: 200, body: { query } }),
  }),
  shop.endpoint({
    name: "remove",
    method: "DELETE",
    path: "/v1/things/{id}",
    summary: "Removes",
    auth: "merchantKey",
    params: Id,
    responses: answered,
    handle: (_operations, { params }) => ({ status: 200, body: params }),
  }),
  shop.endpoint({
    name: "confirm",
    method: "POST",
    path: "/v1/things/{id}/confirm",
    summary: "Confirms",
    auth: "optionalMerchantKey",
    openToPages: true,
    idempotency: "plain",
    ...FORM,
    params: Id,
    body: Type.Object({}),
    responses: answered,
    handle: (_operations, { body, caller, request, operationId }) => ({
      status: 200,
      body: { body, caller, origin: request.pageOrigin, operationId },
    }),
  }),
];

const SHOP: MerchantGrant = {
  merchantId: "shop",
  partnerId: 7,
  livemode: false,
  kind: "secret",
  keyId: "key-1",
  requestsPerMinute: 1_000,
  services: ["IGFS"],
};
const KEYS = new Map<string, MerchantGrant | "replaced">([
  ["sk_merchant_1", SHOP],
  ["sk_merchant_2", { ...SHOP, merchantId: "other" }],
  ["sk_merchant_live", { ...SHOP, livemode: true }],
  ["sk_merchant_slow", { ...SHOP, merchantId: "slow", requestsPerMinute: 2 }],
  ["pk_merchant_1", { ...SHOP, kind: "publishable" }],
  ["sk_merchant_old", "replaced"],
]);

const NO_LOGINS: CredentialSource = {
  generation: () => 1,
  machineByName: () => null,
  administratorByUsername: () => null,
  fleet: () => null,
  terminalSecret: () => null,
  isTerminalDenied: () => false,
  managedBy: () => null,
  partnerByUsername: () => null,
  partnerByKeySha256: () => null,
  isOriginListed: () => false,
};

async function startShop(t: { after(close: () => void): void }) {
  const clock = new ManualClock();
  const kv = new MemoryKv();
  let ids = 0;
  const nextId = { uuid: () => `id-${++ids}` };
  const executed: string[] = [];
  const held: { began(): void; until: Promise<void> | null } = { began: () => {}, until: null };
  const executeOnce = createExecuteOnce({ store: createIdempotencyStore(kv), clock, ids: nextId, secretBox: null, failed: () => {} });
  const endpoints: BoundEndpoint[] = bind(shopEndpoints, {
    calls: createMerchantCalls({ merchants: createMinuteCounts(clock.monotonicMs), pages: createMinuteCounts(clock.monotonicMs) }),
    run: async (operationId, what) => {
      executed.push(operationId);
      held.began();
      await held.until;
      if (what === "invalid") throw new ShopError(400, "parameter_unknown");
      if (what === "declined") throw new ShopError(402, "card_declined", true);
      if (what === "state") throw new ShopError(400, "unexpected_state", true);
      if (what === "broken") throw new Error("a defect");
      if (what === "busy") throw new ShopError(503, "not_confirmed");
    },
  }).map((endpoint) => idempotent(endpoint, { executeOnce, ids: nextId }));
  const world = await startWorld(t, {
    endpoints,
    envelope,
    envelopes: [{ under: "/v1", envelope: shopEnvelope, headersOf: (_header, id) => ({ "Request-Id": `req_${id}` }) }],
    authenticator: createAuthenticator(NO_LOGINS, monotonicMs, undefined, undefined, async (key) => KEYS.get(key) ?? null),
    limits: { bodyDeadlineMs: 100 },
  });
  async function send(method: string, path: string, { body, key = "sk_merchant_1", headers = {} }: Sent = {}) {
    const response = await fetch(world.url + path, {
      method,
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), "content-type": FORM_TYPE, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text), text };
  }
  return { ...world, clock, kv, executed, held, send };
}

interface Sent {
  body?: string;
  key?: string | null;
  headers?: Record<string, string>;
}

const FORM_TYPE = "application/x-www-form-urlencoded";

test("a form, JSON and no body at all come as the same kind of object, a query too", async (t) => {
  const { send } = await startShop(t);
  const form = await send("POST", "/v1/things?expand%5B0%5D=a&expand[1]=b+c", { body: "amount=10&m[a]=x+y&l[0]=1" });
  assert.deepEqual(form.body.body, { amount: "10", m: { a: "x y" }, l: ["1"] });
  assert.deepEqual(form.body.query, { expand: ["a", "b c"] });
  const json = await send("POST", "/v1/things", {
    body: '{"amount":10,"m":{"a":"x y"},"l":["1"]}',
    headers: { "content-type": "application/json; charset=utf-8" },
  });
  assert.deepEqual(json.body.body, form.body.body);
  for (const type of [FORM_TYPE, `${FORM_TYPE};charset=UTF-8`, "application/json", "text/plain"]) {
    const empty = await send("POST", "/v1/things", { body: "", headers: { "content-type": type } });
    assert.deepEqual([empty.status, empty.body.body], [200, {}], type);
  }
});

test("GET and DELETE may name a form's content type without a body", async (t) => {
  const { send } = await startShop(t);
  assert.deepEqual((await send("GET", "/v1/things?created[gte]=5")).body, { query: { created: { gte: "5" } } });
  assert.deepEqual((await send("DELETE", "/v1/things/1")).body, { id: "1" });
});

test("a body of another type, or of none, is 415", async (t) => {
  const { send, port } = await startShop(t);
  for (const type of ["text/plain", "multipart/form-data; boundary=x", `${FORM_TYPE}; charset=iso-8859-1`]) {
    assert.equal((await send("POST", "/v1/things", { body: "amount=10", headers: { "content-type": type } })).status, 415, type);
  }
  const client = await rawClient(t, port);
  client.write("POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_merchant_1\r\nContent-Length: 3\r\n\r\na=1");
  assert.match(await client.until("error"), /^HTTP\/1.1 415 /);
});

test("a chunked form without a length is read, and one that is empty too", async (t) => {
  const { port } = await startShop(t);
  const head = `POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_merchant_1\r\nTransfer-Encoding: chunked\r\n`;
  const client = await rawClient(t, port);
  client.write(`${head}Content-Type: ${FORM_TYPE}\r\n\r\n9\r\namount=10\r\n`);
  client.write("7\r\n&m[a]=x\r\n0\r\n\r\n");
  assert.match(await client.until('"operationId"'), /"body":\{"amount":"10","m":\{"a":"x"\}\}/);
  const empty = await rawClient(t, port);
  empty.write(`${head}Content-Type: ${FORM_TYPE}\r\n\r\n0\r\n\r\n`);
  assert.match(await empty.until('"operationId"'), /"body":\{\}/);
  const untyped = await rawClient(t, port);
  untyped.write(`${head}\r\n0\r\n\r\n`);
  assert.match(await untyped.until('"operationId"'), /"body":\{\}/);
});

test("a form is read up to 64 KiB, and malformed ones are 400", async (t) => {
  const { send } = await startShop(t);
  assert.equal((await send("POST", "/v1/things", { body: `a=${"x".repeat(65_534)}` })).status, 200);
  assert.equal((await send("POST", "/v1/things", { body: `a=${"x".repeat(65_535)}` })).status, 413);
  for (const body of ["a=1&a[b]=2", "__proto__[a]=1", "a=%ff", "a[b=1"]) {
    assert.equal((await send("POST", "/v1/things", { body })).status, 400, body);
  }
  assert.equal((await send("GET", "/v1/things?a[constructor]=1")).status, 400);
});

test("a merchant is known by its secret key, as a bearer or as a user name without a password", async (t) => {
  const { send } = await startShop(t);
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });
  assert.equal((await send("POST", "/v1/things", { body: "" })).body.caller.merchant.merchantId, "shop");
  const login = await send("POST", "/v1/things", { body: "", key: null, headers: basic("sk_merchant_2:") });
  assert.equal(login.body.caller.merchant.merchantId, "other");
  for (const text of ["sk_merchant_2:password", ":sk_merchant_2", "sk_merchant_2", "nobody:"]) {
    assert.equal((await send("POST", "/v1/things", { body: "", key: null, headers: basic(text) })).status, 401, text);
  }
});

test("any other key is 401, is not shown again, and no browser is asked for a login", async (t) => {
  const { send } = await startShop(t);
  for (const key of ["sk_partner_1", "pk_live_1", "pk_partner_1", "sk_merchant_9", `sk_merchant_${"1".repeat(300)}`]) {
    const { status, text, headers } = await send("GET", "/v1/things", { key });
    assert.equal(status, 401, key);
    assert.equal(text.includes(key), false);
    assert.equal(headers.get("www-authenticate"), 'Bearer realm="relay"');
  }
  assert.equal((await send("GET", "/v1/things", { key: null })).status, 401);
  const old = await send("GET", "/v1/things", { key: "sk_merchant_old" });
  assert.deepEqual([old.status, old.body.error.code], [401, "api_key_expired"]);
});

test("a publishable key opens only what is open to pages, where nobody needs a key at first", async (t) => {
  const { send } = await startShop(t);
  const refused = await send("GET", "/v1/things", { key: "pk_merchant_1" });
  assert.deepEqual([refused.status, refused.body.error.code], [403, "secret_key_required"]);
  const confirm = "/v1/things/1/confirm";
  assert.equal((await send("POST", confirm, { body: "", key: "pk_merchant_1" })).body.caller.merchant.kind, "publishable");
  assert.equal((await send("POST", confirm, { body: "", key: null })).body.caller.type, "anonymous");
  assert.equal((await send("POST", confirm, { body: "", key: "sk_merchant_9" })).status, 401);
});

test("pages of any origin may read what is open to them, and no other page sends a login that a browser remembers", async (t) => {
  const { send } = await startShop(t);
  const origin = "https://shop.example";
  const confirm = "/v1/things/1/confirm";
  const page = await send("POST", confirm, { body: "key=pk_merchant_1", key: null, headers: { origin } });
  assert.deepEqual([page.status, page.body.origin, page.headers.get("access-control-allow-origin")], [200, origin, "*"]);
  assert.equal(page.headers.get("access-control-allow-credentials"), null);
  const bad = await send("POST", confirm, { body: "a[", key: null, headers: { origin } });
  assert.deepEqual([bad.status, bad.headers.get("access-control-allow-origin")], [400, "*"]);
  assert.equal((await send("POST", confirm, { body: "", key: "pk_merchant_1", headers: { origin } })).status, 200);
  const basic = `Basic ${Buffer.from("sk_merchant_1:").toString("base64")}`;
  assert.equal((await send("POST", confirm, { body: "", key: null, headers: { origin, authorization: basic } })).status, 403);
  assert.equal((await send("POST", "/v1/things", { body: "", key: null, headers: { origin, authorization: basic } })).status, 403);
  const closed = await send("POST", "/v1/things", { body: "", headers: { origin } });
  assert.deepEqual([closed.status, closed.headers.get("access-control-allow-origin")], [200, null]);
});

test("a preflight is answered where pages may call, and refused elsewhere", async (t) => {
  const { send } = await startShop(t);
  const headers = { origin: "https://shop.example", "access-control-request-method": "POST" };
  const open = await send("OPTIONS", "/v1/things/1/confirm", { key: null, headers });
  assert.deepEqual([open.status, open.headers.get("access-control-allow-origin")], [204, "*"]);
  assert.match(open.headers.get("access-control-allow-headers") ?? "", /Content-Type/);
  assert.match(open.headers.get("request-id") ?? "", /^req_/);
  const closed = await send("OPTIONS", "/v1/things", { key: null, headers });
  assert.deepEqual([closed.status, closed.headers.get("access-control-allow-origin")], [403, null]);
  assert.equal(closed.body.error.code, "forbidden");
});

test("every answer has the surface's headers, and every error its envelope", async (t) => {
  const { send, port, url } = await startShop(t);
  const fine = await send("GET", "/v1/things", { headers: { "x-version": "2026" } });
  assert.deepEqual([fine.headers.get("x-version"), fine.headers.get("x-odd")], ["2026", null]);
  assert.equal(fine.headers.get("request-id"), `req_${fine.headers.get("x-request-id")}`);
  for (const [status, answer] of [
    [404, await send("GET", "/v1/nothing")],
    [404, await send("GET", "/v1")],
    [405, await send("PUT", "/v1/things", { body: "" })],
    [405, await send("OPTIONS", "/v1/things")],
    [401, await send("GET", "/v1/things", { key: "x" })],
    [413, await send("POST", "/v1/things", { body: "x".repeat(70_000) })],
    [415, await send("POST", "/v1/things", { body: "x", headers: { "content-type": "text/plain" } })],
    [400, await send("POST", "/v1/things", { body: "a[" })],
    [400, await send("POST", "/v1/things", { body: "", headers: { "idempotency-key": "two words" } })],
    [503, await send("POST", "/v1/things", { body: "what=busy" })],
  ] as const) {
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.headers.get("request-id"), `req_${answer.headers.get("x-request-id")}`);
    assert.deepEqual(Object.keys(answer.body), ["error"]);
    assert.equal(answer.body.error.request, answer.headers.get("request-id"));
    assert.equal(answer.headers.get("x-retry"), status === 503 ? "true" : null);
  }
  assert.equal((await fetch(`${url}/elsewhere`)).headers.get("request-id"), null);
  const slow = await rawClient(t, port);
  slow.write(
    `POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_merchant_1\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: 9\r\n\r\na=`,
  );
  const late = await slow.closed();
  assert.match(late, /^HTTP\/1.1 408 [\s\S]*Request-Id: req_[\s\S]*"code":"request_timeout"/);
  for (const path of ["/v1/things", "/v1/nothing"]) {
    const odd = await rawClient(t, port);
    odd.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n`);
    assert.match(await odd.closed(), /^HTTP\/1.1 400 [\s\S]*\r\nRequest-Id: req_[\s\S]*"code":"invalid_request"/, path);
  }
});

test("a server that is full or stops has the surface's envelope and headers too", async (t) => {
  const { url } = await startWorld(t, {
    endpoints: bind(shopEndpoints, { calls: { admitMerchant: async () => {}, admitPage: async () => {} }, run: async () => {} }),
    limits: { pendingMax: 0 },
  });
  const full = await fetch(`${url}/v1/things`);
  assert.equal(full.status, 503);
  assert.match(full.headers.get("request-id") ?? "", /^req_/);
  assert.equal(full.headers.get("x-retry"), "true");
  assert.equal(JSON.parse(await full.text()).error.code, "too_busy");
});

test("a key is the merchant's for every path: the same request is replayed, another one refused", async (t) => {
  const { send, executed } = await startShop(t);
  const headers = { "idempotency-key": "k-1" };
  const first = await send("POST", "/v1/things?expand[]=a", { body: "amount=1&m[a]=x", headers });
  assert.equal(first.headers.get("idempotency-key"), "k-1");
  assert.equal(first.headers.get("idempotent-replayed"), null);
  const again = await send("POST", "/v1/things?expand[0]=a", { body: "m%5Ba%5D=x&amount=1", headers });
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.equal(again.headers.get("original-request"), first.headers.get("request-id"));
  assert.notEqual(again.headers.get("request-id"), first.headers.get("request-id"));
  for (const [path, body] of [
    ["/v1/things?expand[]=a", "amount=2&m[a]=x"],
    ["/v1/things", "amount=1&m[a]=x"],
    ["/v1/things/1?expand[]=a", "amount=1&m[a]=x"],
  ] as const) {
    const other = await send("POST", path, { body, headers });
    assert.deepEqual([other.status, other.body.error.code], [400, "idempotency_error"], path);
    assert.equal(other.headers.get("idempotent-replayed"), null);
  }
  assert.equal(executed.length, 1);
});

test("merchants, and the two environments of one, have keys of their own", async (t) => {
  const { send, executed } = await startShop(t);
  const headers = { "idempotency-key": "k-1" };
  for (const key of ["sk_merchant_1", "sk_merchant_2", "sk_merchant_live"])
    await send("POST", "/v1/things", { body: "amount=1", key, headers });
  assert.equal(new Set(executed).size, 3);
});

test("a page's keys are apart from its merchant's, and from those of pages with other secrets", async (t) => {
  const { send } = await startShop(t);
  const confirm = async (key: string | null, body: string) => {
    const answer = await send("POST", "/v1/things/1/confirm", { key, body, headers: { "idempotency-key": "k-1" } });
    assert.equal(answer.status, 200, answer.text);
    return String(answer.body.operationId);
  };
  const page = "key=pk_merchant_1&client_secret=one";
  const operations = [
    await confirm("sk_merchant_1", "a=1"),
    await confirm("pk_merchant_1", "a=2"),
    await confirm(null, page),
    await confirm(null, "key=pk_merchant_1&client_secret=two"),
  ];
  assert.equal(new Set(operations).size, 4);
  assert.equal(await confirm(null, page), operations[2]);
});

test("while the first is in progress the same is refused", async (t) => {
  const { send, held } = await startShop(t);
  const headers = { "idempotency-key": "k-1" };
  let finish = () => {};
  const began = new Promise<void>((resolve) => {
    held.began = resolve;
  });
  held.until = new Promise((resolve) => {
    finish = resolve;
  });
  const first = send("POST", "/v1/things", { body: "amount=1", headers });
  await began;
  const again = await send("POST", "/v1/things", { body: "amount=1", headers });
  assert.deepEqual([again.status, again.body.error.code], [409, "idempotency_key_in_use"]);
  finish();
  assert.equal((await first).status, 200);
});

test("final errors are replayed as they were, others leave the key open under the same operation", async (t) => {
  const { send, executed } = await startShop(t);
  for (const [what, status] of [
    ["declined", 402],
    ["state", 400],
  ] as const) {
    const headers = { "idempotency-key": what };
    const first = await send("POST", "/v1/things", { body: `what=${what}`, headers });
    const again = await send("POST", "/v1/things", { body: `what=${what}`, headers });
    assert.deepEqual([first.status, again.status], [status, status]);
    assert.equal(first.headers.get("idempotent-replayed"), null);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.equal(again.headers.get("original-request"), first.headers.get("request-id"));
    assert.equal(again.text, first.text);
  }
  assert.equal(executed.length, 2);
  for (const [what, status] of [
    ["invalid", 400],
    ["busy", 503],
  ] as const) {
    const headers = { "idempotency-key": what };
    executed.length = 0;
    for (let tries = 0; tries < 2; tries += 1) {
      const { status: got, headers: answer } = await send("POST", "/v1/things", { body: `what=${what}`, headers });
      assert.deepEqual([got, answer.get("idempotent-replayed")], [status, null]);
    }
    assert.equal(executed.length, 2);
    assert.equal(executed[0], executed[1]);
  }
});

test("a key is kept for a day", async (t) => {
  const { send, kv } = await startShop(t);
  await send("POST", "/v1/things", { body: "amount=1", headers: { "idempotency-key": "k-1" } });
  const [entry] = await kv.scan({ from: "i/", to: "i0", limit: 2 });
  assert.equal(JSON.parse(entry?.value ?? "").lifetimeMs, 86_400_000);
});

test("a merchant's calls of a minute are limited before its keys are looked at", async (t) => {
  const { send, clock, executed } = await startShop(t);
  const headers = { "idempotency-key": "k-1" };
  const call = () => send("POST", "/v1/things", { body: "amount=1", key: "sk_merchant_slow", headers });
  assert.deepEqual([(await call()).status, (await call()).status], [200, 200]);
  const limited = await call();
  assert.deepEqual([limited.status, limited.body.error.code], [429, "rate_limited"]);
  assert.ok(Number(limited.headers.get("retry-after")) > 55);
  assert.equal((await send("POST", "/v1/things", { body: "amount=1" })).status, 200);
  clock.advance(61_000);
  assert.equal((await call()).headers.get("idempotent-replayed"), "true");
  assert.equal(executed.length, 2);
});

test("what stands in a query reaches no observer, whatever becomes of the request", async (t) => {
  const { send, answered, failures } = await startShop(t);
  const query = "key=pk_merchant_1&client_secret=thing_secret_1";
  await send("GET", `/v1/things?${query}`);
  await send("GET", `/v1/things?${query}&a[`);
  await send("GET", `/v1/nothing?${query}`);
  await send("POST", `/v1/things/1/confirm?${query}`, { body: query, key: null });
  await send("POST", `/v1/things?${query}`, { body: "what=broken" });
  assert.deepEqual(answered, ["list 200", "list 400", "unmatched 404", "confirm 200", "create 500"]);
  assert.equal(failures.length, 1);
  assert.doesNotMatch(
    failures.map((error) => (error instanceof Error ? `${error.stack} ${error.cause}` : "")).join(),
    /pk_merchant|_secret_/,
  );
});

test("the document tells both types of a body and what a key means", () => {
  const document = JSON.stringify(buildOpenApi(shopEndpoints, { title: "Shop", version: "1", description: "" }));
  assert.match(document, /"requestBody":\{"required":false,"content":\{"application\/x-www-form-urlencoded":.*?"application\/json":/);
  assert.match(document, /valid for 24 hours/);
});
