import assert from "node:assert/strict";
import { assertMatches } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { eventually } from "../../support/within.ts";
import { test, testEverywhere, testOnNodes } from "../layouts.ts";

const NOT_FOUND = { status: "error", data: null, error: "Transaction not found", message: "Transaction not found" };
const NO_CONTENT = { status: "ok", data: null, error: null, message: "no_content" };

/** Terminals of one test that are surely not all at home on one shard, nor their connections all accepted by one. */
const MANY = 12;

export function payments(relay: Relay): void {
  testEverywhere("a payment is pushed, executed and found by uuid and status", async () => {
    const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
    const terminal = await relay.online(terminalId);
    const paid = await partner.pay(terminalId, { uuid, amount: 1_050, cardType: 1, description: "table 4", till: { id: 7 } });
    assert.equal(paid.status, 200);
    assert.deepEqual(paid.body, {
      status: "ok",
      data: {
        terminalID: terminalId,
        received: { amount: 1_050, service: "PAYCC", uuid, cardType: 1, description: "table 4", till: { id: 7 } },
      },
      message: "Payment request sent to the terminal",
    });
    const { command } = await terminal.commands.next();
    const { expiresAt, serverTime, ...payload } = command;
    assert.deepEqual(payload, { amount: 1_050, service: "PAYCC", uuid, cardType: 1, description: "table 4", till: { id: 7 }, terminalId });
    const left = Date.parse(String(expiresAt)) - Date.parse(String(serverTime));
    assert.ok(left > 50_000 && left <= 60_000, `${left} ms are left`);
    assert.deepEqual((await partner.uuid(uuid)).body, NO_CONTENT);
    assert.deepEqual((await partner.status(terminalId)).body, NO_CONTENT);
    assertMatches((await partner.life(uuid)).body, { data: { state: "sent", channel: "websocket", attempt: 1, result: null } });

    const fleet = relay.fleet();
    const result = { uuid, result: "OK", amount: 1_050, authCode: "123456", brand: "VISA", entry: "NFC", pan: "4111111111111111" };
    assert.deepEqual((await fleet.receipt(terminalId, result)).body, { status: "ok", data: "Result recorded" });
    const transaction = {
      uuid,
      createdAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/,
      method: "CARD",
      status: "OK",
      amountCents: 1_050,
      currency: "EUR",
      terminalId,
      auth: { authCode: "123456" },
      card: { brand: "VISA", maskedPan: "411111******1111", entry: "NFC" },
    };
    for (const found of [await partner.uuid(uuid), await partner.status(terminalId), await fleet.status(terminalId)]) {
      assert.equal(found.status, 200);
      assertMatches(found.body, { status: "ok", data: transaction, error: null });
    }
    assertMatches((await partner.life(uuid)).body, { data: { state: "done", result: "OK", terminalId, service: "PAYCC" } });
  });

  testEverywhere("a terminal posts its result over STOMP and has its RECEIPT when it is stored", async () => {
    const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
    const terminal = await relay.online(terminalId);
    await partner.pay(terminalId, { uuid });
    await terminal.commands.next();
    await terminal.result(terminalId, { uuid, result: "KO", message: "Insufficient funds" });
    assertMatches((await partner.uuid(uuid)).body, { data: { status: "KO", message: "Insufficient funds", amountCents: 1_050 } });
  });

  testOnNodes("many terminals are paid at once, each through its own session", async () => {
    const terminals = await Promise.all(
      Array.from({ length: MANY }, async () => {
        const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
        return { terminalId, uuid, terminal: await relay.online(terminalId) };
      }),
    );
    await Promise.all(
      terminals.map(async ({ terminalId, uuid, terminal }) => {
        const partner = relay.partner();
        assert.deepEqual((await partner.uuid(uuid)).body, NOT_FOUND);
        assert.equal((await partner.pay(terminalId, { uuid })).status, 200);
        assertMatches((await terminal.commands.next()).command, { uuid, terminalId });
        await terminal.result(terminalId, { uuid, result: "OK" });
        assertMatches((await partner.status(terminalId)).body, { data: { uuid, status: "OK" } });
      }),
    );
  });

  test("all shards accept connections", async () => {
    const client = relay.nobody();
    const shards = new Set<string | undefined>();
    await eventually(async () => {
      const { headers } = await client.get("/health/live");
      // The id that a shard gives a request begins with a word of its own.
      shards.add(String(headers["x-request-id"]).split("-")[0]);
      assert.equal(shards.size, relay.shards);
    });
  });

  testEverywhere("a lookup that waits is answered when the result is stored, by uuid and by status", async () => {
    const [terminalId, uuid, partner, terminal] = [relay.terminalId(), relay.uuid(), relay.partner(), relay.fleet()];
    await partner.pay(terminalId, { uuid });
    const byUuid = partner.uuid(uuid, 30);
    const byStatus = partner.status(terminalId, 30);
    await eventually(async () => assert.equal(await relay.metric("relay_waiting_lookups"), 2));
    assertMatches((await terminal.take(terminalId)).body, { uuid });
    await terminal.receipt(terminalId, { uuid, result: "OK" });
    assertMatches((await byUuid).body, { status: "ok", data: { uuid, status: "OK" } });
    assertMatches((await byStatus).body, { status: "ok", data: { uuid, status: "OK" } });
  });

  test("a lookup waits no longer than it was asked to", async () => {
    const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
    await partner.pay(terminalId, { uuid });
    assert.deepEqual((await partner.uuid(uuid, 1)).body, NO_CONTENT);
  });

  test("a command for a terminal that never connected says so, and is taken all the same", async () => {
    const [terminalId, uuid, scan, partner] = [relay.terminalId(), relay.uuid(), relay.uuid(), relay.partner()];
    const answer = await partner.pay(terminalId, { uuid });
    assertMatches(answer, { status: 200, body: { message: "Payment request waits for the terminal, which has never connected" } });
    assertMatches(await partner.post(`/api/v1/${terminalId}/scan`, { uuid: scan }), {
      status: 200,
      body: { data: { message: "SCAN command waits for the terminal, which has never connected" } },
    });
    assertMatches((await relay.fleet().take(terminalId)).body, { uuid });
    assertMatches((await partner.pay(terminalId, { uuid: relay.uuid() })).body, { message: "Payment request waits for the terminal" });
  });

  testEverywhere("a terminal without a session gets its commands by polling, oldest first, each once", async () => {
    const [terminalId, partner] = [relay.terminalId(), relay.partner()];
    const [first, second] = [relay.uuid(), relay.uuid()];
    const terminal = await relay.terminal(terminalId);
    assert.equal((await terminal.poll(terminalId)).status, 204);
    assertMatches((await partner.pay(terminalId, { uuid: first })).body, { message: "Payment request waits for the terminal" });
    await partner.pay(terminalId, { uuid: second, amount: 5 });
    const taken = await terminal.take(terminalId);
    assert.equal(taken.headers["content-type"], "application/json");
    assertMatches(taken.body, { uuid: first, amount: 1_050, service: "PAYCC", terminalId, expiresAt: /Z$/, serverTime: /Z$/ });
    assertMatches((await terminal.take(terminalId)).body, { uuid: second, amount: 5 });
    assert.equal((await terminal.poll(terminalId)).status, 204);
    assertMatches((await partner.life(first)).body, { data: { state: "sent", channel: "poll" } });
    await terminal.receipt(terminalId, { uuid: first, result: "OK" });
    assertMatches((await partner.uuid(first)).body, { data: { status: "OK" } });
  });

  testOnNodes("of two pollers and one payload one gets it and one gets 204", async () => {
    for (let round = 0; round < MANY; round += 1) {
      const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
      await relay.partner().pay(terminalId, { uuid });
      const pollers = [relay.fleet(), relay.fleet(), relay.fleet()];
      const answers = await Promise.all(pollers.map((poller) => poller.poll(terminalId)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 204, 204]);
    }
  });

  test("a terminal's login works for itself and for no other", async () => {
    const [terminalId, other] = [relay.terminalId(), relay.terminalId()];
    const terminal = await relay.terminal(terminalId);
    assert.equal((await terminal.poll(terminalId)).status, 204);
    const refusals = [
      await terminal.poll(other),
      await terminal.receipt(other, { uuid: relay.uuid(), result: "OK" }),
      await terminal.post(`/api/v1/${other}/disconnect`),
      await terminal.pay(other, { uuid: relay.uuid() }),
      await terminal.connection(other),
    ];
    for (const { status, body } of refusals) {
      assert.equal(status, 403);
      assertMatches(body, { status: "error", error: "Not permitted for this terminal", message: "Not permitted for this terminal" });
    }
    assert.deepEqual((await terminal.status(other)).body, NOT_FOUND);
  });

  testOnNodes("a uuid already processed is refused, on any terminal, and the answer tells where the first one stands", async () => {
    const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
    await partner.pay(terminalId, { uuid });
    const others = Array.from({ length: 4 }, () => relay.terminalId());
    for (const target of [terminalId, ...others]) {
      const again = await relay.partner().pay(target, { uuid, amount: 77 });
      assert.equal(again.status, 400);
      assert.deepEqual(again.body, { status: "error", error: "Duplicate payment request - UUID already processed" });
      assert.equal(again.headers["relay-command-state"], target === terminalId ? "queued" : "sent");
      assert.equal(again.headers["location"], `/api/v1/commands/${uuid}`);
      const fleet = relay.fleet();
      if (target === terminalId) assert.equal((await fleet.take(target)).status, 200);
      else assert.equal((await fleet.poll(target)).status, 204);
    }
    assert.equal((await partner.pay(terminalId, { uuid })).headers["relay-command-state"], "sent");
    await relay.fleet().receipt(terminalId, { uuid, result: "OK" });
    assert.equal((await partner.post(`/api/v1/${terminalId}/scan`, { uuid })).headers["relay-command-state"], "done");
    assertMatches((await partner.get(`/api/v1/commands/${uuid}`)).body, { data: { terminalId, state: "done" } });
  });

  testOnNodes("of many pays with one uuid at once, on many terminals, one is accepted", async () => {
    const uuid = relay.uuid();
    const targets = Array.from({ length: MANY }, () => relay.terminalId());
    const answers = await Promise.all(targets.map((terminalId) => relay.partner().pay(terminalId, { uuid })));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ status }) => status === 400).length, MANY - 1);
    const polls = await Promise.all(targets.map((terminalId) => relay.fleet().poll(terminalId)));
    assert.equal(polls.filter(({ status }) => status === 200).length, 1);
  });

  test("sixteen commands wait for a terminal, and the next is answered 429 and not stored", async () => {
    const terminalId = relay.terminalId();
    const uuids = Array.from({ length: 16 }, () => relay.uuid());
    for (const [index, uuid] of uuids.entries()) {
      const sender = index % 2 === 0 ? relay.partner() : relay.fleet();
      assert.equal((await sender.pay(terminalId, { uuid })).status, 200);
    }
    const refused = relay.uuid();
    const third = await relay.terminal(terminalId);
    const full = await third.pay(terminalId, { uuid: refused });
    assert.equal(full.status, 429);
    assertMatches(full.body, { status: "error", error: "Too many commands wait for this terminal", code: "terminal_queue_full" });
    assert.equal(full.headers["ratelimit-limit"], undefined);
    assert.ok(Number(full.headers["retry-after"]) > 30, `Retry-After: ${full.headers["retry-after"]}`);
    assert.equal((await relay.administrator().life(refused)).status, 404);
    const fleet = relay.fleet();
    for (const uuid of uuids) assertMatches((await fleet.take(terminalId)).body, { uuid });
    assert.equal((await third.pay(terminalId, { uuid: refused })).status, 200);
  });

  testOnNodes("pay is limited to 10 a second for an address on all its paths together, before authentication", async () => {
    const [stranger, terminalId] = [relay.nobody(), relay.terminalId()];
    const started = performance.now();
    const paths = [`/api/v1/${terminalId}/pay`, "/api/v1/pay", "/pay"];
    const answers = await Promise.all(Array.from({ length: 45 }, (_, index) => stranger.post(paths[index % 3] ?? "", {})));
    const seconds = Math.ceil((performance.now() - started) / 1_000);
    const admitted = answers.filter(({ status }) => status === 401);
    const limited = answers.filter(({ status }) => status === 429);
    assert.equal(admitted.length + limited.length, 45);
    assert.ok(admitted.length >= 10 && admitted.length <= 10 * (seconds + 1), `${admitted.length} in ${seconds} s`);
    for (const { headers, body } of limited) {
      assertMatches(body, { status: "error", error: /./, message: /./ });
      assertMatches(headers, { "retry-after": "1", "ratelimit-limit": "10", "ratelimit-remaining": "0" });
    }
    relay.advance(1_001);
    const paid = await relay.client({ "api-key": "x" }).pay(terminalId, { uuid: relay.uuid() });
    assert.equal(paid.headers["ratelimit-remaining"], "9");
  });

  test("get is limited to 100 a second for an address", async () => {
    const [stranger, terminalId] = [relay.nobody(), relay.terminalId()];
    const started = performance.now();
    const answers = await Promise.all(Array.from({ length: 240 }, () => stranger.poll(terminalId)));
    const seconds = Math.ceil((performance.now() - started) / 1_000);
    const admitted = answers.filter(({ status }) => status === 401).length;
    const limited = answers.filter(({ status }) => status === 429);
    assert.ok(admitted >= 100 && admitted <= 100 * (seconds + 1), `${admitted} in ${seconds} s`);
    assertMatches(limited[0]?.headers, { "retry-after": "1", "ratelimit-limit": "100", "ratelimit-remaining": "0" });
  });

  test("pay without a terminal in the path takes it from the body", async () => {
    const [terminalId, uuid, fleet] = [relay.terminalId(), relay.uuid(), relay.fleet()];
    const paid = await fleet.post("/api/v1/pay", { uuid, amount: 100, service: "PAYSAT", terminalId });
    assertMatches(paid, { status: 200, body: { status: "ok", data: { terminalID: terminalId } } });
    assertMatches((await fleet.take(terminalId)).body, { uuid, service: "PAYSAT", terminalId });
    assert.equal((await relay.partner().post("/api/v1/pay", { uuid: relay.uuid(), amount: 1, service: "PAYCC", terminalId })).status, 401);
  });

  test("the deprecated endpoints answer as their successors, and say so", async () => {
    const [terminalId, uuid, fleet] = [relay.terminalId(), relay.uuid(), relay.fleet()];
    const paid = await fleet.post("/pay", { uuid, amount: 100, service: "PAYCC", terminalId });
    assertMatches(paid.body, { status: "ok", data: { terminalID: terminalId, received: { uuid } } });
    await fleet.receipt(terminalId, { uuid, result: "OK" });
    const terminal = await relay.terminal(terminalId);
    const pairs = [
      [await fleet.get(`/uuid/${uuid}`), await fleet.uuid(uuid)],
      [await fleet.get(`/status?terminalId=${terminalId}`), await fleet.status(terminalId)],
      [await terminal.get("/status"), await terminal.status(terminalId)],
    ] as const;
    for (const [deprecated, successor] of pairs) {
      assert.equal(deprecated.status, 200);
      assert.deepEqual(deprecated.body, successor.body);
      assert.equal(successor.headers["deprecation"], undefined);
    }
    for (const { headers } of [paid, ...pairs.map(([deprecated]) => deprecated)]) assert.match(String(headers["deprecation"]), /^@\d+$/);
    assert.equal(paid.headers["link"], '</api/v1/pay>; rel="successor-version"');
    assert.equal(pairs[0][0].headers["link"], `</api/v1/${uuid}/uuid>; rel="successor-version"`);
    assert.equal((await fleet.get("/status")).status, 400);
  });

  test("who may not send or has the wrong credential is answered 401 or 403", async () => {
    const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
    const wrongKey = await relay.client({ "api-key": "pk_live_wrong_0000000000000000000000000000" }).pay(terminalId, { uuid });
    assertMatches(wrongKey, { status: 401, body: { status: "error", error: "Invalid API Key", message: "Invalid API Key" } });
    const missing = await relay.nobody().pay(terminalId, { uuid });
    assertMatches(missing, { status: 401, headers: { "www-authenticate": /^Basic/ }, body: { error: "Authentication required" } });
    assert.equal((await relay.administrator().life(uuid)).status, 404);
  });
}
