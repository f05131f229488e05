import assert from "node:assert/strict";
import { test } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { compileAddressList } from "../../../http/auth/address-list.ts";
import { PARTNER_API_RATE } from "../../../http/surfaces/partner-v1/surface.ts";
import { grant, storedText } from "../../engine/partners/merchant-world.ts";
import { assertMatches, textMember } from "../../support/http/matches.ts";

import { assertRefused, open } from "./partner-v1-world.ts";

test("a merchant from its creation to its end", async (t) => {
  const { call } = await open(t);
  const created = await call("POST", "/merchants", { merchantId: "shop-1", merchantName: "Shop", environment: "LIVE" });
  assertMatches(created, {
    status: 201,
    body: {
      success: true,
      merchant: { merchantId: "shop-1", merchantName: "Shop", environment: "LIVE", status: "ACTIVE" },
      keys: { publishableKey: /^pk_merchant_/, secretKey: /^sk_merchant_/ },
    },
  });
  const shown = await call("GET", "/merchants/shop-1");
  assertMatches(shown, { status: 200, body: { success: true, merchant: { merchantId: "shop-1", status: "ACTIVE" }, keys: undefined } });
  assert.equal(JSON.stringify(shown.body).includes("pk_merchant_"), false);
  assertMatches(await call("PATCH", "/merchants/shop-1", { merchantName: "Shop 2" }), {
    status: 200,
    body: { merchant: { merchantName: "Shop 2", environment: "LIVE" } },
  });
  assertMatches(await call("POST", "/merchants/shop-1/services/PAYPAL/enable"), {
    status: 200,
    body: { success: true, merchantId: "shop-1", service: { service: "PAYPAL", enabled: true, configured: false, config: null } },
  });
  const config = { mode: "sandbox", clientId: "c", clientSecret: "a-client-secret-of-length" };
  assertMatches(await call("PUT", "/merchants/shop-1/services/PAYPAL/config", config), {
    status: 200,
    body: { service: { enabled: true, configured: true, config: { mode: "sandbox", clientId: "c", clientSecret: "********ngth" } } },
  });
  assertMatches(await call("POST", "/merchants/shop-1/services/PAYPAL/disable"), {
    status: 200,
    body: { service: { enabled: false, configured: true } },
  });
  assertMatches(await call("GET", "/merchants"), {
    status: 200,
    body: { success: true, merchants: [{ merchantId: "shop-1" }], total: 1, next: null },
  });
  const replaced = await call("POST", "/merchants/shop-1/keys");
  assert.equal(replaced.status, 200);
  assert.notEqual(textMember(replaced.body, "keys", "secretKey"), textMember(created.body, "keys", "secretKey"));
  for (const _twice of [1, 2]) {
    assertMatches(await call("DELETE", "/merchants/shop-1"), { status: 200, body: { success: true, merchant: { status: "INACTIVE" } } });
  }
  assertMatches((await call("GET", "/merchants")).body, { merchants: [], total: 0 });
  assertMatches((await call("GET", "/merchants?status=ALL")).body, { merchants: [{ status: "INACTIVE" }], total: 1 });
  assertRefused(await call("PATCH", "/merchants/shop-1", { merchantName: "x" }), 409, "merchant_inactive");
  assertRefused(await call("POST", "/merchants/shop-1/services/PAYPAL/enable"), 409, "merchant_inactive");
  assertRefused(await call("POST", "/merchants/shop-1/keys"), 409, "merchant_inactive");
  assertMatches(await call("PATCH", "/merchants/shop-1", { active: true }), { status: 200, body: { merchant: { status: "ACTIVE" } } });
});

test("every service is listed with its members", async (t) => {
  const { call } = await open(t);
  const { body } = await call("GET", "/services");
  assertMatches(body, { success: true });
  const { services } = body as { services: { service: string; members: { name: string }[] | null }[] };
  assert.deepEqual(
    services.map(({ service }) => service),
    ["IGFS", "SHIFT4", "PAYPAL", "AMAZON_PAY", "BANCOMAT_PAY", "BIZUM", "SKRILL", "ZONDA", "SATISPAY", "ASSIOPAY"],
  );
  assert.deepEqual(
    services.find(({ service }) => service === "BANCOMAT_PAY")?.members?.map(({ name }) => name),
    ["idPg", "idNegozio", "merchantName", "certificate", "privateKey"],
  );
});

