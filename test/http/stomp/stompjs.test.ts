import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import type { SubscriptionRule } from "../../../engine/access/terminal-rule.ts";
import { LINGER_MS } from "../../../http/stomp/limits.ts";
import { eventually, within } from "../../support/within.ts";
import { connectTerminal, PASSCODE, type Relay, type StompTerminal, startRelay } from "./stompjs-world.ts";

/** Only a test that hangs takes so long. */
const HANGS = { timeout: 60_000 };

async function relayFor(context: TestContext, rules: SubscriptionRule[] = []): Promise<Relay> {
  const relay = await startRelay(rules);
  context.after(() => relay.stop());
  return relay;
}

async function connect(
  context: TestContext,
  relay: Relay,
  login: string,
  config: Parameters<typeof connectTerminal>[2] = {},
): Promise<StompTerminal> {
  const terminal = await connectTerminal(relay, login, config);
  context.after(() => terminal.client.deactivate({ force: true }));
  return terminal;
}

for (const version of ["1.0", "1.1", "1.2"]) {
  test(`a ${version} client pays from push to receipt`, HANGS, async (context) => {
    const relay = await relayFor(context);
    const terminal = await connect(context, relay, "T1", { version });
    assert.equal(terminal.client.connectedVersion, version);
    const messages = terminal.subscribe("T1", { ack: "client" });
    relay.pay("T1", "u1");
    const message = await messages.next();
    assert.deepEqual(JSON.parse(message.body), {
      uuid: "u1",
      service: "PAYCC",
      amount: 100,
      terminalId: "T1",
      expiresAt: "1970-01-01T00:01:00.000Z",
      serverTime: "1970-01-01T00:00:00.000Z",
    });
    message.ack();
    await terminal.post("/app/terminal/T1/receipt", '{"uuid":"u1","result":"OK","note":"€\\u0000"}');
    assert.deepEqual(relay.settled, ["ack u1"]);
    assert.equal(relay.posted[0]?.bodyText, '{"uuid":"u1","result":"OK","note":"€\\u0000"}');
    await terminal.post("/app/terminal/T1/ping", "");
    await terminal.client.deactivate();
    assert.equal((await terminal.closes.next()).code, 1005, "the client closed, which names no code");
  });
}

test("keeps heart-beats both ways, and goes when they stop", HANGS, async (context) => {
  // Both sides keep the same time, which passes once the beats of before have come: on a busy machine they may take longer than two beats are apart.
  context.mock.timers.enable({ apis: ["setInterval", "Date"] });
  const relay = await relayFor(context);
  let beats = 0;
  const terminal = await connect(context, relay, "T1", {
    heartbeatIncoming: 250,
    heartbeatOutgoing: 250,
    debug: (line) => {
      if (line.includes("PONG")) beats += 1;
    },
  });
  assert.equal(terminal.connected.headers["heart-beat"], "250,250");
  for (let sent = 1; sent <= 5; sent += 1) {
    context.mock.timers.tick(250);
    await eventually(() => assert.ok(beats >= sent && relay.beats >= sent, `${beats} and ${relay.beats} beats`));
  }
  assert.equal(terminal.client.connected, true);

  const silent = new WebSocket(relay.url);
  const closed = new Promise<number>((resolve) => silent.once("close", resolve));
  const connected = once(silent, "message");
  silent.once("open", () => silent.send(`CONNECT\naccept-version:1.2\nlogin:T2\npasscode:${PASSCODE}\nheart-beat:50,0\n\n\0`));
  await within("CONNECTED", connected);
  for (const ms of [200, LINGER_MS]) context.mock.timers.tick(ms);
  assert.equal(await within("the end of who is silent", closed), 1008);
});

test("acknowledges cumulatively or one by one", HANGS, async (context) => {
  for (const [ack, expected] of [
    ["client", ["ack u1,u2,u3"]],
    ["client-individual", ["ack u3", "ack u1"]],
    ["auto", []],
  ] as const) {
    const relay = await relayFor(context);
    const terminal = await connect(context, relay, "T1");
    const messages = terminal.subscribe("T1", { ack });
    for (const uuid of ["u1", "u2", "u3"]) relay.pay("T1", uuid);
    const [first, , third] = [await messages.next(), await messages.next(), await messages.next()];
    if (ack !== "auto") {
      third.ack();
      first.ack();
    }
    await terminal.post("/app/terminal/T1/ping", "");
    assert.deepEqual(relay.settled, expected, ack);
  }
});

