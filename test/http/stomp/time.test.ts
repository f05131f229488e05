import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CLOSE_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  FRAME_TIMEOUT_MS,
  IDLE_TIMEOUT_MS,
  LINGER_MS,
  TICK_INTERVAL_MS_MAX,
  TICKS_A_ROUND,
} from "../../../http/stomp/limits.ts";
import { agreeHeartBeats, chooseSubprotocol } from "../../../http/stomp/negotiation.ts";
import { connectedTerminal, createWorld, FakeTerminal } from "./stomp-world.ts";

test("agrees on heart-beats", () => {
  const offer = { sendMs: 5_000, wantMs: 10_000 };
  const table: [header: string | undefined, sendMs: number | null, receiveMs: number | null][] = [
    [undefined, 0, 0],
    ["0,0", 0, 0],
    ["10000,10000", 10_000, 10_000],
    ["1000,1000", 5_000, 10_000],
    ["30000,0", 0, 30_000],
    ["0,60000", 60_000, 0],
    [" 4000 , 4000 ", 5_000, 10_000],
    ["1000", null, null],
    ["a,b", null, null],
    ["-1,0", null, null],
    ["1,2,3", null, null],
    ["99999999999,1", null, null],
  ];
  for (const [header, sendMs, receiveMs] of table) {
    const agreed = agreeHeartBeats(header, offer);
    assert.deepEqual(agreed, sendMs === null ? null : { sendMs, receiveMs }, header);
  }
  assert.deepEqual(agreeHeartBeats("1000,1000", { sendMs: 0, wantMs: 0 }), { sendMs: 0, receiveMs: 0 });
});

test("tells the heart-beats in CONNECTED, and refuses odd ones", () => {
  const headers = { "heart-beat": "20000,30000" };
  assert.equal(new FakeTerminal(createWorld()).connect("T1", "1.2", headers)[0]?.headers["heart-beat"], "30000,20000");
  assert.equal(new FakeTerminal(createWorld()).connect("T1", "1.2")[0]?.headers["heart-beat"], "0,0");
  const old = new FakeTerminal(createWorld()).connect("T1", "1.0", headers)[0];
  assert.equal("heart-beat" in (old?.headers ?? {}), false);
  assert.equal(new FakeTerminal(createWorld()).connect("T1", "1.2", { "heart-beat": "soon" })[0]?.headers["code"], "invalid_request");
});

test("sends a heart-beat where nothing else was sent, never later than agreed, and no more than needed", () => {
  const world = createWorld();
  const terminal = new FakeTerminal(world);
  terminal.connect("T1", "1.2", { "heart-beat": "0,10000" });
  terminal.subscribe("T1");
  world.advance(8_750);
  assert.equal(terminal.beats, 0);
  world.advance(1_250);
  assert.equal(terminal.beats, 1);
  world.push("T1", "u1");
  world.advance(8_500);
  assert.equal(terminal.beats, 1, "a message is as good as a heart-beat");
  world.advance(60_000);
  assert.ok(terminal.beats >= 7 && terminal.beats <= 8, `${terminal.beats} beats in a minute more`);
});

test("closes a terminal that is silent for twice what it promised", () => {
  const world = createWorld();
  const terminal = new FakeTerminal(world);
  terminal.connect("T1", "1.2", { "heart-beat": "10000,0" });
  terminal.subscribe("T1");
  for (let turn = 0; turn < 5; turn += 1) {
    world.advance(19_750);
    if (turn % 2 === 0) terminal.raw("\n");
    else terminal.pong();
  }
  assert.equal(terminal.closed, null);
  world.advance(19_750);
  assert.equal(terminal.closed, null);
  world.advance(250);
  assert.equal(terminal.last?.headers["code"], "request_timeout");
  assert.equal(world.opened.size, 0);
});

test("closes a session without heart-beats only after long silence", () => {
  const world = createWorld();
  const terminal = connectedTerminal(world, "T1");
  world.advance(IDLE_TIMEOUT_MS - 250);
  terminal.pong();
  world.advance(IDLE_TIMEOUT_MS - 250);
  assert.equal(terminal.closed, null);
  world.advance(250);
  world.advance(LINGER_MS);
  assert.notEqual(terminal.closed, null);
});

test("closes a socket that does not CONNECT in time", () => {
  const world = createWorld();
  const [silent, dripping] = [new FakeTerminal(world), new FakeTerminal(world)];
  world.advance(CONNECT_TIMEOUT_MS - 250);
  dripping.raw("\nCONN");
  assert.equal(silent.closed, null);
  world.advance(250);
  world.advance(LINGER_MS);
  for (const terminal of [silent, dripping]) {
    assert.equal(terminal.last?.headers["code"], "request_timeout");
    assert.notEqual(terminal.closed, null);
  }
});

