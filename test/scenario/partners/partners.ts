import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { assertOnlyForAdministrator, type Call } from "../../support/http/answers-to.ts";
import type { HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { basic } from "../../support/node/node.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newPartner } from "../../support/people/new-partner.ts";
import { eventually } from "../../support/within.ts";
import { test, testOnNodes } from "../layouts.ts";

const INVALID_KEY = { status: 401, body: { status: "error", error: "Invalid API Key", message: "Invalid API Key" } };
const INVALID_LOGIN = { status: 401, body: { status: "error", error: "Invalid credentials" } };
const NOT_FOUND = { status: 404, body: { status: "error", error: "Partner not found", message: "Partner not found" } };
const GATEWAY = { gwTml: "GWT1", gwApiKey: "GWMERCHANT1", gwSecretKey: "a gateway secret" };

/** The eight endpoints that administer partners. */
function endpointsOf(id: number): Call[] {
  return [
    ["GET", "/admin/api/partners"],
    ["POST", "/admin/api/partners", { username: "x", ...GATEWAY }],
    ["GET", `/admin/api/partners/${id}`],
    ["PUT", `/admin/api/partners/${id}`, {}],
    ["DELETE", `/admin/api/partners/${id}`],
    ["POST", `/admin/api/partners/${id}/reset-password`],
    ["POST", `/admin/api/partners/${id}/generate-api-key`],
    ["PATCH", `/admin/api/partners/${id}/toggle`],
  ];
}

export function partners(relay: Relay): void {
  /** Asked several times, so that every shard is. */
  async function everywhere(caller: HttpClient, expected: object): Promise<void> {
    for (let round = 0; round < 4; round++) assertMatches(await caller.connection("T1"), expected);
  }

  async function entriesOf(subject: string): Promise<unknown[]> {
    const { body } = await relay.administrator().get("/admin/audit?limit=500");
    return listOf(member(body, "data")).filter((entry) => member(entry, "subject") === subject);
  }

  testOnNodes("a partner is created with a password and a key that are shown once and work at once", async () => {
    const username = `shop-${relay.uuid()}`;
    const answer = await relay.administrator().post("/admin/api/partners", { username, ...GATEWAY });
    assertMatches(answer, {
      status: 201,
      body: {
        status: "ok",
        data: { username, apiKey: /^pk_live_[0-9A-Za-z]{32}$/, gwTml: "GWT1", enabled: true },
        generatedPassword: /^.{16,}$/,
        message: /./,
      },
    });
    assert.deepEqual(Object.keys(member(answer.body, "data") as object).sort(), ["apiKey", "enabled", "gwTml", "id", "username"]);
    assert.equal(answer.headers["cache-control"], "no-store");
    const [apiKey, password] = [textMember(answer.body, "data", "apiKey"), textMember(answer.body, "generatedPassword")];
    await everywhere(relay.client({ "api-key": apiKey }), { status: 200 });
    await everywhere(relay.client({ authorization: basic(username, password) }), { status: 200 });
    const id = member(answer.body, "data", "id");
    for (const path of ["/admin/api/partners", `/admin/api/partners/${id}`]) {
      const { text, status } = await relay.administrator().get(path);
      assert.equal(status, 200);
      assert.ok(text.includes(username));
      for (const secret of [apiKey, password, GATEWAY.gwSecretKey]) assert.ok(!text.includes(secret), `${path} shows a secret`);
    }
  });

  test("a partner created with a password of one's own logs in with it; an id and a key are no choice of anybody's", async () => {
    const [username, password] = [`shop-${relay.uuid()}`, `own-${relay.uuid()}`];
    const draft = { username, ...GATEWAY, password, id: 7_777, apiKey: "pk_live_00000000000000000000000000000000" };
    const answer = await relay.administrator().post("/admin/api/partners", draft);
    assertMatches(answer, { status: 201, body: { status: "ok", data: { username, apiKey: /^pk_live_[0-9A-Za-z]{32}$/ } } });
    assert.equal(answer.headers["relay-ignored"], "id, apiKey");
    assert.ok(!answer.text.includes(password) && member(answer.body, "generatedPassword") === undefined);
    assert.notEqual(member(answer.body, "data", "id"), 7_777);
    await everywhere(relay.client({ authorization: basic(username, password) }), { status: 200 });
    await everywhere(relay.client({ "api-key": draft.apiKey }), INVALID_KEY);
    const apiKey = textMember(answer.body, "data", "apiKey");
    const path = `/admin/api/partners/${member(answer.body, "data", "id")}`;
    const changed = await relay.administrator().send(path, { method: "PUT", body: { gwTml: "GWT2", apiKey: draft.apiKey } });
    assert.deepEqual([changed.status, changed.headers["relay-ignored"]], [200, "apiKey"]);
    await everywhere(relay.client({ "api-key": apiKey }), { status: 200 });
  });

  test("a partner is shown, listed page by page, and changed without naming its secrets", async () => {
    const administrator = relay.administrator();
    const { id, username, byKey } = await newPartner(relay);
    const shown = await administrator.get(`/admin/api/partners/${id}`);
    const data = {
      id,
      username,
      gwTml: "GWT1",
      gwApiKey: "GWMERCHANT1",
      enabled: true,
      allowedOrigins: {},
      terminalRule: { ruleType: "ANY" },
    };
    assertMatches(shown, { status: 200, body: { status: "ok", data } });
    await newPartner(relay);
    const seen: unknown[] = [];
    for (let after: unknown = 0; ; ) {
      const { body } = await administrator.get(`/admin/api/partners?limit=1&after=${after}`);
      const [partner] = listOf(member(body, "data"));
      if (partner === undefined) break;
      after = member(partner, "id");
      seen.push(after);
    }
    assert.ok(seen.includes(id) && seen.length >= 3);
    const all = listOf(member((await administrator.get("/admin/api/partners")).body, "data"));
    assert.deepEqual(
      all.map((partner) => member(partner, "id")),
      seen,
    );
    const sentBack = { ...(member(shown.body, "data") as object), gwTml: "GWT2" };
    const changed = await administrator.send(`/admin/api/partners/${id}`, { method: "PUT", body: sentBack });
    assertMatches(changed, { status: 200, body: { status: "ok", data: { ...data, gwTml: "GWT2" } } });
    assert.equal((await byKey.connection("T1")).status, 200);
  });

  test("a partner's rates are raised at run time beyond those of its addresses, told in its answers, and taken back", async () => {
    const { id, byKey } = await newPartner(relay, { rateLimits: { pay: 100 } });
    const path = `/admin/api/partners/${id}`;
    const shown = await relay.administrator().get(path);
    assert.deepEqual(member(shown.body, "data", "rateLimits"), { pay: 100 });
    /** The limits that are told while more is asked for than any address may have. */
    const burst = async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => byKey.pay(relay.terminalId(), { uuid: relay.uuid() })));
      return answers.map(({ status, headers }) => `${status === 429 ? "refused" : "answered"} of ${headers["ratelimit-limit"]}`);
    };
    // A thread that has not seen the key yet refuses it beyond its address's limit; and on a busy machine a burst takes longer than a second.
    await eventually(async () => assert.ok((await burst()).includes("answered of 100")));
    const change = async (rateLimits: object) => {
      const answer = await relay.administrator().send(path, { method: "PUT", body: { rateLimits } });
      assertMatches(answer, { status: 200, body: { data: { rateLimits } } });
    };
    await change({ get: 200 });
    await eventually(async () => {
      const told = await burst();
      assert.deepEqual([...new Set(told)].sort(), ["answered of 10", "refused of 10"]);
    });
    await change({});
    assert.deepEqual(member((await relay.administrator().get(path)).body, "data", "rateLimits"), {});
  });

  test("a partner may use, and see, the terminals of its rule", async () => {
    const [mine, other] = [relay.terminalId(), relay.terminalId()];
    const { id, byKey, byPassword } = await newPartner(relay, { terminalRule: { ruleType: "LIST", ruleValue: `X9, ${mine}` } });
    for (const caller of [byKey, byPassword]) {
      assert.equal((await caller.pay(mine, { uuid: relay.uuid() })).status, 200);
      assert.equal((await caller.pay(other, { uuid: relay.uuid() })).status, 403);
      assert.equal((await caller.connection(other)).status, 403);
    }
    const uuid = relay.uuid();
    await relay.fleet().pay(mine, { uuid });
    assertMatches((await byKey.life(uuid)).body, { status: "ok" });
    const rule = { ruleType: "REGEX", ruleValue: other };
    const changed = await relay.administrator().send(`/admin/api/partners/${id}`, { method: "PUT", body: { terminalRule: rule } });
    assertMatches(changed, { status: 200, body: { data: { terminalRule: rule } } });
    assert.equal((await byKey.pay(other, { uuid: relay.uuid() })).status, 200);
    assert.equal((await byKey.pay(mine, { uuid: relay.uuid() })).status, 403);
  });

  testOnNodes("a new key works and the old one does not, on every shard, once it is answered", async () => {
    const { id, apiKey, byKey, byPassword } = await newPartner(relay);
    const answer = await relay.administrator().post(`/admin/api/partners/${id}/generate-api-key`);
    assertMatches(answer, { status: 200, body: { status: "ok", apiKey: /^pk_live_/, message: /./ } });
    assert.deepEqual(Object.keys(answer.body as object).sort(), ["apiKey", "message", "status"]);
    assert.notEqual(textMember(answer.body, "apiKey"), apiKey);
    await everywhere(byKey, INVALID_KEY);
    await everywhere(relay.client({ "api-key": textMember(answer.body, "apiKey") }), { status: 200 });
    await everywhere(byPassword, { status: 200 });
  });

  test("an old key works for its grace, and not a second longer", async () => {
    const { id, byKey } = await newPartner(relay);
    const path = `/admin/api/partners/${id}`;
    const answer = await relay.administrator().post(`${path}/generate-api-key`, { graceSeconds: 3_600 });
    await everywhere(byKey, { status: 200 });
    assertMatches((await relay.administrator().get(path)).body, { data: { previousKeyUntil: /Z$/ } });
    relay.advance(3_600_000);
    await everywhere(byKey, INVALID_KEY);
    await everywhere(relay.client({ "api-key": textMember(answer.body, "apiKey") }), { status: 200 });
  });

  testOnNodes("a disabled partner is out with key and password, and in again when it is enabled", async () => {
    const { id, byKey, byPassword } = await newPartner(relay);
    const toggle = () => relay.administrator().send(`/admin/api/partners/${id}/toggle`, { method: "PATCH" });
    await everywhere(byPassword, { status: 200 });
    assertMatches(await toggle(), { status: 200, body: { status: "ok", data: { id, enabled: false } } });
    await everywhere(byKey, INVALID_KEY);
    await everywhere(byPassword, INVALID_LOGIN);
    assertMatches(await toggle(), { status: 200, body: { status: "ok", data: { id, enabled: true } } });
    await everywhere(byKey, { status: 200 });
    await everywhere(byPassword, { status: 200 });
    const become = (enabled: boolean) =>
      relay.administrator().send(`/admin/api/partners/${id}/toggle`, { method: "PATCH", body: { enabled } });
    assertMatches(await become(true), { status: 409 });
    assertMatches(await become(false), { status: 200, body: { status: "ok", data: { id, enabled: false } } });
    assertMatches(await become(false), { status: 409 });
    await everywhere(byKey, INVALID_KEY);
    assertMatches(await become(true), { status: 200, body: { status: "ok", data: { id, enabled: true } } });
    await everywhere(byKey, { status: 200 });
  });

  testOnNodes("a reset password replaces the old one", async () => {
    const { id, username, byKey, byPassword } = await newPartner(relay);
    await everywhere(byPassword, { status: 200 });
    const answer = await relay.administrator().post(`/admin/api/partners/${id}/reset-password`);
    assertMatches(answer, { status: 200, body: { status: "ok", data: { id, username, generatedPassword: /^.{16,}$/, message: /./ } } });
    await everywhere(byPassword, INVALID_LOGIN);
    await everywhere(byKey, { status: 200 });
    await everywhere(relay.client({ authorization: basic(username, textMember(answer.body, "data", "generatedPassword")) }), {
      status: 200,
    });
    const body = { password: "a password of my own" };
    assert.equal((await relay.administrator().send(`/admin/api/partners/${id}`, { method: "PUT", body })).status, 200);
    await everywhere(relay.client({ authorization: basic(username, body.password) }), { status: 200 });
  });

  testOnNodes("a deleted partner is out, and its name is free", async () => {
    const { id, username, byKey, byPassword } = await newPartner(relay);
    await everywhere(byPassword, { status: 200 });
    const path = `/admin/api/partners/${id}`;
    assertMatches(await relay.administrator().send(path, { method: "DELETE" }), { status: 200, body: { status: "ok", data: { id } } });
    await everywhere(byKey, INVALID_KEY);
    await everywhere(byPassword, INVALID_LOGIN);
    for (const [method, of, body] of endpointsOf(id).slice(2)) {
      const answer = await relay.administrator().send(of, { method, body });
      assertMatches(answer, of.endsWith("generate-api-key") ? { ...NOT_FOUND, status: 400 } : NOT_FOUND);
    }
    const again = await relay.administrator().post("/admin/api/partners", { username, ...GATEWAY });
    assert.equal(again.status, 201);
    assert.notEqual(member(again.body, "data", "id"), id);
  });

  test("what changed survives a restart", async () => {
    const one = await newPartner(relay);
    const other = await newPartner(relay);
    const { body } = await relay.administrator().post(`/admin/api/partners/${one.id}/generate-api-key`);
    await relay.administrator().send(`/admin/api/partners/${other.id}/toggle`, { method: "PATCH" });
    await relay.restart();
    assertMatches(await one.byKey.connection("T1"), INVALID_KEY);
    assert.equal((await relay.client({ "api-key": textMember(body, "apiKey") }).connection("T1")).status, 200);
    assertMatches(await other.byKey.connection("T1"), INVALID_KEY);
    assert.equal((await one.byPassword.connection("T1")).status, 200);
  });

  test("only the administrator may see and change partners", async () => {
    const partner = await newPartner(relay);
    await assertOnlyForAdministrator(relay, endpointsOf(partner.id), partner);
    await everywhere(partner.byKey, { status: 200 });
  });

  test("bad input is refused by name, and nothing is half-done", async () => {
    const administrator = relay.administrator();
    const { id, username } = await newPartner(relay, { adapterMerId: "MER-1", adapterSecret: "a secret of the adapter" });
    const before = (await administrator.get("/admin/api/partners")).text;
    const draft = { username: `new-${relay.uuid()}`, ...GATEWAY };
    const creations: [unknown, RegExp][] = [
      [{ ...draft, username: undefined }, /username: is required/],
      [{ ...draft, gwTml: undefined }, /gwTml: is required/],
      [{ ...draft, gwApiKey: undefined }, /gwApiKey: is required/],
      [{ ...draft, gwSecretKey: undefined }, /gwSecretKey: is required/],
      [{ ...draft, username }, /username: already exists/],
      [{ ...draft, username: username.toUpperCase() }, /username: already exists/],
      [{ ...draft, username: "admin" }, /username: already exists/],
      [{ ...draft, username: "terminal" }, /username: already exists/],
      [{ ...draft, username: "a:b" }, /username: must be/],
      [{ ...draft, username: "x".repeat(65) }, /username: must be/],
      [{ ...draft, enabled: "yes" }, /enabled: must be true or false/],
      [{ ...draft, password: "of 11 chars" }, /password: must be a string of 12 to 256 characters/],
      [{ ...draft, alowedOrigins: {} }, /alowedOrigins: is not expected here/],
      [{ ...draft, gwSecretKey: "" }, /gwSecretKey: must be/],
      [[], /must be an object/],
      ["{", /is not JSON/],
    ];
    const both: [object, RegExp][] = [
      [{ allowedOrigins: { a: "shop.example" } }, /allowedOrigins\.a: must be an origin/],
      [{ allowedOrigins: { a: 1 } }, /allowedOrigins.a: must be an origin/],
      [{ allowedOrigins: ["https://shop.example"] }, /allowedOrigins: must be an object/],
      [{ terminalRule: { ruleType: "SOME" } }, /terminalRule.ruleType: must be one of ANY, LIST, REGEX/],
      [{ terminalRule: { ruleType: "LIST" } }, /ruleValue must list/],
      [{ terminalRule: { ruleType: "REGEX", ruleValue: "(a" } }, /pattern is not accepted/],
      [{ terminalRule: { ruleType: "REGEX", ruleValue: "(((a{40}){40}){40}){40}" } }, /pattern is not accepted/],
      [{ adapterMerId: "SEVENTEEN-LETTERS" }, /adapterMerId: must be/],
      [{ rateLimits: { pay: 1_001 } }, /rateLimits\.pay: must be/],
      [{ rateLimits: { get: 0 } }, /rateLimits\.get: must be/],
      [{ rateLimits: { pay: 1.5 } }, /rateLimits\.pay: must be/],
      [{ rateLimits: { scan: 20 } }, /rateLimits\.scan: is not expected here/],
      [{ rateLimits: 100 }, /rateLimits: must be an object/],
      [{ adapterMerId: null, adapterSecret: "a secret of the adapter" }, /adapterSecret: must be left out/],
    ];
    const other = await newPartner(relay);
    const after = (await administrator.get("/admin/api/partners")).text;
    for (const [body, told] of [...creations, ...both.map(([change, told]): [unknown, RegExp] => [{ ...draft, ...change }, told])]) {
      assertMatches(await administrator.post("/admin/api/partners", body), {
        status: 400,
        body: { status: "error", error: told, message: told },
      });
    }
    const changes: [object, RegExp][] = [
      ...both,
      [{ username: other.username }, /username: already exists/],
      [{ password: "short" }, /password: must be/],
    ];
    for (const [body, told] of changes) {
      assertMatches(await administrator.send(`/admin/api/partners/${id}`, { method: "PUT", body }), { status: 400, body: { error: told } });
    }
    const clash = { ...draft, adapterMerId: "MER-1", adapterSecret: "a secret of the adapter" };
    assertMatches(await administrator.post("/admin/api/partners", clash), { status: 400, body: { error: "adapterMerId: already exists" } });
    for (const odd of ["x", "0", "-1", "1.5", "9007199254740993"]) {
      assert.equal((await administrator.get(`/admin/api/partners/${odd}`)).status, 400, odd);
    }
    for (const graceSeconds of [-1, 1.5, 604_801, "1"]) {
      assert.equal((await administrator.post(`/admin/api/partners/${id}/generate-api-key`, { graceSeconds })).status, 400);
    }
    assert.notEqual(before, after);
    assert.equal((await administrator.get("/admin/api/partners")).text, after);
  });

  test("every change is in the audit log: who, when, from where, what, and what came of it", async () => {
    const administrator = relay.administrator();
    const partner = await newPartner(relay);
    const path = `/admin/api/partners/${partner.id}`;
    const changes = [
      () => administrator.send(path, { method: "PUT", body: { gwTml: "GWT2", gwSecretKey: "another gateway secret" } }),
      () => administrator.send(path, { method: "PUT", body: { username: "admin" } }),
      () => administrator.post(`${path}/generate-api-key`, undefined, { "x-request-id": "audit-1" }),
      () => administrator.send(`${path}/toggle`, { method: "PATCH" }),
      () => administrator.post(`${path}/reset-password`),
      () => administrator.send(path, { method: "DELETE" }),
      () => administrator.send(path, { method: "DELETE" }),
    ];
    for (const change of changes) {
      await change();
      // Entries that several nodes make in the same millisecond have no order among them.
      await delay(2);
    }
    const who = { actor: "administrator", username: "admin", ipAddress: administrator.localAddress, at: /^\d{4}-.*Z$/, outcome: "done" };
    assertMatches(await entriesOf(String(partner.id)), [
      { ...who, action: "partner.delete", outcome: "refused", code: "not_found" },
      { ...who, action: "partner.delete" },
      { ...who, action: "partner.reset-password" },
      { ...who, action: "partner.toggle" },
      { ...who, action: "partner.generate-api-key", requestId: "audit-1" },
      { ...who, action: "partner.change", members: ["username"], outcome: "refused", code: "invalid_request" },
      { ...who, action: "partner.change", members: ["gwTml", "gwSecretKey"] },
    ]);
    assertMatches(await entriesOf(partner.username), [
      { actor: "administrator", action: "partner.create", members: ["username", "gwTml", "gwApiKey", "gwSecretKey"], outcome: "done" },
    ]);
  });

  testOnNodes("the audit log is read page by page, newest first, by the administrator alone", async () => {
    for (const terminalId of [relay.terminalId(), relay.terminalId(), relay.terminalId()]) {
      await relay.administrator().post(`/admin/terminals/${terminalId}/deny`);
    }
    const whole = listOf(member((await relay.administrator().get("/admin/audit?limit=500")).body, "data"));
    const paged: unknown[] = [];
    for (let before = ""; paged.length < Math.min(whole.length, 12); ) {
      const page = listOf(member((await relay.administrator().get(`/admin/audit?limit=3&before=${before}`)).body, "data"));
      paged.push(...page);
      before = textMember(page.at(-1), "id");
    }
    assert.deepEqual(paged.slice(0, 12), whole.slice(0, paged.length).slice(0, 12));
    const times = whole.map((entry) => textMember(entry, "at"));
    assert.deepEqual(times, [...times].sort().reverse());
    await assertOnlyForAdministrator(relay, [["GET", "/admin/audit"]]);
    for (const query of ["limit=0", "limit=501", "before=a/b"])
      assert.equal((await relay.administrator().get(`/admin/audit?${query}`)).status, 400);
  });
}
