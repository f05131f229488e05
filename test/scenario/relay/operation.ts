import assert from "node:assert/strict";
import { WebSocket } from "ws";
import { filesUnder } from "../../support/files-under.ts";
import { assertMatches, member, textMember } from "../../support/http/matches.ts";
import { basic } from "../../support/node/node.ts";
import { Relay, type RelayOptions } from "../../support/node/relay.ts";
import { AdminPerson } from "../../support/people/admin-person.ts";
import { webSocketUrl } from "../../support/people/stomp-terminal.ts";
import { eventually } from "../../support/within.ts";
import { test, testEverywhere, testOnNodes } from "../layouts.ts";

const MINUTE_MS = 60_000;

export function operation(relay: Relay): void {
  test("the paths of terminals and partners are also served under the service prefix", async () => {
    const [terminalId, uuid, partner, fleet] = [relay.terminalId(), relay.uuid(), relay.partner(), relay.fleet()];
    const paid = await partner.post(`/till/api/v1/${terminalId}/pay`, { uuid, amount: 10, service: "PAYCC" });
    assertMatches(paid, { status: 200, body: { data: { terminalID: terminalId } } });
    assertMatches((await fleet.take(terminalId, {}, "/till")).body, { uuid });
    assert.equal((await fleet.post(`/till/api/v1/${terminalId}/receipt`, { uuid, result: "OK" })).status, 200);
    assertMatches((await fleet.get(`/till/uuid/${uuid}`)).body, { data: { uuid } });
    assertMatches((await fleet.get(`/till/status?terminalId=${terminalId}`)).body, { data: { uuid } });
    assert.equal((await relay.nobody().get(`/till/api/status/ping/${terminalId}`)).status, 200);
    assert.equal((await partner.get(`/other/api/v1/${uuid}/uuid`)).status, 404);
    const duplicate = await fleet.post("/till/pay", { uuid, amount: 10, service: "PAYCC", terminalId });
    assertMatches(duplicate, { status: 400, body: { error: /^Duplicate payment request/ } });
  });

  test("health, documents and metrics answer without credentials", async () => {
    const nobody = relay.nobody();
    assertMatches(await nobody.get("/health/live"), { status: 200, body: { status: "ok" } });
    assertMatches(await nobody.get("/health/ready"), { status: 200, body: { status: "ok" } });
    assertMatches(await nobody.get("/openapi.json"), { status: 200, body: { openapi: /^3\.1/ } });
    assertMatches(await nobody.get("/asyncapi.json"), { status: 200, body: { asyncapi: "3.0.0" } });
    assertMatches(await nobody.get("/openapi/partner.json"), { status: 200, body: { openapi: /^3\.1/ } });
    for (const page of ["/", "/docs"]) assertMatches(await nobody.get(page), { status: 200, headers: { "content-type": /^text\/html/ } });
    assert.equal((await nobody.send("/health/live", { method: "HEAD" })).text, "");
  });

  test("metrics count sessions, commands by their end and answers by endpoint, and name no terminal", async () => {
    const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
    const before = await relay.metric('relay_commands_finished_total{state="cancelled"').catch(() => 0);
    await relay.online(terminalId);
    await relay.online(terminalId);
    await eventually(async () => assert.equal(await relay.metric("relay_sessions "), 2));
    const waiting = relay.terminalId();
    const queued = () => relay.metric('relay_commands{state="queued"}');
    // What earlier scenarios have left would expire at some moment.
    relay.advance(MINUTE_MS);
    await eventually(async () => assert.equal(await queued(), 0));
    await relay.partner().pay(waiting, { uuid });
    assert.equal(await queued(), 1);
    await relay.partner().cancel(uuid);
    assert.equal(await queued(), 0);
    assert.equal(await relay.metric('relay_commands_finished_total{state="cancelled"'), before + 1);
    const { text, headers } = await relay.nobody().get("/metrics");
    assert.match(String(headers["content-type"]), /^text\/plain/);
    for (const name of [
      "outbox_depth",
      "outbox_depth_capped",
      "outbox_oldest_age_seconds",
      "event_loop_delay_seconds",
      "actors",
      "pending_requests",
    ]) {
      assert.match(text, new RegExp(`^relay_${name}[ {]`, "m"));
    }
    assert.match(text, /sendPayment/);
    assert.ok(!text.includes(terminalId) && !text.includes(uuid));
  });

  const alone = relay.clustered ? "it is about a node by itself; several are seen in test/cluster/shared/nodes.test.ts" : false;
  test("the administrator sees the nodes: this one by itself", { skip: alone }, async () => {
    const shown = await relay.administrator().get("/admin/cluster");
    assertMatches(shown, {
      status: 200,
      body: { data: { nodes: [{ state: "live", version: /^\d+\.\d+\.\d+/, since: /Z$/, report: { lapses: 0, stream: null } }] } },
    });
    assert.equal((await relay.partner().get("/admin/cluster")).status, 401);
    assert.equal(await relay.metric("relay_cluster_nodes "), 1);
  });

  test("every answer has a request id, the caller's own where it is harmless", async () => {
    const nobody = relay.nobody();
    assert.match(String((await nobody.get("/nothing")).headers["x-request-id"]), /^[A-Za-z0-9.-]+$/);
    assert.equal((await nobody.get("/health/live", { "x-request-id": "till-7.42" })).headers["x-request-id"], "till-7.42");
    assert.notEqual((await nobody.get("/health/live", { "x-request-id": "a b<c>" })).headers["x-request-id"], "a b<c>");
  });

  testOnNodes("administrators list terminals, page by page", async () => {
    const ids = [relay.terminalId(), relay.terminalId(), relay.terminalId()];
    for (const terminalId of ids) await relay.fleet().poll(terminalId);
    const administrator = relay.administrator();
    await eventually(async () => {
      const seen: unknown[] = [];
      for (let after = ""; ; ) {
        const { body } = await administrator.get(`/admin/terminals?limit=2&after=${after}`);
        const page = (body as { data: { terminalId: string }[] }).data;
        seen.push(...page.map(({ terminalId }) => terminalId));
        const last = page.at(-1);
        if (page.length < 2 || last === undefined) break;
        after = last.terminalId;
      }
      assert.deepEqual(
        ids.filter((terminalId) => !seen.includes(terminalId)),
        [],
      );
      assert.equal(new Set(seen).size, seen.length);
    });
  });

  testEverywhere("a stop answers what is under way, and loses nothing that was answered 200", async () => {
    const fleet = relay.fleet();
    const terminalId = relay.terminalId();
    const session = await relay.online(terminalId);
    const waited = relay.uuid();
    await fleet.pay(relay.terminalId(), { uuid: waited });
    const waiting = fleet.uuid(waited, 30);
    await eventually(async () => assert.equal(await relay.metric("relay_waiting_lookups"), 1));
    const pays = Array.from({ length: 40 }, () => ({ terminalId: relay.terminalId(), uuid: relay.uuid() }));
    const sending = pays.map(({ terminalId: target, uuid }) =>
      relay
        .partner()
        .pay(target, { uuid })
        .then(
          ({ status }) => status,
          // Those that came after the listener was closed.
          (error: NodeJS.ErrnoException) => error.code,
        ),
    );
    await relay.restart();
    assertMatches(await waiting, { status: 200, body: { status: "ok", data: null, message: "no_content" } });
    assert.equal((await session.closes.next()).code, 1001);
    const outcomes = await Promise.all(sending);
    for (const outcome of outcomes) assert.ok(outcome === 200 || outcome === 503 || typeof outcome === "string", String(outcome));
    for (const [index, { terminalId: target, uuid }] of pays.entries()) {
      if (outcomes[index] !== 200) continue;
      assertMatches((await fleet.take(target)).body, { uuid });
    }
  });

  test("no card number reaches the disk", async () => {
    const [terminalId, uuid, fleet] = [relay.terminalId(), relay.uuid(), relay.fleet()];
    const pan = "4539578763621486";
    await relay.partner().pay(terminalId, { uuid });
    await fleet.take(terminalId);
    await fleet.receipt(terminalId, { uuid, result: "OK", pan, cardNumber: pan, free: { text: `x${pan}y` } });
    await fleet.receipt(terminalId, { uuid, result: "KO", pan });
    await fleet.receipt(terminalId, { uuid, result: "?", pan });
    await fleet.post(`/api/v1/${terminalId}/logs`, { pan, text: pan });
    let found = false;
    for (const directory of relay.dataDirectories()) {
      for (const { name, bytes } of await filesUnder(directory)) {
        assert.ok(!bytes.includes(pan), `${name} holds a card number`);
        found ||= bytes.includes(uuid);
      }
    }
    assert.ok(found, "the result was looked for in the wrong place");
  });
}