test("gets a refused command again, flagged", HANGS, async (context) => {
  const relay = await relayFor(context);
  const terminal = await connect(context, relay, "T1");
  const messages = terminal.subscribe("T1", { ack: "client-individual" });
  relay.pay("T1", "u1");
  const first = await messages.next();
  first.nack();
  const again = await messages.next();
  assert.notEqual(again.headers["message-id"], first.headers["message-id"]);
  const { uuid, redelivered, attempt } = JSON.parse(again.body);
  assert.deepEqual({ uuid, redelivered, attempt }, { uuid: "u1", redelivered: true, attempt: 2 });
  again.ack();
  await terminal.post("/app/terminal/T1/ping", "");
  assert.deepEqual(relay.settled, ["nack u1", "ack u1"]);
});

test("gets again what it did not acknowledge only if it declared that it remembers uuids", HANGS, async (context) => {
  for (const redeliver of [true, false]) {
    const relay = await relayFor(context);
    const headers: Record<string, string> = { ack: "client-individual", ...(redeliver ? { redeliver: "same-uuid" } : {}) };
    const lost = await connect(context, relay, "T1");
    const messages = lost.subscribe("T1", headers);
    relay.pay("T1", "u1");
    await messages.next();
    await lost.client.deactivate({ force: true });
    await relay.ended.next();
    const back = await connect(context, relay, "T1");
    const later = back.subscribe("T1", headers);
    await back.post("/app/terminal/T1/ping", "");
    relay.pay("T1", "u2");
    const { uuid, redelivered } = JSON.parse((await later.next()).body);
    assert.deepEqual([uuid, redelivered], redeliver ? ["u1", true] : ["u2", undefined]);
  }
});

test("answers a refused result with an ERROR that names the receipt, and closes", HANGS, async (context) => {
  const relay = await relayFor(context);
  const terminal = await connect(context, relay, "T1");
  terminal.subscribe("T1");
  terminal.client.publish({ destination: "/app/terminal/T1/receipt", body: "{}", headers: { receipt: "r:1" } });
  const error = await terminal.errors.next();
  assert.equal(error.headers["message"], "The result names no outcome");
  assert.equal(error.headers["code"], "invalid_request");
  assert.equal(error.headers["receipt-id"], "r:1");
  assert.match(error.body, /did not execute SEND/);
  assert.equal((await terminal.closes.next()).code, 1002);
});

test("refuses a wrong passcode", HANGS, async (context) => {
  const relay = await relayFor(context);
  await assert.rejects(connect(context, relay, "T1", { connectHeaders: { login: "T1", passcode: "wrong" } }), /login or passcode/);
});

test("opens other topics by whitelist rule only", HANGS, async (context) => {
  const table: [rule: Partial<SubscriptionRule>, target: string, allowed: boolean][] = [
    [{ ruleType: "ANY" }, "X1", true],
    [{ ruleType: "ANY", enabled: false }, "X1", false],
    [{ ruleType: "LIST", ruleValue: "T2, X1" }, "X1", true],
    [{ ruleType: "LIST", ruleValue: "T2" }, "X1", false],
    [{ ruleType: "REGEX", ruleValue: "(X+)+[0-9]" }, "X1", true],
    [{ ruleType: "REGEX", ruleValue: "X" }, "X1", false],
    [{ terminalId: "T9", ruleType: "ANY" }, "X1", false],
  ];
  for (const [rule, target, allowed] of table) {
    const relay = await relayFor(context, [{ terminalId: "T1", ruleType: "ANY", enabled: true, ...rule }]);
    const terminal = await connect(context, relay, "T1");
    const messages = terminal.subscribe(target);
    if (allowed) {
      relay.pay(target, "u1");
      assert.equal(JSON.parse((await messages.next()).body).terminalId, target);
    } else {
      assert.equal((await terminal.errors.next()).headers["code"], "forbidden", JSON.stringify(rule));
    }
  }
});

test("reads frames split over messages, text or binary", HANGS, async (context) => {
  for (const forceBinaryWSFrames of [true, false]) {
    const relay = await relayFor(context);
    const terminal = await connect(context, relay, "T1", { splitLargeFrames: true, maxWebSocketChunkSize: 7, forceBinaryWSFrames });
    const body = JSON.stringify({ uuid: "u1", result: "OK", slip: "x".repeat(3_000) });
    await terminal.post("/app/terminal/T1/receipt", body);
    assert.equal(relay.posted[0]?.bodyText, body);
  }
});

test("closes on a message of 10 MB", HANGS, async (context) => {
  const relay = await relayFor(context);
  const socket = new WebSocket(relay.url);
  socket.on("error", () => {});
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  socket.once("open", () => socket.send(Buffer.alloc(10_000_000, "x")));
  const code = await closed;
  assert.ok(code === 1009 || code === 1006, `closed with ${code}`);
});
