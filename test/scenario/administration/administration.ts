import assert from "node:assert/strict";
import { assertOnlyForAdministrator, type Call } from "../../support/http/answers-to.ts";
import { CREDENTIALS } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newMerchant } from "../../support/people/new-merchant.ts";
import { newPartner } from "../../support/people/new-partner.ts";
import { eventually } from "../../support/within.ts";
import { test, testOnNodes } from "../layouts.ts";

const TAGS = { tagDF8102: "3031", tagDF8103: "3233" };

/** Administration endpoints that keep records, and the relay's own beside them. */
const ENDPOINTS: Call[] = [
  ["GET", "/admin/zvt/config"],
  ["POST", "/admin/zvt/config", { enabled: true }],
  ["GET", "/admin/zvt/routes"],
  ["POST", "/admin/zvt/routes/r1/release"],
  ["GET", "/admin/terminal-groups"],
  ["POST", "/admin/terminal-groups", { name: "g", terminalIds: ["T1"], managerTerminalIds: [] }],
  ["POST", "/admin/terminal-groups/test", { managerTerminalId: "M1", terminalId: "T1" }],
  ["DELETE", "/admin/terminal-groups/g"],
  ["GET", "/admin/gw-credentials"],
  ["POST", "/admin/gw-credentials", { gwTml: "T", gwApiKey: "K", gwSecretKey: "S" }],
  ["POST", "/admin/gw-credentials/test", { gwTml: "T", gwApiKey: "K", gwSecretKey: "S" }],
  ["GET", "/admin/cloud-configs"],
  ["POST", "/admin/cloud-configs", { terminalId: "T1" }],
  ["DELETE", "/admin/cloud-configs/T1"],
  ["POST", "/admin/cluster/nodes/node-1/drain"],
  ["POST", "/admin/redis-sessions/clear"],
  ["POST", "/admin/receipts/clean"],
  ["GET", "/admin/dashboard"],
];

