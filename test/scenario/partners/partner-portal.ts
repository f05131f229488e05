import assert from "node:assert/strict";
import { assertAnswersTo, type Call } from "../../support/http/answers-to.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { basic } from "../../support/node/node.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newPartner } from "../../support/people/new-partner.ts";
import { test } from "../layouts.ts";

const SHOP = "https://shop.example";
const EVIL = "https://evil.example";
const FOREIGN = { status: 403, body: { status: "error", error: "This origin may not use this API Key" } };
const PATHS: Call[] = [
  ["POST", "/api/partner/regenerate-key"],
  ["GET", "/api/partner/gw-credentials"],
  ["POST", "/api/partner/gw-credentials", { gwTml: "X" }],
  ["POST", "/api/partner/gw-credentials/test", {}],
  ["POST", "/api/partner/origins", {}],
];

export function partnerPortal(relay: Relay): void {
  test("a partner regenerates its own key, at once or with a grace", async () => {
    const partner = await newPartner(relay);
    const first = await partner.byPassword.post("/api/partner/regenerate-key");
    assertMatches(first, { status: 200, body: { status: "ok", apiKey: /^pk_live_/, message: /./ } });
    assert.equal((await partner.byKey.connection("T1")).status, 401);
    const old = relay.client({ "api-key": textMember(first.body, "apiKey") });
    assert.equal((await old.connection("T1")).status, 200);
    const second = await partner.byPassword.post("/till/api/partner/regenerate-key", { graceSeconds: 60 });
    assert.equal((await relay.client({ "api-key": textMember(second.body, "apiKey") }).connection("T1")).status, 200);
    assert.equal((await old.connection("T1")).status, 200);
    relay.advance(60_000);
    assert.equal((await old.connection("T1")).status, 401);
    const { body } = await relay.administrator().get("/admin/audit?limit=500");
    const entries = listOf(member(body, "data")).filter((entry) => member(entry, "actor") === `partner:${partner.id}`);
    assertMatches(entries, [
      { action: "partner.regenerate-key", username: partner.username, members: ["graceSeconds"], outcome: "done" },
      { action: "partner.regenerate-key", username: partner.username, members: [], outcome: "done" },
    ]);
  });

  test("a partner sees its gateway account masked, and changes it", async () => {
    const { id, byPassword } = await newPartner(relay);
    const path = "/api/partner/gw-credentials";
    const data = { configured: true, gwTml: "GWT1", gwApiKey: "GWME*******", gwSecretKey: "********" };
    assertMatches(await byPassword.get(path), { status: 200, body: { status: "ok", data } });
    const change = { gwApiKey: "OTHERMER", gwSecretKey: "another secret of the gateway" };
    assertMatches(await byPassword.post(path, change), { status: 200, body: { data: { ...data, gwApiKey: "********" } } });
    assertMatches((await relay.administrator().get(`/admin/api/partners/${id}`)).body, { data: { gwTml: "GWT1", gwApiKey: "OTHERMER" } });
    for (const body of [{}, { gwTml: "" }, { gwApiKey: 'a"b' }, { gwSecret: "x" }, { gwSecretKey: 7 }]) {
      assert.equal((await byPassword.post(path, body)).status, 400, JSON.stringify(body));
    }
  });

  test("a partner's key is good from the origins that it lists, by Origin or else by Referer, and without either", async () => {
    const { byKey, byPassword } = await newPartner(relay);
    assert.equal((await byKey.get("/api/v1/T1/connection", { origin: EVIL })).status, 200);
    const saved = await byPassword.post("/api/partner/origins", { shop: SHOP, local: "http://localhost:3000" });
    assertMatches(saved, { status: 200, body: { status: "ok", data: { allowedOrigins: { shop: SHOP, local: "http://localhost:3000" } } } });
    const table: [headers: { [name: string]: string }, status: number][] = [
      [{}, 200],
      [{ origin: SHOP }, 200],
      [{ origin: "http://localhost:3000" }, 200],
      [{ origin: EVIL }, 403],
      [{ origin: "null" }, 403],
      [{ origin: `${SHOP}.evil.example` }, 403],
      [{ origin: "http://shop.example" }, 403],
      [{ referer: `${SHOP}/checkout?a=1` }, 200],
      [{ referer: `${EVIL}/${SHOP}/` }, 403],
      [{ referer: "not an address" }, 403],
      [{ origin: SHOP, referer: `${EVIL}/` }, 200],
      [{ origin: EVIL, referer: `${SHOP}/` }, 403],
    ];
    for (const [headers, status] of table) {
      for (let round = 0; round < 3; round++) {
        const answer = await byKey.get("/api/v1/T1/connection", headers);
        assert.equal(answer.status, status, JSON.stringify(headers));
        if (status === 403) assertMatches(answer, FOREIGN);
      }
    }
    // A password is for servers; no page has it.
    assert.equal((await byPassword.get("/api/v1/T1/connection", { origin: EVIL })).status, 200);
    await byPassword.post("/api/partner/origins", {});
    assert.equal((await byKey.get("/api/v1/T1/connection", { origin: EVIL })).status, 200);
  });

  test("pages of listed origins get the answers of CORS, refusals too, and others get none", async () => {
    const origin = `https://${relay.uuid()}.example`;
    const { byKey, byPassword } = await newPartner(relay, { allowedOrigins: { shop: origin } });
    const cors = (answer: { headers: { [name: string]: unknown } }) => answer.headers["access-control-allow-origin"];
    for (const path of ["/api/v1/T1/connection", `/api/v1/${relay.uuid()}/uuid`]) {
      const answer = await byKey.get(path, { origin });
      assert.equal(cors(answer), origin);
      assert.match(String(answer.headers["access-control-expose-headers"]), /X-Request-Id.*Relay-Command-State/);
      assert.equal(answer.headers["vary"], "Origin");
      const without = await byKey.get(path);
      assert.deepEqual([cors(without), without.headers["vary"]], [undefined, "Origin"]);
      assert.equal(cors(await byKey.get(path, { origin: EVIL })), undefined);
    }
    const refusals = [
      await relay.nobody().get("/api/v1/T1/connection", { origin, "api-key": "pk_live_wrong" }),
      await byKey.post("/api/v1/T1/pay", {}, { origin }),
      await byKey.post("/api/v1/T1/pay", "{", { origin }),
    ];
    assert.deepEqual(
      refusals.map(({ status }) => status),
      [401, 400, 400],
    );
    for (const answer of refusals) assert.equal(cors(answer), origin);
    assert.equal(refusals[1]?.headers["vary"], "Origin");
    await byPassword.post("/api/partner/origins", {});
    assert.equal(cors(await byKey.get("/api/v1/T1/connection", { origin })), undefined);
  });

  test("a preflight is answered for listed origins, on what a key opens", async () => {
    const origin = `https://${relay.uuid()}.example`;
    const partner = await newPartner(relay, { allowedOrigins: { shop: origin } });
    const ask = (path: string, method: string, from: string) =>
      relay.nobody().send(path, {
        method: "OPTIONS",
        headers: { origin: from, "access-control-request-method": method, "access-control-request-headers": "api-key" },
      });
    const permitted = await ask("/api/v1/T1/pay", "POST", origin);
    assert.equal(permitted.status, 204, permitted.text);
    assertMatches(permitted.headers, {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": /API-Key, Content-Type/,
      "access-control-max-age": "600",
      vary: /^Origin, Access-Control-Request-Method/,
    });
    assert.equal((await ask("/api/v1/T1/connection", "GET", origin)).status, 204);
    for (const [path, method, from] of [
      ["/api/v1/T1/pay", "POST", EVIL],
      ["/admin/api/partners", "POST", origin],
      ["/api/v1/T1/get", "GET", origin],
    ] as const) {
      const refused = await ask(path, method, from);
      assert.equal(refused.status, 403, path);
      assert.equal(refused.headers["access-control-allow-origin"], undefined);
      assert.match(String(refused.headers["vary"]), /Origin/);
    }
    assert.equal((await ask("/nothing", "GET", origin)).status, 404);
    assert.equal((await ask("/api/v1/T1/pay", "PATCH", origin)).status, 405);
    assert.equal((await relay.nobody().send("/api/v1/T1/pay", { method: "OPTIONS" })).status, 405);
    await relay.administrator().send(`/admin/api/partners/${partner.id}/toggle`, { method: "PATCH" });
    assert.equal((await ask("/api/v1/T1/pay", "POST", origin)).status, 403, "a disabled partner's origin is still listed");
  });

  test("a test of gateway credentials says why it cannot be told, and stores nothing", async () => {
    const { byPassword } = await newPartner(relay);
    const answer = await byPassword.post("/api/partner/gw-credentials/test", { gwTml: "OTHER" });
    assertMatches(answer, { status: 200, body: { status: "ok", data: { accepted: false, message: /gateway/ } } });
    assertMatches((await byPassword.get("/api/partner/gw-credentials")).body, { data: { gwTml: "GWT1" } });
  });

  test("only an enabled partner with its password is let in", async () => {
    const partner = await newPartner(relay);
    const disabled = await newPartner(relay);
    await relay.administrator().send(`/admin/api/partners/${disabled.id}/toggle`, { method: "PATCH" });
    const deleted = await newPartner(relay);
    await relay.administrator().send(`/admin/api/partners/${deleted.id}`, { method: "DELETE" });
    const terminal = await relay.terminal(relay.terminalId());
    const wrong = relay.client({ authorization: basic(partner.username, "wrong") });
    const unknown = {
      nobody: relay.nobody(),
      "a wrong password": wrong,
      "a key": partner.byKey,
      "a disabled partner": disabled.byPassword,
      "a deleted partner": deleted.byPassword,
    };
    await assertAnswersTo(unknown, PATHS, { status: 401 });
    const others = { "the administrator": relay.administrator(), "the fleet": relay.fleet(), "a terminal": terminal };
    await assertAnswersTo(others, PATHS, { status: 403 });
    await assertAnswersTo({ "the partner": partner.byPassword }, PATHS, { status: 200 });
  });
}