/** With RELAY_PARTNER_DEFAULT_RULE=none. */
async function newPartnerUsesNone(production: Relay, administrator: AdminPerson, terminalId: string): Promise<void> {
  const created = await administrator.send("POST", "/api/partners", {
    username: "new",
    gwTml: "GW1",
    gwApiKey: "M1",
    gwSecretKey: "secret",
  });
  assertMatches(created, {
    status: 201,
    body: { terminalRule: { ruleType: "LIST", ruleValue: "" }, message: /It may use no terminal until its terminalRule is set/ },
  });
  const partner = production.client({ "api-key": textMember(created.body, "data", "apiKey") });
  assert.equal((await partner.pay(terminalId, { uuid: production.uuid() })).status, 403);
  assert.equal((await partner.post(`/api/v1/${terminalId}/scan`, {})).status, 403);
  assert.equal((await partner.connection(terminalId)).status, 403);
  const path = `/api/partners/${String(member(created.body, "data", "id"))}`;
  const terminalRule = { ruleType: "LIST", ruleValue: terminalId };
  assertMatches(await administrator.send("PUT", path, { terminalRule }), {
    status: 200,
    body: { data: { terminalRule } },
  });
  assert.equal((await partner.pay(terminalId, { uuid: production.uuid() })).status, 200);
}