test("no key, a key that is none, another scheme: 401, and a challenge that names the right one", async (t) => {
  const { call, grants } = await open(t);
  for (const authorization of [
    "",
    "Bearer",
    "Bearer ",
    "Bearer pk_partner_no",
    "Basic YWRtaW46c2VjcmV0",
    "pk_partner_admin",
    `Bearer ${"x".repeat(300)}`,
  ]) {
    const answer = await call("GET", "/me", undefined, { authorization });
    assertRefused(answer, 401, "unauthorized");
    assert.equal(answer.headers.get("www-authenticate"), 'Bearer realm="relay"');
  }
  assert.equal((await call("GET", "/me", undefined, { authorization: "bearer  pk_partner_admin" })).status, 200);
  grants.delete("pk_partner_admin");
  assertRefused(await call("GET", "/me"), 401, "unauthorized");
});

test("an address that the whitelist does not have is refused, also behind a trusted proxy, whose own address does not count", async (t) => {
  const own = await open(t, { credential: { mayCallFrom: compileAddressList(["10.0.0.0/8"]) } });
  assertRefused(await own.call("GET", "/me"), 403, "forbidden");
  // Nobody is believed about an address who is not a trusted proxy.
  assertRefused(await own.call("GET", "/me", undefined, { "x-forwarded-for": "10.1.1.1" }), 403, "forbidden");
  const proxied = await open(t, { credential: { mayCallFrom: compileAddressList(["10.0.0.0/8"]) }, trustedProxies: ["127.0.0.0/8"] });
  assert.equal((await proxied.call("GET", "/me", undefined, { "x-forwarded-for": "10.1.1.1" })).status, 200);
  assertRefused(await proxied.call("GET", "/me", undefined, { "x-forwarded-for": "192.0.2.1" }), 403, "forbidden");
  assertRefused(await proxied.call("GET", "/me", undefined, { "x-forwarded-for": "10.1.1.1, 192.0.2.1" }), 403, "forbidden");
});

test("me tells the partner, its services as a JSON text, and the calls that were authenticated", async (t) => {
  const { call } = await open(t);
  await call("GET", "/services");
  await call("GET", "/me", undefined, { authorization: "Bearer pk_partner_no" });
  await call("GET", "/me", undefined, { authorization: "Bearer pk_partner_other" });
  assert.deepEqual((await call("GET", "/me")).body, {
    success: true,
    partner: {
      id: 7,
      partnerCode: "P7",
      name: "Partner seven",
      role: "ADMIN",
      allowedServices: '["IGFS","SHIFT4","PAYPAL","AMAZON_PAY","BANCOMAT_PAY","BIZUM","SKRILL","ZONDA","SATISPAY","ASSIOPAY"]',
      maxMerchants: 10,
      apiCallCount: 2,
    },
  });
});

test("a role permits what it is said to permit, and nothing else", async (t) => {
  const { call } = await open(t);
  await call("POST", "/merchants", { merchantId: "shop" });
  const calls: { needs: "VIEWER" | "OPERATOR" | "ADMIN"; method: string; path: string; body?: unknown }[] = [
    { needs: "VIEWER", method: "GET", path: "/me" },
    { needs: "VIEWER", method: "GET", path: "/services" },
    { needs: "VIEWER", method: "GET", path: "/merchants" },
    { needs: "VIEWER", method: "GET", path: "/merchants/shop" },
    { needs: "OPERATOR", method: "PATCH", path: "/merchants/shop", body: { merchantName: "x" } },
    { needs: "OPERATOR", method: "POST", path: "/merchants/shop/services/BIZUM/enable" },
    { needs: "OPERATOR", method: "POST", path: "/merchants/shop/services/BIZUM/disable" },
    { needs: "OPERATOR", method: "PUT", path: "/merchants/shop/services/BIZUM/config", body: { mode: "live" } },
    { needs: "ADMIN", method: "POST", path: "/merchants/shop/keys" },
    { needs: "ADMIN", method: "PATCH", path: "/merchants/shop", body: { active: true } },
    { needs: "ADMIN", method: "POST", path: "/merchants", body: { merchantId: "shop-2" } },
    { needs: "ADMIN", method: "DELETE", path: "/merchants/shop" },
  ];
  const order = ["VIEWER", "OPERATOR", "ADMIN"] as const;
  for (const { needs, method, path, body } of calls) {
    for (const role of order) {
      const answer = await call(method, path, body, { authorization: `Bearer pk_partner_${role.toLowerCase()}` });
      if (order.indexOf(role) < order.indexOf(needs)) assertRefused(answer, 403, "forbidden");
      else assert.ok(answer.status === 200 || answer.status === 201, `${role} ${method} ${path}: ${JSON.stringify(answer.body)}`);
    }
  }
});