export function administration(relay: Relay): void {
  const post = (path: string, body: unknown) => relay.administrator().post(path, body);
  const remove = (path: string) => relay.administrator().send(path, { method: "DELETE" });

  test("only the administrator administers", async () => {
    await assertOnlyForAdministrator(relay, ENDPOINTS);
  });

  testOnNodes("a group's manager subscribes, polls and posts for its members, and no longer when it is out of the group", async () => {
    const [manager, mine, other, name] = [relay.terminalId(), relay.terminalId(), relay.terminalId(), `group ${relay.terminalId()}`];
    const caller = await relay.terminal(manager);
    assert.equal((await caller.poll(mine)).status, 403);
    const group = { name, terminalIds: [mine], managerTerminalIds: [manager] };
    assertMatches(await post("/admin/terminal-groups", group), { status: 200, body: { status: "ok", data: { ...group, enabled: true } } });

    const [polled, pushed] = [relay.uuid(), relay.uuid()];
    await relay.partner().pay(mine, { uuid: polled });
    for (let round = 0; round < 3; round++) assert.equal((await caller.poll(other)).status, 403);
    assertMatches(await caller.take(mine), { status: 200, body: { uuid: polled, terminalId: mine } });
    assert.equal((await caller.receipt(other, { uuid: polled, result: "OK" })).status, 403);
    assert.equal((await caller.receipt(mine, { uuid: polled, result: "OK" })).status, 200);
    assertMatches((await relay.partner().uuid(polled)).body, { data: { terminalId: mine, status: "OK" } });

    const session = await relay.online(manager);
    const commands = await session.subscribe(mine);
    await relay.connectionBecomes(mine, { connectionStatus: "ONLINE", sessions: 1 });
    await relay.partner().pay(mine, { uuid: pushed });
    assertMatches((await commands.next()).command, { uuid: pushed });
    await session.result(mine, { uuid: pushed, result: "KO" });
    assertMatches((await relay.partner().uuid(pushed)).body, { data: { terminalId: mine, status: "KO" } });
    // Managing is not paying: a till does not charge on another one.
    assert.equal((await caller.pay(mine, { uuid: relay.uuid() })).status, 403);

    await post("/admin/terminal-groups", { ...group, managerTerminalIds: [] });
    assertMatches((await session.errors.next()).headers, { code: "forbidden" });
    for (let round = 0; round < 3; round++) assert.equal((await caller.poll(mine)).status, 403);
  });

  test("a group that is disabled or deleted opens nothing, and groups add up", async () => {
    const [manager, a, b] = [relay.terminalId(), relay.terminalId(), relay.terminalId()];
    const caller = await relay.terminal(manager);
    const one = { name: `one ${manager}`, terminalIds: [a], managerTerminalIds: [manager] };
    const two = { name: `two ${manager}`, terminalIds: [a, b], managerTerminalIds: [manager] };
    await post("/admin/terminal-groups", one);
    await post("/admin/terminal-groups", two);
    const may = async () => Promise.all([a, b].map(async (terminalId) => (await caller.poll(terminalId)).status));
    assert.deepEqual(await may(), [204, 204]);
    await post("/admin/terminal-groups", { ...two, enabled: false });
    assert.deepEqual(await may(), [204, 403]);
    assertMatches(await post("/admin/terminal-groups/test", { managerTerminalId: manager, terminalId: a }), {
      status: 200,
      body: { status: "ok", data: { allowed: true, managerTerminalId: manager, terminalId: a, groups: [one.name] } },
    });
    assertMatches((await post("/admin/terminal-groups/test", { managerTerminalId: manager, terminalId: b })).body, {
      data: { allowed: false, groups: [] },
    });
    assertMatches((await post("/admin/terminal-groups/test", { managerTerminalId: b, terminalId: b })).body, { data: { allowed: true } });
    assertMatches(await remove(`/admin/terminal-groups/${encodeURIComponent(one.name)}`), {
      status: 200,
      body: { data: { name: one.name } },
    });
    assert.deepEqual(await may(), [403, 403]);
    assert.equal((await remove(`/admin/terminal-groups/${encodeURIComponent(one.name)}`)).status, 404);
    const names = listOf(member((await relay.administrator().get("/admin/terminal-groups")).body, "data")).map((group) =>
      member(group, "name"),
    );
    assert.ok(names.includes(two.name) && !names.includes(one.name));
    assert.deepEqual(names, [...names].sort());
  });

  test("a cloud configuration decides how tags reach the terminal, whatever its device tells", async () => {
    const terminalId = relay.terminalId();
    const fleet = relay.fleet();
    const sent = async () => {
      await relay.partner().pay(terminalId, { uuid: relay.uuid(), service: "PAYTAG", ...TAGS });
      const { body } = await fleet.take(terminalId, { "x-terminal-family": "privative-tags" });
      return ["privativeTags", "additionalField47data"].filter((name) => Object.hasOwn(body as object, name));
    };
    await fleet.poll(terminalId, { "x-terminal-family": "privative-tags" });
    // The shard that answered the poll tells the terminal's home a moment later.
    await eventually(async () => {
      const { body } = await relay.administrator().get(`/admin/terminals/${terminalId}`);
      assertMatches(body, { data: { device: { family: "privative-tags" } } });
    });
    assert.deepEqual(await sent(), ["privativeTags"]);
    assert.equal((await post("/admin/cloud-configs", { terminalId, family: "field-47" })).status, 200);
    assert.deepEqual(await sent(), ["additionalField47data"]);
    await post("/admin/cloud-configs", { terminalId, family: "no-tags" });
    const refused = await relay.partner().pay(terminalId, { uuid: relay.uuid(), service: "VERIFYTAG" });
    assertMatches(refused, { status: 400, body: { error: /VERIFYTAG is not supported/ } });
    await post("/admin/cloud-configs", { terminalId, family: null });
    assert.deepEqual(await sent(), ["privativeTags"]);
  });

  test("a cloud configuration says which currency a terminal takes payments in", async () => {
    const [terminalId, partner, fleet] = [relay.terminalId(), relay.partner(), relay.fleet()];
    const configured = await post("/admin/cloud-configs", { terminalId, currency: "chf" });
    assertMatches(configured, { status: 200, body: { data: { terminalId, currency: "CHF", family: null } } });
    assertMatches(await post("/admin/cloud-configs", { terminalId, group: "shops" }), { body: { data: { currency: "CHF" } } });
    for (const currency of ["XQX", "EURO", "978", 978, ""]) {
      assertMatches(await post("/admin/cloud-configs", { terminalId, currency }), {
        status: 400,
        body: { error: /^currency: must be an ISO 4217 code/ },
      });
    }
    const other = relay.uuid();
    assertMatches(await partner.pay(terminalId, { uuid: other, currency: "EUR" }), {
      status: 400,
      body: { status: "error", error: "currency: must be CHF, for which the terminal is configured" },
    });
    assert.equal((await partner.life(other)).status, 404);

    for (const named of [{}, { currency: "CHF" }, { currency: "756" }, { currency: null }]) {
      const uuid = relay.uuid();
      assert.equal((await partner.pay(terminalId, { uuid, ...named })).status, 200);
      assertMatches((await fleet.take(terminalId)).body, { uuid, currency: "CHF" });
      await fleet.receipt(terminalId, { uuid, result: "OK" });
      assertMatches((await partner.uuid(uuid)).body, { data: { amountCents: 1_050, currency: "CHF" } });
    }
    await post("/admin/cloud-configs", { terminalId, currency: null });
    const uuid = relay.uuid();
    assert.equal((await partner.pay(terminalId, { uuid, currency: "EUR" })).status, 200);
    assertMatches((await fleet.take(terminalId)).body, { uuid, currency: "EUR" });
    assert.deepEqual(await relay.attention(terminalId), []);
  });

  test("a cloud configuration puts its merchant on the terminal's transactions", async () => {
    const [terminalId, fleet] = [relay.terminalId(), relay.fleet()];
    const take = async (members: object) => {
      const uuid = relay.uuid();
      await relay.partner().pay(terminalId, { uuid });
      await fleet.poll(terminalId);
      const post = () => fleet.receipt(terminalId, { uuid, result: "OK", ...members });
      assert.equal((await post()).status, 200);
      return { uuid, again: post, merchant: async () => member((await fleet.uuid(uuid)).body, "data", "merchantId") };
    };
    const [{ merchantId: one }, { merchantId: other }] = [await newMerchant(relay), await newMerchant(relay)];
    const before = await take({ merchantId: "TOLD" });
    assert.equal(await before.merchant(), "TOLD");
    await post("/admin/cloud-configs", { terminalId, merchantId: one });
    const [telling, silent] = [await take({ merchantId: "TOLD" }), await take({})];
    assert.equal(await telling.merchant(), one);
    assert.equal(await silent.merchant(), one);
    await post("/admin/cloud-configs", { terminalId, merchantId: other });
    // The same result again is the same, whichever merchant is administered meanwhile.
    for (const result of [before, telling, silent]) assert.equal((await result.again()).status, 200);
    assert.deepEqual(await relay.attention(terminalId), []);
    assert.deepEqual([await before.merchant(), await telling.merchant(), await silent.merchant()], ["TOLD", one, one]);
  });

  test("a cloud configuration names a merchant that exists and is active; one that is configured already stays", async () => {
    const terminalId = relay.terminalId();
    const { merchantId, partner } = await newMerchant(relay);
    const refused = (told: string) => ({ status: 400, body: { status: "error", error: told } });
    for (const invented of [`${merchantId}-x`, "no such shop", "..."]) {
      assertMatches(
        await post("/admin/cloud-configs", { terminalId, merchantId: invented }),
        refused("merchantId: there is no such merchant"),
      );
    }
    assert.equal((await remove(`/admin/cloud-configs/${terminalId}`)).status, 404, "nothing was stored");
    assertMatches(await post("/admin/cloud-configs", { terminalId, merchantId }), { status: 200, body: { data: { merchantId } } });
    assert.equal((await partner.call("DELETE", `/merchants/${merchantId}`)).status, 200);
    // What a page sends that shows all members and changes one.
    const changed = await post("/admin/cloud-configs", { terminalId, merchantId, group: "shops" });
    assertMatches(changed, { status: 200, body: { data: { merchantId, group: "shops" } } });
    const other = { terminalId: relay.terminalId(), merchantId };
    assertMatches(await post("/admin/cloud-configs", other), refused("merchantId: this merchant is deactivated"));
    assertMatches(await post("/admin/cloud-configs", { terminalId, merchantId: null }), {
      status: 200,
      body: { data: { merchantId: null } },
    });
    assertMatches(await post("/admin/cloud-configs", { terminalId, merchantId }), refused("merchantId: this merchant is deactivated"));
  });

  testOnNodes("a terminal that polls learns from its poll that it has settings, and fetches them itself", async () => {
    const terminalId = relay.terminalId();
    const [terminal, other] = [await relay.terminal(terminalId), await relay.terminal(relay.terminalId())];
    const path = `/api/v1/${terminalId}/settings`;
    assertMatches(await terminal.poll(terminalId), { status: 204, headers: { "relay-settings": undefined } });
    assertMatches(await terminal.get(path), { status: 200, body: { status: "ok", data: { terminalId, version: 0, settings: {} } } });
    await post("/admin/cloud-configs", { terminalId, merchantId: (await newMerchant(relay)).merchantId });
    assertMatches(await terminal.poll(terminalId), { status: 204, headers: { "relay-settings": undefined } });

    await post("/admin/cloud-configs", { terminalId, settings: { idleText: "Welcome", brightness: 80, night: null } });
    const polled = await terminal.poll(terminalId);
    assertMatches(polled, { status: 204, headers: { "relay-settings": /^[1-9]\d*$/ } });
    const version = Number(polled.headers["relay-settings"]);
    const shown = await terminal.get(path);
    assert.deepEqual(member(shown.body, "data"), { terminalId, version, settings: { idleText: "Welcome", brightness: 80, night: null } });
    await relay.partner().pay(terminalId, { uuid: relay.uuid() });
    assertMatches(await terminal.take(terminalId), { status: 200, headers: { "relay-settings": String(version) } });

    relay.advance(1_000);
    await post("/admin/cloud-configs", { terminalId, settings: { idleText: "Closed" } });
    const later = await terminal.poll(terminalId);
    assert.ok(Number(later.headers["relay-settings"]) > version);
    assertMatches(await terminal.get(path), { body: { data: { settings: { idleText: "Closed" } } } });
    for (const caller of [other, relay.client(CREDENTIALS.partnerByPassword)]) assert.equal((await caller.get(path)).status, 403);
    for (const caller of [relay.nobody(), relay.partner()]) assert.equal((await caller.get(path)).status, 401);
    await remove(`/admin/cloud-configs/${terminalId}`);
    assertMatches(await terminal.poll(terminalId), { status: 204, headers: { "relay-settings": undefined } });
  });

  testOnNodes("a terminal is told its settings when it connects and when they change, and nothing else of its configuration", async () => {
    const terminalId = relay.terminalId();
    await post("/admin/cloud-configs", { terminalId, settings: { idleText: "Welcome", brightness: 80 } });
    const terminal = await relay.online(terminalId);
    const notice = { service: "CONFIG", amount: 0, terminalId };
    assertMatches((await terminal.commands.next()).command, { ...notice, settings: { idleText: "Welcome", brightness: 80 } });
    await post("/admin/cloud-configs", {
      terminalId,
      merchantId: (await newMerchant(relay)).merchantId,
      family: "field-47",
      group: "shops",
    });
    await post("/admin/cloud-configs", { terminalId, settings: { idleText: "Closed" } });
    const { command } = await terminal.commands.next();
    assertMatches(command, { ...notice, settings: { idleText: "Closed" } });
    assert.deepEqual(member(command, "settings"), { idleText: "Closed" });
    const other = await relay.online(relay.terminalId());
    await remove(`/admin/cloud-configs/${terminalId}`);
    assert.deepEqual(member((await terminal.commands.next()).command, "settings"), {});
    assert.deepEqual([terminal.commands.waiting, other.commands.waiting], [[], []]);
    const uuid = relay.uuid();
    await relay.partner().pay(terminalId, { uuid });
    assertMatches((await terminal.commands.next()).command, { uuid });
    assert.equal((await remove(`/admin/cloud-configs/${terminalId}`)).status, 404);
  });

  test("cloud configurations are kept: absent members stay, null takes one away, pages follow one another", async () => {
    const ids = [relay.terminalId(), relay.terminalId(), relay.terminalId()];
    const [first] = ids;
    for (const terminalId of ids) await post("/admin/cloud-configs", { terminalId, group: "paged" });
    const { merchantId } = await newMerchant(relay);
    await post("/admin/cloud-configs", { terminalId: first, merchantId, family: "field-47", settings: { a: 1, b: null } });
    const changed = await post("/admin/cloud-configs", { terminalId: first, family: null });
    const data = { terminalId: first, merchantId, group: "paged", family: null, settings: { a: 1, b: null }, updatedAt: /Z$/ };
    assertMatches(changed, { status: 200, body: { status: "ok", data } });
    await relay.restart();
    const seen: unknown[] = [];
    for (let after: unknown = ""; ; ) {
      const page = listOf(member((await relay.administrator().get(`/admin/cloud-configs?limit=2&after=${after}`)).body, "data"));
      seen.push(...page);
      if (page.length < 2) break;
      after = member(page.at(-1), "terminalId");
    }
    assertMatches(
      seen.filter((config) => member(config, "group") === "paged"),
      [data, { terminalId: ids[1] }, { terminalId: ids[2] }],
    );
  });

  testOnNodes("of changes of one configuration at once none is lost, and a terminal is told last what is stored", async () => {
    for (let round = 1; round <= 5; round += 1) {
      const terminalId = relay.terminalId();
      const terminal = await relay.online(terminalId);
      const { merchantId } = await newMerchant(relay);
      const members = [{ merchantId }, { group: "at once" }, { family: "field-47" }];
      const numbers = [1, 2, 3, 4];
      const answers = await Promise.all([
        ...members.map((change) => post("/admin/cloud-configs", { terminalId, ...change })),
        ...numbers.map((number) => post("/admin/cloud-configs", { terminalId, settings: { number } })),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        answers.map(() => 200),
      );
      const shown = await relay.fleet().get(`/api/v1/${terminalId}/settings`);
      const stored = member(shown.body, "data", "settings");
      await eventually(() => assert.deepEqual(member(terminal.commands.waiting.at(-1)?.command, "settings"), stored));
      const page = listOf(member((await relay.administrator().get("/admin/cloud-configs?limit=500")).body, "data"));
      const config = page.find((one) => member(one, "terminalId") === terminalId);
      assertMatches(config, { merchantId, group: "at once", family: "field-47", settings: stored });
    }
  });

  test("the installation's gateway account is set, shown masked, and never shown whole", async () => {
    const account = { gwTml: "INSTALL1", gwApiKey: "INSTALLMER1", gwSecretKey: `installation secret ${relay.uuid()}` };
    const data = { configured: true, gwTml: "INSTALL1", gwApiKey: "INST*******", gwSecretKey: "********" };
    assertMatches(await post("/admin/gw-credentials", account), { status: 200, body: { status: "ok", data } });
    assertMatches(await post("/admin/gw-credentials", { gwTml: "INSTALL2" }), {
      status: 200,
      body: { data: { ...data, gwTml: "INSTALL2" } },
    });
    assertMatches(await relay.administrator().get("/admin/gw-credentials"), {
      status: 200,
      body: { data: { ...data, gwTml: "INSTALL2" } },
    });
    const tested = await post("/admin/gw-credentials/test", undefined);
    assertMatches(tested, { status: 200, body: { status: "ok", data: { accepted: false, message: /gateway/ } } });
    for (const body of [{}, { gwTml: "" }, { gwSecretKey: 1 }, { secret: "x" }])
      assert.equal((await post("/admin/gw-credentials", body)).status, 400);
  });

  testOnNodes("of changes of the ZVT listener's configuration at once none is lost", async () => {
    const changes = [{ timeoutSeconds: 77 }, { maxConnections: 7 }, { port: 40_077 }, { loggingLevel: "ERROR" }];
    for (const { status } of await Promise.all(changes.map((change) => post("/admin/zvt/config", change)))) assert.equal(status, 200);
    const { body } = await relay.administrator().get("/admin/zvt/config");
    assertMatches(body, { data: Object.assign({}, ...changes) });
  });

  test("the ZVT listener's configuration is checked, stored, and said to need a restart", async () => {
    const config = { enabled: true, port: 40_007, timeoutSeconds: 30, maxConnections: 5, loggingLevel: "WARN", logRawBytes: false };
    assertMatches(await post("/admin/zvt/config", { ...config, something: "else" }), {
      status: 200,
      body: { status: "ok", data: { ...config, stored: true, restartRequired: true, message: /restart/ } },
    });
    const bad = [
      { port: 0 },
      { port: 65_536 },
      { port: "40007" },
      { timeoutSeconds: 0 },
      { maxConnections: 1.5 },
      { loggingLevel: "TRACE" },
      { enabled: 1 },
      [],
    ];
    for (const body of bad) assert.equal((await post("/admin/zvt/config", body)).status, 400, JSON.stringify(body));
    await post("/admin/zvt/config", { port: 40_008 });
    await relay.restart();
    assertMatches((await relay.administrator().get("/admin/zvt/config")).body, { data: { ...config, port: 40_008, stored: true } });
  });

  test("routes of cash registers are checked as a whole, and what is refused is named", async () => {
    const { username } = await newPartner(relay);
    const route = { id: "till-1", terminalId: "T1", partnerUsername: username };
    const before = (await relay.administrator().get("/admin/zvt/config")).body;
    const refused: [object, RegExp][] = [
      [{ routes: [{ ...route, id: "a/b" }] }, /routes.0.id: must be/],
      [{ routes: [{ ...route, id: "4111111111111111" }] }, /routes.0.id: must not be a card number/],
      [{ routes: [{ ...route, terminalId: "a b" }] }, /routes.0.terminalId: is not a terminal id/],
      [{ routes: [{ ...route, partnerUsername: "nobody" }] }, /routes.0.partnerUsername: no partner has this name/],
      [{ routes: [{ ...route, service: "VERIFYTAG" }] }, /routes.0.service/],
      [{ routes: [{ ...route, port: 0 }] }, /routes.0.port/],
      [{ routes: [{ ...route, port: 70_000 }] }, /routes.0.port/],
      [{ routes: [{ ...route, clients: ["10.0.0.0/33"] }] }, /routes.0.clients: .*neither an address nor a network/],
      [{ routes: [{ ...route, clients: ["here"] }] }, /routes.0.clients/],
      [{ routes: [{ ...route, tid: "1234567" }] }, /routes.0.tid/],
      [{ routes: [{ ...route, something: 1 }] }, /something: is not expected here/],
      [{ routes: [route, route] }, /routes.1.id: is already used by another route/],
      [{ routes: [route, { ...route, id: "till-2" }] }, /till-1 and till-2 cannot be distinguished/],
      [
        {
          routes: [
            { ...route, port: 40_007 },
            { ...route, id: "till-2" },
          ],
          port: 40_007,
        },
        /cannot be distinguished/,
      ],
      [
        {
          routes: [
            { ...route, clients: ["10.1.2.3/8"] },
            { ...route, id: "till-2", clients: ["10.0.0.0/8"] },
          ],
        },
        /cannot be distinguished/,
      ],
      [{ routes: Array.from({ length: 257 }, (_, index) => ({ ...route, id: `r${index}` })) }, /routes/],
      [{ bindHost: "10.0.0.1/8" }, /bindHost: must be an address/],
      [{ bindHost: "somewhere" }, /bindHost/],
      [{ bindHost: "0.0.0.0", allowedClients: ["10.0.0.0/8"] }, /bindHost: must be a loopback address in the sandbox/],
      [{ allowedClients: ["10.0.0.0/8", "x"] }, /allowedClients/],
      [{ tls: "on" }, /tls: RELAY_TLS_CERT and RELAY_TLS_KEY are not set/],
      [{ tls: "mutual" }, /tls/],
      [{ reattachSeconds: 0 }, /reattachSeconds/],
      [{ disconnectGraceSeconds: -1 }, /disconnectGraceSeconds/],
    ];
    for (const [body, error] of refused) {
      assertMatches(await post("/admin/zvt/config", body), { status: 400, body: { error } }, JSON.stringify(body).slice(0, 200));
    }
    // What is wrong with a password is said without it.
    for (const password of ["12345", "1234567", "98765a"]) {
      const { status, text } = await post("/admin/zvt/config", { routes: [{ ...route, password }] });
      assert.equal(status, 400);
      assert.match(text, /routes.0.password: must be/);
      assert.equal(text.includes(password), false);
    }
    assert.deepEqual((await relay.administrator().get("/admin/zvt/config")).body, before);
  });

  test("a route keeps its password until another or none is given, and nobody is shown it", async () => {
    const { username } = await newPartner(relay);
    const route = { id: "till-1", terminalId: "T1", partnerUsername: username };
    const save = async (change: object) => {
      const { status, text, body } = await post("/admin/zvt/config", { enabled: false, routes: [{ ...route, ...change }] });
      assert.equal(status, 200, text);
      assert.equal(text.includes("778899"), false);
      return body;
    };
    const shown = (hasPassword: boolean) => ({
      data: { routes: [{ ...route, service: "PAYCC", port: null, clients: [], hasPassword, tid: null }] },
    });
    assertMatches(await save({ password: "778899" }), shown(true));
    assertMatches(await save({}), shown(true));
    assertMatches((await relay.administrator().get("/admin/zvt/config")).body, shown(true));
    assertMatches(await save({ password: null }), shown(false));
    assertMatches(await save({}), shown(false));
    assert.equal((await relay.administrator().get("/admin/zvt/config")).text.includes("sealed"), false);
  });

  test("a route that no unknown outcome holds is not released", async () => {
    assertMatches(await post("/admin/zvt/routes/nobody/release", undefined), { status: 404, body: { error: /no such route/ } });
    assertMatches(await post("/admin/zvt/routes/a%20b/release", undefined), { status: 400 });
  });

  test("bad groups and configurations are refused by name, and nothing is stored", async () => {
    const group = { name: "bad", terminalIds: ["T1"], managerTerminalIds: ["M1"] };
    const groups: [unknown, RegExp][] = [
      [{ ...group, name: "" }, /name: must be/],
      [{ ...group, name: "a/b" }, /name: must be/],
      [{ ...group, terminalIds: [] }, /terminalIds: must be a list/],
      [{ ...group, terminalIds: ["T1", "T1"] }, /terminalIds: must not contain the same item twice/],
      [{ ...group, terminalIds: ["T1", "T 2"] }, /terminalIds.1: is not a terminal id/],
      [{ ...group, managerTerminalIds: ["commands"] }, /managerTerminalIds.0: is not a terminal id/],
      [{ ...group, managerTerminalIds: undefined }, /managerTerminalIds: is required/],
      [{ ...group, managers: [] }, /managers: is not expected here/],
    ];
    const terminalId = relay.terminalId();
    const configs: [unknown, RegExp][] = [
      [{}, /terminalId: is required/],
      [{ terminalId: "a b" }, /terminalId: is not a terminal id/],
      [{ terminalId, family: "field-48" }, /family: must be/],
      [{ terminalId, merchantId: "" }, /merchantId: must be/],
      [{ terminalId, settings: { a: { b: 1 } } }, /settings: must be an object of at most 100 members, each a string of at most 1024/],
      [{ terminalId, settings: { "a b": 1 } }, /settings: names are/],
      [{ terminalId, settings: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`s${index}`, 1])) }, /settings/],
      [{ terminalId, setings: {} }, /setings: is not expected here/],
    ];
    for (const [path, table] of [
      ["/admin/terminal-groups", groups],
      ["/admin/cloud-configs", configs],
    ] as const) {
      const before = (await relay.administrator().get(path)).text;
      for (const [body, told] of table) assertMatches(await post(path, body), { status: 400, body: { error: told } }, JSON.stringify(body));
      assert.equal((await relay.administrator().get(path)).text, before);
    }
  });

  test("a page begins after an id, not after what can be none", async () => {
    for (const path of ["/admin/terminals", "/admin/attention", "/admin/callbacks"]) {
      for (const after of ["%C3%A9", "%F0%9F%98%80", "%0A", "%7F"]) {
        assertMatches(await relay.administrator().get(`${path}?after=${after}`), { status: 400, body: { error: /after/ } });
      }
    }
  });

  testOnNodes("clearing sessions shows absent terminals as OFFLINE and forgets their devices; live sockets and commands stay", async () => {
    const [polling, gone, live, uuid] = [relay.terminalId(), relay.terminalId(), relay.terminalId(), relay.uuid()];
    const [fleet, partner] = [relay.fleet(), relay.partner()];
    await fleet.poll(polling, { "x-device-model": "P400" });
    await fleet.poll(gone, { "x-device-model": "P400" });
    const session = await relay.online(live, {}, { connectHeaders: { "device-model": "P500" } });
    const connectedSince = textMember((await relay.administrator().connection(live)).body, "data", "connectedSince");
    await partner.pay(polling, { uuid });
    await relay.administrator().get("/admin/terminals?limit=1");
    assertMatches(await post("/admin/redis-sessions/clear", undefined), {
      status: 200,
      body: { status: "ok", data: /^Sessions cleared: [1-9]/ },
    });
    for (const terminalId of [polling, gone]) await relay.connectionBecomes(terminalId, { connectionStatus: "OFFLINE", lastSeen: /Z$/ });
    assert.equal(session.closes.waiting.length, 0);
    const after = (await relay.administrator().connection(live)).body;
    assertMatches(after, { data: { connectionStatus: "ONLINE", connectionType: "WEBSOCKET", sessions: 1, connectedSince } });
    const atOnce = relay.uuid();
    assertMatches(await partner.pay(live, { uuid: atOnce }), { body: { message: /sent/ } });
    assertMatches((await session.commands.next()).command, { uuid: atOnce });
    const shown = (await relay.administrator().get(`/admin/terminals?limit=500`)).body as {
      data: { terminalId: string; device: unknown }[];
    };
    assertMatches(
      shown.data.find(({ terminalId }) => terminalId === live),
      { connectionStatus: "ONLINE", device: { deviceModel: "P500" } },
    );
    const absent = shown.data.find(({ terminalId }) => terminalId === gone);
    assertMatches(absent, { connectionStatus: "OFFLINE" });
    assert.deepEqual(absent?.device ?? {}, {});
    assertMatches(await partner.pay(polling, { uuid }), { status: 400, body: { error: /Duplicate/ } });
    assertMatches(await fleet.take(polling), { status: 200, body: { uuid } });
    await relay.connectionBecomes(polling, { connectionStatus: "ONLINE", connectionType: "POLLING" });
    await relay.restart();
    await relay.connectionBecomes(gone, { connectionStatus: "OFFLINE", lastSeen: /Z$/ });
    await relay.connectionBecomes(live, { connectionStatus: "OFFLINE", lastSeen: /Z$/ });
  });

  test("cleaning receipts removes old bodies, and neither uuids nor results nor what has not ended", async () => {
    const [terminalId, fleet, partner] = [relay.terminalId(), relay.fleet(), relay.partner()];
    const body = `free text of ${terminalId}`;
    const [old, waiting] = [relay.uuid(), relay.uuid()];
    await partner.pay(terminalId, { uuid: old, description: body });
    await fleet.poll(terminalId);
    await fleet.receipt(terminalId, { uuid: old, result: "OK", authCode: "A1", note: body });
    const clean = (query = "") => relay.administrator().send(`/admin/receipts/clean${query}`, { method: "POST" });
    const young = await clean();
    assertMatches(young, { status: 200, body: { deleted: 0 } });
    assert.deepEqual(young.body, { deleted: 0 });
    relay.advance(90 * 86_400_000 + 60_000);
    await partner.pay(terminalId, { uuid: waiting });
    for (const days of ["0", "-1", "x", "1.5"]) assert.equal((await clean(`?days=${days}`)).status, 400);
    assert.deepEqual((await clean("?days=91")).body, { deleted: 0 });
    const cleaned = await clean();
    assert.ok(Number(member(cleaned.body, "deleted")) >= 1, cleaned.text);
    assert.deepEqual((await clean()).body, { deleted: 0 });
    assertMatches(await partner.pay(terminalId, { uuid: old }), { status: 400, body: { error: /Duplicate/ } });
    assertMatches((await partner.uuid(old)).body, { status: "ok", data: { status: "OK", auth: { authCode: "A1" } } });
    assertMatches((await partner.life(old)).body, { data: { state: "done" } });
    // The same result again is still the same, and a different one still a conflict.
    assert.equal((await fleet.receipt(terminalId, { uuid: old, result: "OK", authCode: "A1", note: body })).status, 200);
    assert.deepEqual(await relay.attention(terminalId), []);
    assertMatches(await fleet.take(terminalId), { status: 200, body: { uuid: waiting } });
    await fleet.receipt(terminalId, { uuid: waiting, result: "KO" });
    assertMatches((await partner.uuid(waiting)).body, { data: { status: "KO" } });
  });

  testOnNodes("the dashboard counts what is there and what today brought, over restarts", async () => {
    const read = async () => member((await relay.administrator().get("/admin/dashboard")).body, "data");
    const before = await read();
    const countOf = (data: unknown, ...path: string[]) => {
      const counts = member(data, ...path.slice(0, -1));
      return Number((counts as { [name: string]: number } | undefined)?.[path.at(-1) ?? ""] ?? 0);
    };
    const ofMethod = (data: unknown, method: string, status: string) => {
      const methods = member(data, "results") as { [method: string]: { [status: string]: number } };
      return methods[method]?.[status] ?? 0;
    };
    const [terminalId, fleet, partner] = [relay.terminalId(), relay.fleet(), relay.partner()];
    await relay.online(relay.terminalId());
    const [approved, declined, waits, awaits] = [relay.uuid(), relay.uuid(), relay.uuid(), relay.uuid()];
    for (const uuid of [approved, declined, awaits, waits]) await partner.pay(terminalId, { uuid });
    for (let takes = 0; takes < 3; takes++) await fleet.take(terminalId);
    await fleet.receipt(terminalId, { uuid: approved, result: "OK" });
    await fleet.receipt(terminalId, { uuid: approved, result: "OK" });
    await fleet.receipt(terminalId, { uuid: declined, result: "KO" });
    await relay.connectionBecomes(terminalId, { connectionStatus: "ONLINE" });
    const after = await read();
    assertMatches(after, { at: /Z$/, day: /^\d{4}-\d\d-\d\d$/ });
    const nodes = listOf(member(after, "nodes"));
    assert.ok(nodes.length > 0, "no node is shown");
    for (const node of nodes) assertMatches(node, { nodeId: relay.server, shards: relay.shards, startedAt: /Z$/ });
    for (const [path, more] of [
      [["terminals", "WEBSOCKET"], 1],
      [["terminals", "POLLING"], 1],
      [["terminals", "ONLINE"], 2],
      [["commands", "queued"], 1],
      [["commands", "sent"], 1],
      [["commands", "today", "done"], 2],
    ] as const) {
      assert.equal(countOf(after, ...path), countOf(before, ...path) + more, path.join("."));
    }
    assert.equal(ofMethod(after, "CARD", "OK"), ofMethod(before, "CARD", "OK") + 1);
    assert.equal(ofMethod(after, "CARD", "KO"), ofMethod(before, "CARD", "KO") + 1);
    assert.equal(typeof member(after, "outbox", "depth"), "number");
    assert.equal(typeof member(after, "outbox", "oldestAgeSeconds"), "number");
    assertMatches(after, { outbox: { depthCapped: false } });
    await partner.cancel(waits);
    await relay.restart();
    const restarted = await read();
    assert.equal(ofMethod(restarted, "CARD", "OK"), ofMethod(after, "CARD", "OK"));
    assert.equal(countOf(restarted, "commands", "today", "cancelled"), countOf(before, "commands", "today", "cancelled") + 1);
    relay.advance(86_400_000);
    assert.equal(ofMethod(await read(), "CARD", "OK"), 0);
  });
}