/** A node as it runs outside the sandbox. */
export function production(startable: RelayOptions): void {
  test("in production no default credential works, sessions want a login and logs want a credential", async () => {
    const production = new Relay({
      ...startable,
      environment: {
        ...startable.environment,
        RELAY_MODE: "production",
        RELAY_HOST: "127.0.0.1",
        RELAY_TERMINAL_SECRET: "a-secret-of-this-test-only",
        RELAY_SECRET_KEY: "q2r9C2Xq0o6Qb0V3J8cVbFh3b0k4m1Zl7pXn5sYtT2E=",
        RELAY_ADMIN_PASSWORD: "an-admin-password-of-this-test",
        RELAY_PARTNER_DEFAULT_RULE: "none",
        RELAY_METRICS_PORT: "0",
        RELAY_METRICS_TOKEN: "a-metrics-token-of-this-test",
      },
    });
    await production.start();
    try {
      const terminalId = production.terminalId();
      for (const caller of [production.partner(), production.fleet(), production.administrator()]) {
        assert.equal((await caller.connection(terminalId)).status, 401);
      }
      const partnerApi = production.client({ authorization: "Bearer pk_partner_sandbox_0000000000000000000000000000" });
      assertMatches(await partnerApi.get("/partner/api/v1/me"), { status: 401, body: { success: false, code: "unauthorized" } });
      await assert.rejects(production.connect());
      assert.equal((await production.nobody().post(`/api/v1/${terminalId}/logs`, {})).status, 401);
      // A password alone gives no login away.
      const administrator = new AdminPerson(production, { username: "admin", password: "an-admin-password-of-this-test" });
      assert.equal((await administrator.begin()).status, 200);
      await administrator.enrol();
      const { body } = await administrator.send("GET", `/terminals/${terminalId}/credentials`);
      const { password } = (body as { data: { password: string } }).data;
      const terminal = production.client({ authorization: basic(terminalId, password) });
      assert.equal((await terminal.poll(terminalId)).status, 204);
      assert.equal((await terminal.post(`/api/v1/${terminalId}/logs`, { a: 1 })).status, 200);
      // A browser attaches a login that it remembers to a foreign page's WebSocket: only CONNECT's own login counts there.
      const authorization = basic(terminalId, password);
      const upgraded = (headers: { [name: string]: string }, login = {}) =>
        production.connect({
          ...login,
          webSocketFactory: () =>
            new WebSocket(webSocketUrl(production.node.url), ["v12.stomp"], { headers: { authorization, ...headers } }),
        });
      await upgraded({});
      await assert.rejects(upgraded({ origin: "https://evil.example" }));
      await upgraded({ origin: "https://evil.example" }, { login: terminalId, passcode: password });
      assert.equal((await terminal.post(`/api/v1/${production.terminalId()}/logs`, { a: 1 })).status, 403);
      await newPartnerUsesNone(production, administrator, terminalId);
      const token = "Bearer a-metrics-token-of-this-test";
      for (const authorization of ["", "Bearer a-metrics-token-of-this-tes", basic("admin", "an-admin-password-of-this-test")]) {
        const refused = await production.nobody().get("/metrics", { authorization });
        assertMatches(refused, { status: 401, headers: { "www-authenticate": /^Bearer/ }, body: { error: /RELAY_METRICS_TOKEN/ } });
      }
      assert.match((await production.nobody().get("/metrics", { authorization: token })).text, /^relay_sessions/m);
      const { metricsUrl } = production.node;
      assert.ok(metricsUrl !== null);
      assert.equal((await fetch(metricsUrl)).status, 401);
      assert.match(await (await fetch(metricsUrl, { headers: { authorization: token } })).text(), /^relay_sessions/m);
    } finally {
      await production.leaveAll();
      await production.stop();
    }
  });
}
