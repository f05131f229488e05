import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket } from "ws";
import { LINGER_MS } from "../../../http/stomp/limits.ts";
import { assertMatches, member } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { webSocketUrl } from "../../support/people/stomp-terminal.ts";
import { eventually, Inbox, within } from "../../support/within.ts";
import { test, testOnNodes } from "../layouts.ts";

const MINUTE_MS = 60_000;
const REMEMBERS = { ack: "client-individual", redeliver: "same-uuid" };

export function delivery(relay: Relay): void {
  for (const version of ["1.0", "1.1", "1.2"]) {
    test(`a STOMP ${version} terminal is pushed to and posts its result`, async () => {
      const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
      const terminal = await relay.online(terminalId, { ack: "client" }, { version });
      assert.equal(terminal.client.connectedVersion, version);
      await partner.pay(terminalId, { uuid, description: "caffè: 1€" });
      const { command, message } = await terminal.commands.next();
      assertMatches(command, { uuid, description: "caffè: 1€" });
      assertMatches(message.headers, { destination: `/topic/terminal/${terminalId}`, "content-type": "application/json" });
      message.ack();
      await terminal.result(terminalId, { uuid, result: "OK" });
      assertMatches((await partner.life(uuid)).body, { data: { state: "done" } });
    });
  }

  for (const headers of [{}, { ack: "client" }, { ack: "client-individual" }, { ack: "client", redeliver: "same-uuid" }]) {
    test(`what a lost session did not acknowledge is not sent again: ${JSON.stringify(headers)}`, async () => {
      const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
      const lost = await relay.online(terminalId, headers);
      await partner.pay(terminalId, { uuid });
      await lost.commands.next();
      await lost.vanish();
      await relay.connectionBecomes(terminalId, { sessions: 0 });
      const terminal = await relay.online(terminalId, headers);
      const next = relay.uuid();
      await partner.pay(terminalId, { uuid: next });
      assertMatches((await terminal.commands.next()).command, { uuid: next, redelivered: undefined });
      assertMatches((await partner.life(uuid)).body, { data: { state: "sent", attempt: 1 } });
    });
  }

  testOnNodes("a terminal that remembers uuids gets what it did not acknowledge again, and nobody else ever does", async () => {
    const [terminalId, manager, ruled, partner] = [relay.terminalId(), relay.terminalId(), relay.terminalId(), relay.partner()];
    const administrator = relay.administrator();
    const group = { name: `group-of-${manager}`, terminalIds: [terminalId], managerTerminalIds: [manager] };
    assert.equal((await administrator.post("/admin/terminal-groups", group)).status, 200);
    const rule = { terminalId: ruled, ruleType: "LIST", ruleValue: terminalId, enabled: true };
    assert.equal((await administrator.post("/admin/subscription-rules", rule)).status, 200);
    const [acknowledged, lost] = [relay.uuid(), relay.uuid()];
    const first = await relay.online(terminalId, REMEMBERS);
    await partner.pay(terminalId, { uuid: acknowledged });
    (await first.commands.next()).message.ack();
    await partner.pay(terminalId, { uuid: lost, amount: 3 });
    await first.commands.next();
    await first.ping(terminalId);
    await first.vanish();
    await relay.connectionBecomes(terminalId, { sessions: 0 });
    // Two devices must not charge: whoever else comes gets what comes next, and not this.
    const others = [];
    for (const login of [manager, ruled]) {
      const other = await relay.connect({ login, passcode: await relay.password(login) });
      others.push(await other.subscribe(terminalId, REMEMBERS));
    }
    const undeclared = await relay.online(terminalId, { ack: "client-individual" });
    for (const poller of [await relay.terminal(terminalId), await relay.terminal(manager), relay.fleet()])
      assert.equal((await poller.poll(terminalId)).status, 204);
    const next = relay.uuid();
    await partner.pay(terminalId, { uuid: next });
    assertMatches((await undeclared.commands.next()).command, { uuid: next, redelivered: undefined });
    assertMatches((await partner.life(lost)).body, { data: { state: "sent", attempt: 1 } });
    for (const { waiting } of [...others, undeclared.commands]) assert.deepEqual(waiting, []);
    const second = await relay.online(terminalId, REMEMBERS);
    assertMatches((await second.commands.next()).command, { uuid: lost, amount: 3, redelivered: true, attempt: 2 });
    await relay.lifeBecomes(lost, { state: "sent", attempt: 2 });
    await second.result(terminalId, { uuid: lost, result: "OK" });
    assertMatches((await partner.life(lost)).body, { data: { state: "done" } });
    assert.deepEqual(second.commands.waiting, []);
  });

  test("HEAD takes no command", async () => {
    const [terminalId, uuid, fleet] = [relay.terminalId(), relay.uuid(), relay.fleet()];
    await relay.partner().pay(terminalId, { uuid });
    const head = await fleet.send(`/api/v1/${terminalId}/get`, { method: "HEAD" });
    assertMatches(head, { status: 405, headers: { allow: "GET" }, text: "" });
    // The node that is asked may not have been told yet that something waits: then a terminal asks again.
    await eventually(async () => assertMatches(await fleet.poll(terminalId), { status: 200, body: { uuid } }));
  });

  test("what came back and was not taken in time is unknown, never expired; and so is what was held, with no result", async () => {
    const [terminalId, refused, lost, partner] = [relay.terminalId(), relay.uuid(), relay.uuid(), relay.partner()];
    const first = await relay.online(terminalId, REMEMBERS);
    await partner.pay(terminalId, { uuid: lost });
    await first.commands.next();
    await partner.pay(terminalId, { uuid: refused });
    (await first.commands.next()).message.nack();
    await relay.lifeBecomes(refused, { state: "queued" });
    await first.vanish();
    await relay.connectionBecomes(terminalId, { sessions: 0 });
    relay.advance(MINUTE_MS);
    await relay.lifeBecomes(refused, { state: "unknown" });
    await relay.lifeBecomes(lost, { state: "sent" });
    relay.advance(4 * MINUTE_MS);
    await relay.lifeBecomes(lost, { state: "unknown" });
  });

  testOnNodes("a restart gives back what a remembering terminal had not acknowledged, and only that", async () => {
    const [remembering, forgetful, partner] = [relay.terminalId(), relay.terminalId(), relay.partner()];
    const uuids = { remembering: relay.uuid(), forgetful: relay.uuid(), next: relay.uuid() };
    const before = { remembering: await relay.online(remembering, REMEMBERS), forgetful: await relay.online(forgetful) };
    await partner.pay(remembering, { uuid: uuids.remembering });
    await partner.pay(forgetful, { uuid: uuids.forgetful });
    await before.remembering.commands.next();
    await before.forgetful.commands.next();
    await relay.restart();
    await before.forgetful.closes.next();
    const after = { remembering: await relay.online(remembering, REMEMBERS), forgetful: await relay.online(forgetful) };
    assertMatches((await after.remembering.commands.next()).command, { uuid: uuids.remembering, redelivered: true, attempt: 2 });
    await partner.pay(forgetful, { uuid: uuids.next });
    assertMatches((await after.forgetful.commands.next()).command, { uuid: uuids.next });
    assertMatches((await partner.life(uuids.forgetful)).body, { data: { state: "sent", attempt: 1 } });
  });

  testOnNodes("a NACK puts a command back to the head, for another session at once and for the same one after a second", async () => {
    const [terminalId, partner] = [relay.terminalId(), relay.partner()];
    const [refused, next] = [relay.uuid(), relay.uuid()];
    const busy = await relay.online(terminalId, { ack: "client-individual" });
    await partner.pay(terminalId, { uuid: refused });
    const { message } = await busy.commands.next();
    const nackedAtMs = performance.now();
    message.nack();
    // Back, or, where that took longer than the second, handed out again.
    await eventually(async () => {
      const { body } = await partner.life(refused);
      if (member(body, "data", "attempt") === 1) assertMatches(body, { data: { state: "queued" } });
    });
    await partner.pay(terminalId, { uuid: next });
    const waiting = await partner.life(next);
    // A machine on which this took longer than the second has nothing to say about it.
    if (performance.now() - nackedAtMs < 1_000) assertMatches(waiting.body, { data: { state: "queued" } });
    relay.advance(1_001);
    assertMatches((await busy.commands.next()).command, { uuid: refused, redelivered: true, attempt: 2 });
    assertMatches((await busy.commands.next()).command, { uuid: next, redelivered: undefined });
    await busy.result(terminalId, { uuid: refused, result: "OK" });
    assertMatches((await partner.life(refused)).body, { data: { state: "done", result: "OK" } });

    const other = relay.uuid();
    const fresh = await relay.online(terminalId, { ack: "client-individual" });
    await partner.pay(terminalId, { uuid: other });
    (await fresh.commands.next()).message.nack();
    await relay.lifeBecomes(other, { attempt: 2 });
    assertMatches((await busy.commands.next()).command, { uuid: other, redelivered: true, attempt: 2 });
  });

  test("ack:client acknowledges all before it, so that a NACK after it gives back only later ones", async () => {
    const [terminalId, partner] = [relay.terminalId(), relay.partner()];
    const uuids = [relay.uuid(), relay.uuid(), relay.uuid()];
    const terminal = await relay.online(terminalId, { ack: "client" });
    for (const uuid of uuids) await partner.pay(terminalId, { uuid });
    const received = [await terminal.commands.next(), await terminal.commands.next(), await terminal.commands.next()];
    assert.deepEqual(
      received.map(({ command }) => command["uuid"]),
      uuids,
    );
    received[1]?.message.ack();
    received[2]?.message.nack();
    await relay.lifeBecomes(uuids[2] ?? "", { state: "queued" });
    for (const uuid of uuids.slice(0, 2)) assertMatches((await partner.life(uuid)).body, { data: { state: "sent", attempt: 1 } });
  });

  testOnNodes("of many sessions of a terminal the latest gets each command, once", async () => {
    const [terminalId, partner] = [relay.terminalId(), relay.partner()];
    const sessions = [];
    for (let count = 0; count < 8; count += 1) sessions.push(await relay.online(terminalId));
    const uuids = Array.from({ length: 6 }, () => relay.uuid());
    for (const uuid of uuids) await partner.pay(terminalId, { uuid });
    const latest = sessions.at(-1);
    for (const uuid of uuids) assertMatches((await latest?.commands.next())?.command, { uuid });
    await latest?.client.deactivate();
    await relay.connectionBecomes(terminalId, { sessions: 7 });
    const last = relay.uuid();
    await partner.pay(terminalId, { uuid: last });
    assertMatches((await sessions.at(-2)?.commands.next())?.command, { uuid: last });
    for (const session of sessions) assert.deepEqual(session.commands.waiting, []);
  });

  testOnNodes("what waits is pushed in order when the terminal connects", async () => {
    const [terminalId, partner] = [relay.terminalId(), relay.partner()];
    const uuids = Array.from({ length: 5 }, () => relay.uuid());
    for (const uuid of uuids) await partner.pay(terminalId, { uuid });
    const terminal = await relay.online(terminalId);
    for (const uuid of uuids) assertMatches((await terminal.commands.next()).command, { uuid });
    assert.equal((await relay.fleet().poll(terminalId)).status, 204);
  });

  testOnNodes("a poll and a push do not hand out a command twice", async () => {
    for (let round = 0; round < 6; round += 1) {
      const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
      await relay.partner().pay(terminalId, { uuid });
      const [polled, session] = await Promise.all([relay.fleet().poll(terminalId), relay.online(terminalId)]);
      const barrier = relay.uuid();
      await relay.partner().pay(terminalId, { uuid: barrier });
      const first = (await session.commands.next()).command["uuid"];
      assert.equal(first, polled.status === 200 ? barrier : uuid);
      if (first === uuid) assertMatches((await session.commands.next()).command, { uuid: barrier });
    }
  });

  test("a session unsubscribed gets nothing more", async () => {
    const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
    const terminal = await relay.online(terminalId, { id: "mine" });
    terminal.client.unsubscribe("mine");
    await relay.connectionBecomes(terminalId, { sessions: 0 });
    assertMatches((await relay.partner().pay(terminalId, { uuid })).body, { message: "Payment request waits for the terminal" });
    assertMatches((await relay.fleet().take(terminalId)).body, { uuid });
  });

  testOnNodes("DISCONNECT is answered after the results sent before it are stored", async () => {
    const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
    const terminal = await relay.online(terminalId);
    await partner.pay(terminalId, { uuid });
    await terminal.commands.next();
    terminal.client.publish({ destination: `/app/terminal/${terminalId}/receipt`, body: JSON.stringify({ uuid, result: "OK" }) });
    await terminal.client.deactivate();
    assert.equal((await terminal.closes.next()).code, 1005, "the client closed, which names no code");
    assertMatches((await partner.uuid(uuid)).body, { data: { status: "OK" } });
  });

  test("a socket stays open for a second after the RECEIPT of DISCONNECT, and is no session any more", async () => {
    const terminalId = relay.terminalId();
    const passcode = await relay.password(terminalId);
    const socket = new WebSocket(webSocketUrl(relay.node.url), ["v12.stomp"]);
    const received = new Inbox<string>("a frame");
    socket.on("message", (data) => received.add(String(data)));
    const closed = new Promise<[code: number, atMs: number]>((resolve) =>
      socket.once("close", (code) => resolve([code, performance.now()])),
    );
    await once(socket, "open");
    socket.send(`CONNECT\naccept-version:1.2\nlogin:${terminalId}\npasscode:${passcode}\n\n\0`);
    socket.send(`SUBSCRIBE\nid:0\ndestination:/topic/terminal/${terminalId}\nreceipt:r1\n\n\0`);
    assert.match(await received.next(), /^CONNECTED\n/);
    assert.match(await received.next(), /^RECEIPT\nreceipt-id:r1\n/);
    await relay.connectionBecomes(terminalId, { sessions: 1 });
    // From before it is sent: when the RECEIPT was written is not known here, only when it was read.
    const askedAtMs = performance.now();
    socket.send("DISCONNECT\nreceipt:r2\n\n\0");
    assert.match(await received.next(), /^RECEIPT\nreceipt-id:r2\n/);
    socket.send(`SUBSCRIBE\nid:1\ndestination:/topic/terminal/${terminalId}\nreceipt:r3\n\n\0`);
    await relay.connectionBecomes(terminalId, { sessions: 0, connectionStatus: "OFFLINE" });
    const [code, closedAtMs] = await within("the end of the connection", closed);
    assert.equal(code, 1000);
    assert.ok(closedAtMs - askedAtMs > LINGER_MS - 100, `closed after ${closedAtMs - askedAtMs} ms`);
    assert.deepEqual(received.waiting, []);
  });
}