test("another partner's merchant is 404 on every path, as one that never was", async (t) => {
  const { call } = await open(t);
  await call("POST", "/merchants", { merchantId: "shop" });
  const paths: [method: string, path: string, body?: unknown][] = [
    ["GET", ""],
    ["PATCH", "", { merchantName: "x" }],
    ["DELETE", ""],
    ["POST", "/keys"],
    ["POST", "/services/PAYPAL/enable"],
    ["POST", "/services/PAYPAL/disable"],
    ["PUT", "/services/PAYPAL/config", { mode: "live", clientId: "a", clientSecret: "b" }],
  ];
  for (const [method, path, body] of paths) {
    const foreign = await call(method, `/merchants/shop${path}`, body, { authorization: "Bearer pk_partner_other" });
    assertRefused(foreign, 404, "not_found");
    assert.deepEqual((await call(method, `/merchants/never${path}`, body)).body, foreign.body);
  }
  assertMatches((await call("GET", "/merchants", undefined, { authorization: "Bearer pk_partner_other" })).body, {
    merchants: [],
    total: 0,
  });
  assertRefused(
    await call("POST", "/merchants", { merchantId: "shop" }, { authorization: "Bearer pk_partner_other" }),
    409,
    "merchant_exists",
  );
});

const BAD: [method: string, path: string, body: unknown, status: number, code: string, says: RegExp][] = [
  ["POST", "/merchants", {}, 400, "invalid_request", /merchantId: is required/],
  ["POST", "/merchants", undefined, 400, "invalid_request", /body: is required/],
  ["POST", "/merchants", "{", 400, "invalid_request", /is not JSON/],
  ["POST", "/merchants", { merchantId: "a b" }, 400, "invalid_request", /merchantId: must be 1 to 64/],
  ["POST", "/merchants", { merchantId: ".." }, 400, "invalid_request", /merchantId/],
  ["POST", "/merchants", { merchantId: 5 }, 400, "invalid_request", /merchantId/],
  ["POST", "/merchants", { merchantId: "b", environment: "PROD" }, 400, "invalid_request", /environment: must be one of TEST, LIVE/],
  ["POST", "/merchants", { merchantId: "b", merchantName: "" }, 400, "invalid_request", /merchantName/],
  ["POST", "/merchants", { merchantId: "b", merchantName: "a\u0007" }, 400, "invalid_request", /merchantName/],
  ["POST", "/merchants", { merchantId: "b", enviroment: "LIVE" }, 400, "invalid_request", /enviroment: is not expected here/],
  ["POST", "/merchants", { merchantId: "b", merchantName: "x".repeat(20_000) }, 413, "payload_too_large", /at most/],
  ["PATCH", "/merchants/shop", {}, 400, "invalid_request", /at least one member to change/],
  ["PATCH", "/merchants/shop", { merchantId: "other" }, 400, "invalid_request", /merchantId: is not expected/],
  ["PATCH", "/merchants/shop", { active: "no" }, 400, "invalid_request", /active/],
  ["GET", "/merchants?limit=0", undefined, 400, "invalid_request", /limit/],
  ["GET", "/merchants?limit=201", undefined, 400, "invalid_request", /limit/],
  ["GET", "/merchants?status=GONE", undefined, 400, "invalid_request", /status/],
  ["GET", "/merchants?after=%00", undefined, 400, "invalid_request", /after/],
  ["POST", "/merchants/shop/services/NOPE/enable", undefined, 404, "not_found", /no such service/],
  ["PUT", "/merchants/shop/services/NOPE/config", { mode: "live" }, 404, "not_found", /no such service/],
  ["PUT", "/merchants/shop/services/PAYPAL/config", { mode: "live" }, 400, "invalid_request", /clientId: is required/],
  ["PUT", "/merchants/shop/services/PAYPAL/config", [], 400, "invalid_request", /must be an object/],
  ["PUT", "/merchants/shop/services/BIZUM/config", { mode: "live", a: "x".repeat(300_000) }, 413, "payload_too_large", /at most/],
  ["GET", "/nothing", undefined, 404, "not_found", /nothing at this path/],
  ["GET", "", undefined, 404, "not_found", /nothing at this path/],
  ["PUT", "/merchants", {}, 405, "method_not_allowed", /GET, HEAD, POST/],
  ["DELETE", "/me", undefined, 405, "method_not_allowed", /GET, HEAD/],
];

