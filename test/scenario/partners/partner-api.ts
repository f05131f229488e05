import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Answer, HttpRequest } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { bearer, callBy, newPartnerApi, PARTNER_API } from "../../support/people/new-partner-api.ts";
import { test, testOnNodes } from "../layouts.ts";

const SANDBOX_KEY = "pk_partner_sandbox_0000000000000000000000000000";
const PAYPAL = { mode: "sandbox", clientId: "paypal-client", clientSecret: "a-paypal-secret-of-this-merchant" };

type Call = [method: NonNullable<HttpRequest["method"]>, path: (merchantId: string) => string, body?: unknown];

/** Every endpoint of Partner API v1, and new keys for a merchant. */
const ENDPOINTS: Call[] = [
  ["GET", () => "/me"],
  ["GET", () => "/merchants"],
  ["POST", () => "/merchants", { merchantId: "never-created" }],
  ["GET", (merchantId) => `/merchants/${merchantId}`],
  ["PATCH", (merchantId) => `/merchants/${merchantId}`, { merchantName: "another name" }],
  ["DELETE", (merchantId) => `/merchants/${merchantId}`],
  ["POST", (merchantId) => `/merchants/${merchantId}/keys`],
  ["GET", () => "/services"],
  ["POST", (merchantId) => `/merchants/${merchantId}/services/PAYPAL/enable`],
  ["POST", (merchantId) => `/merchants/${merchantId}/services/PAYPAL/disable`],
  ["PUT", (merchantId) => `/merchants/${merchantId}/services/PAYPAL/config`, PAYPAL],
];
const OF_MERCHANT = ENDPOINTS.filter(([, path]) => path("m") !== path("n"));

/** The one error body of the API. */
function assertRefused(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual(Object.keys(answer.body ?? {}).sort(), ["code", "error", "success"]);
  assertMatches(answer.body, { success: false, code, error: /./ });
}