test("closes a terminal that does not end its frame, however slowly it goes on", () => {
  const world = createWorld();
  const terminal = connectedTerminal(world, "T1");
  terminal.raw("SEND\ndestination:/app/terminal/T1/receipt\n\n");
  for (let ms = 0; ms < FRAME_TIMEOUT_MS - 1_000; ms += 1_000) {
    world.advance(1_000);
    terminal.raw(".");
  }
  assert.equal(terminal.closed, null);
  world.advance(1_000);
  assert.equal(terminal.last?.headers["code"], "request_timeout");
});

test("does not take many frames, each cut, for one that does not end", () => {
  const world = createWorld();
  const terminal = connectedTerminal(world, "T1");
  terminal.raw("ACK\nid");
  for (let ms = 0; ms < 2 * FRAME_TIMEOUT_MS; ms += 1_000) {
    world.advance(1_000);
    terminal.raw(":m1\n\n\0ACK\nid");
  }
  assert.equal(terminal.closed, null);
});

test("tells the engine about activity at most once a second, for each topic", () => {
  const world = createWorld();
  world.allowed.add("T1>T2");
  const terminal = connectedTerminal(world, "T1");
  terminal.subscribe("T2");
  world.advance(1_000);
  world.told.length = 0;
  for (let turn = 0; turn < 10; turn += 1) {
    terminal.raw("\n");
    terminal.pong();
    terminal.send("ACK", { id: "m1" });
    world.advance(250);
  }
  assert.deepEqual(world.told.slice(0, 4), ["active T1 s1/0", "active T2 s1/1", "active T1 s1/0", "active T2 s1/1"]);
  assert.equal(world.told.length, 6);
  terminal.send("SEND", { destination: "/app/terminal/T2/ping" });
  assert.equal(world.told.at(-1), "active T2 s1/1", "a ping is told at once");
});

test("tears down a socket whose peer does not answer the close", () => {
  const world = createWorld();
  const terminal = connectedTerminal(world, "T1");
  terminal.answersClose = false;
  terminal.send("DISCONNECT");
  world.advance(LINGER_MS);
  assert.deepEqual(terminal.closed, { code: 1000, reason: "disconnected" });
  assert.equal(world.sessions.count(), 1);
  world.advance(CLOSE_TIMEOUT_MS);
  assert.equal(terminal.closed, "terminated");
  assert.equal(world.sessions.count(), 0);
});

test("closes all at once or paced, and whoever comes meanwhile", () => {
  const atOnce = createWorld();
  const one = connectedTerminal(atOnce, "T1");
  atOnce.sessions.closeAll("shutting down");
  assert.deepEqual(one.closed, { code: 1001, reason: "shutting down" });

  const paced = createWorld();
  const terminals = Array.from({ length: 10 }, (_, index) => connectedTerminal(paced, `T${index}`));
  const closed = () => terminals.filter((terminal) => terminal.closed !== null).length;
  paced.sessions.closeAll("shutting down", { perTick: 4 });
  assert.equal(closed(), 0);
  const late = new FakeTerminal(paced);
  const counts = [1, 2, 3, 4].map(() => {
    paced.advance(250);
    return closed();
  });
  assert.deepEqual(counts, [4, 8, 10, 10]);
  assert.deepEqual(late.closed, { code: 1001, reason: "shutting down" });
  assert.equal(paced.sessions.count(), 0);
});

test("looks at a part of many sessions in a tick, and at each in time for its heart-beat", () => {
  const world = createWorld();
  const terminals = Array.from({ length: 4_000 }, () => new FakeTerminal(world));
  for (const [index, terminal] of terminals.entries()) terminal.connect(`T${index}`, "1.2", { "heart-beat": "0,5000" });
  const beats = () => terminals.reduce((sum, terminal) => sum + terminal.beats, 0);
  let most = 0;
  for (let passedMs = 0; passedMs < 5_000; passedMs += TICK_INTERVAL_MS_MAX) {
    const before = beats();
    world.advance(TICK_INTERVAL_MS_MAX);
    most = Math.max(most, beats() - before);
  }
  assert.ok(terminals.every((terminal) => terminal.beats === 1));
  assert.equal(most, 4_000 / TICKS_A_ROUND);
});

test("ticks 10,000 idle sessions without effort", () => {
  const world = createWorld();
  for (let index = 0; index < 10_000; index += 1) connectedTerminal(world, `T${index}`);
  const before = process.cpuUsage();
  for (let turn = 0; turn < 40; turn += 1) world.sessions.tick();
  const used = process.cpuUsage(before);
  assert.equal(world.sessions.count(), 10_000);
  assert.ok((used.user + used.system) / 1_000 / 40 < 25, "a tick takes milliseconds");
});

test("chooses the newest subprotocol offered", () => {
  assert.equal(chooseSubprotocol("v10.stomp, v11.stomp,v12.stomp"), "v12.stomp");
  assert.equal(chooseSubprotocol("v10.stomp"), "v10.stomp");
  assert.equal(chooseSubprotocol("mqtt"), null);
});