test("bad input: the one error body, naming what is wrong, and nothing half-done", async (t) => {
  const { call, kv } = await open(t);
  await call("POST", "/merchants", { merchantId: "shop" });
  const before = kv.commits;
  for (const [method, path, body, status, code, says] of BAD) {
    const answer = await call(method, path, body);
    assertRefused(answer, status, code);
    assert.match(textMember(answer.body, "error"), says, `${method} ${path}`);
  }
  assertRefused(await call("POST", "/merchants", "merchantId=shop", { "content-type": "text/plain" }), 415, "unsupported_media_type");
  assert.equal(kv.commits, before);
  assertMatches((await call("GET", "/merchants?status=ALL")).body, { total: 1 });
});

test("a service that is not the partner's is 403", async (t) => {
  const { call, grants } = await open(t);
  await call("POST", "/merchants", { merchantId: "shop" });
  grants.set("pk_partner_admin", grant({ allowedServices: ["BIZUM"] }));
  for (const word of ["enable", "disable"]) {
    assertRefused(await call("POST", `/merchants/shop/services/PAYPAL/${word}`), 403, "service_not_permitted");
  }
  const config = { mode: "live", clientId: "a", clientSecret: "b" };
  assertRefused(await call("PUT", "/merchants/shop/services/PAYPAL/config", config), 403, "service_not_permitted");
  assertMatches((await call("GET", "/services")).body, { services: [{ service: "BIZUM" }] });
  assertMatches((await call("GET", "/merchants/shop")).body, { merchant: { services: [{ service: "BIZUM" }] } });
});

test("the same Idempotency-Key gets the same answer, keys and all, and nothing of it is stored in the clear", async (t) => {
  const { call, kv } = await open(t);
  const key = { "idempotency-key": "order-1" };
  const first = await call("POST", "/merchants", { merchantId: "shop" }, key);
  const again = await call("POST", "/merchants", { merchantId: "shop" }, key);
  assert.deepEqual([again.status, again.body], [201, first.body]);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assertRefused(await call("POST", "/merchants", { merchantId: "shop-2" }, key), 409, "conflict");
  assert.equal((await storedText(kv)).includes(textMember(first.body, "keys", "secretKey")), false);
  // A refusal is an answer too: what was full once stays so for this key.
  assertRefused(await call("POST", "/merchants", { merchantId: "shop" }, { "idempotency-key": "order-2" }), 409, "merchant_exists");
  assertMatches(await call("PATCH", "/merchants/shop", { merchantName: "A" }, { "idempotency-key": "p" }), { status: 200 });
  await call("PATCH", "/merchants/shop", { merchantName: "B" }, { "idempotency-key": "q" });
  assertMatches(await call("PATCH", "/merchants/shop", { merchantName: "A" }, { "idempotency-key": "p" }), {
    body: { merchant: { merchantName: "A" } },
  });
  assertMatches((await call("GET", "/merchants/shop")).body, { merchant: { merchantName: "B" } });
});

test("a store that is away is 503, what nobody foresaw 500 without its cause, too many at once 429", async (t) => {
  const { call, kv, operations, failures } = await open(t);
  kv.fate = () => "refused";
  const away = await call("POST", "/merchants", { merchantId: "shop" });
  assertRefused(away, 503, "unavailable");
  assert.equal(away.headers.get("retry-after"), "1");
  kv.fate = () => "done";
  operations.merchants.find = () => Promise.reject(new Error("an inner detail"));
  const broken = await call("GET", "/merchants/shop");
  assertRefused(broken, 500, "internal");
  assert.equal(JSON.stringify(broken.body).includes("inner detail"), false);
  assert.equal(failures.at(-1) instanceof Error, true);
  operations.merchants.find = () => Promise.reject(new RelayError("duplicate", "there already"));
  assertRefused(await call("GET", "/merchants/shop"), 409, "duplicate");
  const answers = await Promise.all(Array.from({ length: PARTNER_API_RATE.perSecond + 20 }, () => call("GET", "/me")));
  const limited = answers.filter(({ status }) => status === 429);
  assert.ok(limited.length > 0, "nobody was limited");
  for (const answer of limited) assertRefused(answer, 429, "rate_limited");
});