export function partnerApi(relay: Relay): void {
  const merchantId = () => `m-${relay.uuid()}`;

  test("the sandbox's key opens the API", async () => {
    const me = await callBy(bearer(relay, SANDBOX_KEY))("GET", "/me");
    assertMatches(me, {
      status: 200,
      body: { success: true, partner: { partnerCode: "DEMO", role: "ADMIN", allowedServices: /^\["IGFS",/ } },
    });
  });

  test("an administrator permits a merchant more calls of the compatible API, and its partner chooses fewer", async () => {
    const { call } = await newPartnerApi(relay);
    const id = merchantId();
    assertMatches(await call("POST", "/merchants", { merchantId: id }), {
      status: 201,
      body: { merchant: { compatRequestsPerMinute: 100 } },
    });
    assertRefused(await call("PATCH", `/merchants/${id}`, { compatRequestsPerMinute: 200 }), 400, "invalid_request");
    const permit = (compatRequestsPerMinute: number) =>
      relay.administrator().send(`/admin/api/merchants/${id}`, { method: "PATCH", body: { compatRequestsPerMinute } });
    assertMatches(await permit(600), { status: 200, body: { data: { compatRequestsPerMinute: 600, compatRequestsPerMinuteMax: 600 } } });
    assertMatches(await call("PATCH", `/merchants/${id}`, { compatRequestsPerMinute: 200 }), {
      status: 200,
      body: { merchant: { compatRequestsPerMinute: 200, compatRequestsPerMinuteMax: 600 } },
    });
    for (const odd of [0, 10_001, 1.5]) assert.equal((await permit(odd)).status, 400, String(odd));
  });

  test("a merchant is created, configured, shown, changed, deactivated and brought back, and all of it survives a restart", async () => {
    const { call } = await newPartnerApi(relay);
    const id = merchantId();
    const created = await call("POST", "/merchants", { merchantId: id, merchantName: "Bar Centrale", environment: "LIVE" });
    assertMatches(created, {
      status: 201,
      body: {
        success: true,
        merchant: { merchantId: id, merchantName: "Bar Centrale", environment: "LIVE", status: "ACTIVE" },
        keys: { publishableKey: /^pk_merchant_[\w-]{43}$/, secretKey: /^sk_merchant_[\w-]{43}$/ },
      },
    });
    assert.equal(created.headers["cache-control"], "no-store");
    assertMatches(await call("POST", `/merchants/${id}/services/PAYPAL/enable`), { status: 200, body: { service: { enabled: true } } });
    const config = { ...PAYPAL, clientSecret: "********hant" };
    assertMatches(await call("PUT", `/merchants/${id}/services/PAYPAL/config`, PAYPAL), {
      status: 200,
      body: { success: true, merchantId: id, service: { service: "PAYPAL", enabled: true, configured: true, config } },
    });
    assertMatches(await call("PATCH", `/merchants/${id}`, { merchantName: "Bar Nuovo" }), {
      status: 200,
      body: { merchant: { merchantName: "Bar Nuovo", environment: "LIVE" } },
    });
    await relay.restart();
    const shown = await call("GET", `/merchants/${id}`);
    assertMatches(shown, { status: 200, body: { merchant: { merchantName: "Bar Nuovo", status: "ACTIVE" } } });
    const services = listOf(member(shown.body, "merchant", "services"));
    assertMatches(
      services.find((service) => member(service, "service") === "PAYPAL"),
      { enabled: true, configured: true, config },
    );
    // What was read can be sent back: the mask stands for the secret that is stored.
    assertMatches(await call("PUT", `/merchants/${id}/services/PAYPAL/config`, config), { status: 200, body: { service: { config } } });
    assertMatches(await call("POST", `/merchants/${id}/services/PAYPAL/disable`), { status: 200, body: { service: { enabled: false } } });
    assertMatches(await call("DELETE", `/merchants/${id}`), { status: 200, body: { merchant: { status: "INACTIVE" } } });
    assertMatches(await call("GET", "/merchants"), { status: 200, body: { merchants: [], total: 0, next: null } });
    assertRefused(await call("POST", "/merchants", { merchantId: id }), 409, "merchant_exists");
    assertMatches(await call("PATCH", `/merchants/${id}`, { active: true }), { status: 200, body: { merchant: { status: "ACTIVE" } } });
  });

  test("merchants are listed page by page", async () => {
    const { call } = await newPartnerApi(relay);
    const ids = Array.from({ length: 5 }, merchantId).sort();
    for (const id of ids) assert.equal((await call("POST", "/merchants", { merchantId: id })).status, 201);
    const seen: unknown[] = [];
    for (let after = ""; ; ) {
      const { status, body } = await call("GET", `/merchants?limit=2&after=${after}`);
      assert.equal(status, 200);
      assert.equal(member(body, "total"), 5);
      seen.push(...listOf(member(body, "merchants")).map((merchant) => member(merchant, "merchantId")));
      const next = member(body, "next");
      if (next === null) break;
      after = String(next);
    }
    assert.deepEqual(seen, ids);
  });

  test("no key, a wrong one, another API's and the webhook secret are 401 on every endpoint", async () => {
    const { call, secret } = await newPartnerApi(relay);
    const id = merchantId();
    await call("POST", "/merchants", { merchantId: id });
    const wrong = [relay.nobody(), relay.administrator(), relay.partner(), bearer(relay, secret), bearer(relay, "pk_partner_guess")];
    for (const [method, path, body] of ENDPOINTS) {
      for (const caller of wrong) assertRefused(await callBy(caller)(method, path(id), body), 401, "unauthorized");
    }
    assertMatches(await call("GET", `/merchants/${id}`), { status: 200, body: { merchant: { status: "ACTIVE", merchantName: id } } });
    // Nor does this key open anything else.
    const elsewhere = bearer(relay, (await newPartnerApi(relay)).apiKey);
    assert.equal((await elsewhere.get("/admin/api/partners")).status, 401);
    assert.equal((await elsewhere.connection("T1")).status, 401);
  });

  test("another partner's merchant is 404 on every endpoint, and stays as it is", async () => {
    const [owner, other] = [await newPartnerApi(relay), await newPartnerApi(relay)];
    const id = merchantId();
    await owner.call("POST", "/merchants", { merchantId: id });
    for (const [method, path, body] of OF_MERCHANT) {
      assertRefused(await other.call(method, path(id), body), 404, "not_found");
      assertRefused(await other.call(method, path("no-such-merchant"), body), 404, "not_found");
    }
    assertRefused(await other.call("POST", "/merchants", { merchantId: id }), 409, "merchant_exists");
    assertMatches(await other.call("GET", "/merchants?status=ALL"), { body: { merchants: [], total: 0 } });
    assertMatches(await owner.call("GET", `/merchants/${id}`), { status: 200, body: { merchant: { merchantName: id, status: "ACTIVE" } } });
  });

  testOnNodes("an old key is 401 on every shard after rotation, unless it has a grace, and then until that ends", async () => {
    const { id, call: old, secret, apiKey } = await newPartnerApi(relay);
    const rotate = async (body?: unknown) => {
      const answer = await relay.administrator().post(`/admin/api/partners/${id}/generate-partner-api-keys`, body);
      assertMatches(answer, {
        status: 200,
        body: { status: "ok", data: { apiKey: /^pk_partner_[\w-]{43}$/, secret: /^sk_partner_[\w-]{43}$/ } },
      });
      assert.equal(answer.headers["cache-control"], "no-store");
      assert.notEqual(textMember(answer.body, "data", "secret"), secret);
      return textMember(answer.body, "data", "apiKey");
    };
    const second = await rotate();
    assert.notEqual(second, apiKey);
    for (let round = 0; round < 6; round += 1) {
      assertRefused(await old("GET", "/me"), 401, "unauthorized");
      assert.equal((await callBy(bearer(relay, second))("GET", "/me")).status, 200);
    }
    const third = await rotate({ graceSeconds: 60 });
    for (let round = 0; round < 6; round += 1) {
      for (const key of [second, third]) assert.equal((await callBy(bearer(relay, key))("GET", "/me")).status, 200);
    }
    relay.advance(61_000);
    for (let round = 0; round < 6; round += 1) {
      assertRefused(await callBy(bearer(relay, second))("GET", "/me"), 401, "unauthorized");
      assert.equal((await callBy(bearer(relay, third))("GET", "/me")).status, 200);
    }
    assert.equal((await relay.administrator().post("/admin/api/partners/999999/generate-partner-api-keys")).status, 404);
    assert.equal(
      (await relay.administrator().post(`/admin/api/partners/${id}/generate-partner-api-keys`, { graceSeconds: -1 })).status,
      400,
    );
    assert.equal((await relay.nobody().post(`/admin/api/partners/${id}/generate-partner-api-keys`)).status, 401);
  });

  test("a disabled partner is 401 on every shard, and back when it is enabled; one whose access was taken away stays out", async () => {
    const { id, call } = await newPartnerApi(relay);
    const administrator = relay.administrator();
    await administrator.send(`/admin/api/partners/${id}/toggle`, { method: "PATCH" });
    for (let round = 0; round < 6; round += 1) assertRefused(await call("GET", "/me"), 401, "unauthorized");
    await administrator.send(`/admin/api/partners/${id}/toggle`, { method: "PATCH" });
    for (let round = 0; round < 6; round += 1) assert.equal((await call("GET", "/me")).status, 200);
    const away = await administrator.send(`/admin/api/partners/${id}`, { method: "PUT", body: { partnerApi: null } });
    assertMatches(away, { status: 200, body: { data: { partnerApi: null }, partnerApiKeys: undefined } });
    for (let round = 0; round < 6; round += 1) assertRefused(await call("GET", "/me"), 401, "unauthorized");
    assert.equal((await administrator.post(`/admin/api/partners/${id}/generate-partner-api-keys`)).status, 404);
  });

  test("an address that is not in the whitelist is 403 on every endpoint", async () => {
    const partner = await newPartnerApi(relay, { ipWhitelist: ["127.7.0.0/16", "10.1.2.3"] });
    const id = merchantId();
    assert.equal((await partner.call("POST", "/merchants", { merchantId: id })).status, 201);
    const body = { partnerApi: { ipWhitelist: ["10.1.2.3"] } };
    assert.equal((await relay.administrator().send(`/admin/api/partners/${partner.id}`, { method: "PUT", body })).status, 200);
    for (const [method, path, sent] of ENDPOINTS) assertRefused(await partner.call(method, path(id), sent), 403, "forbidden");
    // What a client says of its own address is not believed.
    assertRefused(await partner.call("GET", "/me", undefined, { "x-forwarded-for": "10.1.2.3" }), 403, "forbidden");
    const open = { partnerApi: { ipWhitelist: [] } };
    assert.equal((await relay.administrator().send(`/admin/api/partners/${partner.id}`, { method: "PUT", body: open })).status, 200);
    assertMatches(await partner.call("GET", `/merchants/${id}`), {
      status: 200,
      body: { merchant: { status: "ACTIVE", merchantName: id } },
    });
  });

  test("a service that is not permitted is 403, an unknown one 404, and a role keeps to what it may", async () => {
    const partner = await newPartnerApi(relay, { allowedServices: ["BIZUM", "SKRILL"] });
    const id = merchantId();
    await partner.call("POST", "/merchants", { merchantId: id });
    for (const [method, path, body] of OF_MERCHANT.filter(([, path]) => path("").includes("/services/"))) {
      assertRefused(await partner.call(method, path(id), body), 403, "service_not_permitted");
      assertRefused(await partner.call(method, path(id).replace("PAYPAL", "NOPE"), body), 404, "not_found");
    }
    assertMatches((await partner.call("GET", "/services")).body, { services: [{ service: "BIZUM" }, { service: "SKRILL" }] });
    const viewer = { partnerApi: { role: "VIEWER" } };
    await relay.administrator().send(`/admin/api/partners/${partner.id}`, { method: "PUT", body: viewer });
    for (const [method, path, body] of ENDPOINTS) {
      const answer = await partner.call(method, path(id), body);
      if (method === "GET") assert.equal(answer.status, 200, answer.text);
      else assertRefused(answer, 403, "forbidden");
    }
  });

  const BAD: [method: NonNullable<HttpRequest["method"]>, path: string, body: unknown, status: number, code: string][] = [
    ["POST", "/merchants", {}, 400, "invalid_request"],
    ["POST", "/merchants", "not json", 400, "invalid_request"],
    ["POST", "/merchants", { merchantId: "a b" }, 400, "invalid_request"],
    ["POST", "/merchants", { merchantId: "a/../b" }, 400, "invalid_request"],
    ["POST", "/merchants", { merchantId: "new", environment: "live" }, 400, "invalid_request"],
    ["POST", "/merchants", { merchantId: "new", merchantName: "a\nb" }, 400, "invalid_request"],
    ["POST", "/merchants", { merchantId: "new", unknown: 1 }, 400, "invalid_request"],
    ["POST", "/merchants", { merchantId: "new", merchantName: "x".repeat(40_000) }, 413, "payload_too_large"],
    ["PATCH", "/merchants/SHOP", {}, 400, "invalid_request"],
    ["PATCH", "/merchants/SHOP", { merchantId: "new" }, 400, "invalid_request"],
    ["PUT", "/merchants/SHOP/services/PAYPAL/config", { ...PAYPAL, mode: "test" }, 400, "invalid_request"],
    ["PUT", "/merchants/SHOP/services/PAYPAL/config", { ...PAYPAL, clientSecret: undefined }, 400, "invalid_request"],
    ["PUT", "/merchants/SHOP/services/PAYPAL/config", { ...PAYPAL, signatureKey: "x" }, 400, "invalid_request"],
    ["PUT", "/merchants/SHOP/services/BANCOMAT_PAY/config", { ...PAYPAL }, 400, "invalid_request"],
    ["GET", "/merchants?limit=1000", undefined, 400, "invalid_request"],
    ["GET", "/no/such/path", undefined, 404, "not_found"],
    ["DELETE", "/me", undefined, 405, "method_not_allowed"],
  ];

  test("bad input is refused in the one error body and leaves nothing behind", async () => {
    const { call } = await newPartnerApi(relay);
    const id = merchantId();
    await call("POST", "/merchants", { merchantId: id });
    const before = (await call("GET", `/merchants/${id}`)).text;
    for (const [method, path, body, status, code] of BAD) {
      assertRefused(await call(method, path.replace("SHOP", id), body), status, code);
    }
    assertRefused(await call("POST", "/merchants", "merchantId=new", { "content-type": "text/plain" }), 415, "unsupported_media_type");
    assertRefused(await call("POST", "/merchants", { merchantId: "new" }, { "idempotency-key": "a b" }), 400, "invalid_request");
    assertMatches((await call("GET", "/merchants?status=ALL")).body, { total: 1 });
    assert.equal((await call("GET", `/merchants/${id}`)).text, before);
  });

  testOnNodes("of a hundred creations at once with room for one, one is created", async () => {
    const { call, callApart } = await newPartnerApi(relay, { maxMerchants: 4 });
    for (let made = 0; made < 3; made += 1) assert.equal((await call("POST", "/merchants", { merchantId: merchantId() })).status, 201);
    const answers = await Promise.all(Array.from({ length: 100 }, () => callApart("POST", "/merchants", { merchantId: merchantId() })));
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    for (const answer of answers) if (answer.status !== 201) assertRefused(answer, 409, "merchant_limit_reached");
    assertMatches((await call("GET", "/merchants?status=ALL")).body, { total: 4 });
    assert.equal(listOf(member((await call("GET", "/merchants")).body, "merchants")).length, 4);
  });

  testOnNodes("of fifty partners' creations at once with one id, one is created", async () => {
    const partners = [await newPartnerApi(relay), await newPartnerApi(relay)];
    const id = merchantId();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (partners[index % 2] ?? assert.fail()).callApart("POST", "/merchants", { merchantId: id })),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    assert.equal(answers.filter(({ status }) => status === 409).length, 49);
  });

  testOnNodes("the same Idempotency-Key at once executes once, and every repetition gets that answer, keys and all", async () => {
    const { call, callApart } = await newPartnerApi(relay);
    const id = merchantId();
    const key = { "idempotency-key": relay.uuid() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => callApart("POST", "/merchants", { merchantId: id }, key)));
    const made = answers.filter(({ status }) => status === 201);
    assert.ok(made.length > 0, "nobody was told of the creation");
    assert.equal(new Set(made.map(({ text }) => text)).size, 1);
    for (const answer of answers) {
      if (answer.status === 201) continue;
      assertRefused(answer, 409, "conflict");
      assert.equal(answer.headers["retry-after"], "1");
    }
    const again = await call("POST", "/merchants", { merchantId: id }, key);
    assert.equal(again.text, made[0]?.text);
    assert.equal(again.headers["idempotent-replayed"], "true");
    assertRefused(await call("POST", "/merchants", { merchantId: merchantId() }, key), 409, "conflict");
    assertMatches((await call("GET", "/merchants")).body, { total: 1 });
    // A key belongs to its caller: another partner's is another.
    const other = await newPartnerApi(relay);
    assert.equal((await other.call("POST", "/merchants", { merchantId: merchantId() }, key)).status, 201);
    for (const [method, path, body] of OF_MERCHANT.filter(([method]) => method !== "GET" && method !== "DELETE")) {
      const one = { "idempotency-key": relay.uuid() };
      const first = await call(method, path(id), body, one);
      assert.equal(first.status, 200, first.text);
      const second = await call(method, path(id), body, one);
      assert.deepEqual([second.status, second.text, second.headers["idempotent-replayed"]], [200, first.text, "true"]);
    }
  });

  testOnNodes("every call is counted, whichever shard it came to, also across a restart", async () => {
    const { call, callApart } = await newPartnerApi(relay);
    const count = async () => Number(member((await call("GET", "/me")).body, "partner", "apiCallCount"));
    await Promise.all(Array.from({ length: 60 }, () => callApart("GET", "/services")));
    assertRefused(await callBy(bearer(relay, "pk_partner_none"))("GET", "/services"), 401, "unauthorized");
    // Each look is a call too. Were the others' calls missing, so few looks would not make up for them.
    let asked = 0;
    for (let counted = 0; counted < 60 && asked < 20; ) {
      await delay(250);
      asked += 1;
      counted = await count();
      assert.ok(counted <= 60 + asked, `${counted} of ${60 + asked} calls were counted`);
    }
    assert.ok(asked < 20, "the calls of other shards were not counted in 5 s");
    await relay.restart();
    asked += 1;
    assert.equal(await count(), 60 + asked);
  });

  test("an administrator grants access to a partner that there is, with keys once, and reads it back without them", async () => {
    const administrator = relay.administrator();
    const username = `partner-${relay.uuid()}`;
    const gateway = { gwTml: "GWT1", gwApiKey: "GWMERCHANT1", gwSecretKey: "a gateway secret" };
    const created = await administrator.post("/admin/api/partners", { username, ...gateway });
    assertMatches(created, { status: 201, body: { partnerApiKeys: undefined } });
    const path = `/admin/api/partners/${member(created.body, "data", "id")}`;
    assertMatches((await administrator.get(path)).body, { data: { partnerApi: null } });
    const put = (partnerApi: unknown) => administrator.send(path, { method: "PUT", body: { partnerApi } });
    for (const refused of [
      {},
      { partnerCode: username },
      { partnerCode: username, maxMerchants: 5, role: "KING" },
      { partnerCode: "a b", maxMerchants: 5 },
    ]) {
      assert.equal((await put(refused)).status, 400);
    }
    for (const [name, value] of [
      ["allowedServices", ["NOPE"]],
      ["allowedServices", "PAYPAL"],
      ["ipWhitelist", ["here"]],
      ["maxMerchants", -1],
      ["more", 1],
    ] as const) {
      const answer = await put({ partnerCode: username, maxMerchants: 5, [name]: value });
      assertMatches(answer, { status: 400, body: { status: "error", error: /partnerApi/ } });
    }
    assertMatches((await administrator.get(path)).body, { data: { partnerApi: null } });
    const granted = await put({ partnerCode: username, maxMerchants: 5, allowedServices: '["PAYPAL"]' });
    const shown = { partnerCode: username, name: username, role: "ADMIN", allowedServices: '["PAYPAL"]', maxMerchants: 5, ipWhitelist: [] };
    assertMatches(granted, {
      status: 200,
      body: { data: { partnerApi: shown }, partnerApiKeys: { apiKey: /^pk_partner_/, secret: /^sk_partner_/ } },
    });
    const read = await administrator.get(path);
    assertMatches(read.body, { data: { partnerApi: shown } });
    assert.equal(read.text.includes("pk_partner_") || read.text.includes("sk_partner_"), false);
    // A record that was read can be sent back.
    const back = await administrator.send(path, { method: "PUT", body: member(read.body, "data") });
    assertMatches(back, { status: 200, body: { data: { partnerApi: shown }, partnerApiKeys: undefined } });
    const apiKey = textMember(granted.body, "partnerApiKeys", "apiKey");
    const me = await bearer(relay, apiKey).get(`${PARTNER_API}/me`);
    assertMatches(me, { status: 200, body: { partner: { allowedServices: '["PAYPAL"]', maxMerchants: 5, partnerCode: username } } });
    // A code is one partner's.
    const taken = await administrator.post("/admin/api/partners", {
      username: `other-${username}`,
      ...gateway,
      partnerApi: { partnerCode: username.toUpperCase(), maxMerchants: 1 },
    });
    assertMatches(taken, { status: 400, body: { error: /partnerCode/ } });
  });
}
