import assert from "node:assert/strict";
import { test } from "node:test";
import {
  LINGER_MS,
  SOCKET_BUFFER_BYTES_MAX,
  SUBSCRIPTIONS_PER_SESSION_MAX,
  UNACKNOWLEDGED_PER_SESSION_MAX,
} from "../../../http/stomp/limits.ts";
import { connectedTerminal, createWorld, FakeTerminal, settled, type World } from "./stomp-world.ts";

/** What the engine was told about acknowledgements. */
function settlements(world: World): string[] {
  return world.told.filter((line) => line.startsWith("ack") || line.startsWith("nack"));
}

test("writes a message by version and ack mode", () => {
  const body = '{"uuid":"u1","note":"€"}';
  const common = { "message-id": "m1", destination: "/topic/terminal/T1", "content-type": "application/json", "content-length": "26" };
  const table: ["1.0" | "1.1" | "1.2", ack: string, headers: Record<string, string>][] = [
    ["1.2", "auto", { subscription: "sub-T1", ...common }],
    ["1.2", "client", { subscription: "sub-T1", ...common, ack: "m1" }],
    ["1.2", "client-individual", { subscription: "sub-T1", ...common, ack: "m1" }],
    ["1.1", "client", { subscription: "sub-T1", ...common }],
    ["1.0", "client", { subscription: "sub-T1", ...common }],
  ];
  for (const [version, ack, headers] of table) {
    const world = createWorld();
    const terminal = connectedTerminal(world, "T1", { ack }, version);
    assert.equal(world.push("T1", "u1", body), true);
    assert.deepEqual(terminal.last, { command: "MESSAGE", headers, body }, `${version} ${ack}`);
  }
});

test("serves a 1.0 client that names no subscription", () => {
  const world = createWorld();
  const terminal = new FakeTerminal(world);
  terminal.connect("T1", "1.0");
  terminal.send("SUBSCRIBE", { destination: "/topic/terminal/T1", ack: "client" });
  world.push("T1", "u1");
  assert.equal("subscription" in (terminal.last?.headers ?? {}), false);
  terminal.send("ACK", { "message-id": "m1" });
  terminal.send("UNSUBSCRIBE", { destination: "/topic/terminal/T1" });
  assert.deepEqual(world.told, ["open T1 s1/0 own", "ack T1 s1/0 u1", "close T1 s1/0"]);
  assert.equal(terminal.closed, null);
});

test("acknowledges up to the message in client mode, and one message in client-individual mode", () => {
  const table: [ack: string, command: string, expected: string[]][] = [
    ["client", "ACK", ["ack T1 s1/0 u1,u2,u3", "ack T1 s1/0 u4"]],
    ["client", "NACK", ["nack T1 s1/0 u1,u2,u3", "nack T1 s1/0 u4"]],
    ["client-individual", "ACK", ["ack T1 s1/0 u3", "ack T1 s1/0 u4", "ack T1 s1/0 u1"]],
    ["client-individual", "NACK", ["nack T1 s1/0 u3", "nack T1 s1/0 u4", "nack T1 s1/0 u1"]],
  ];
  for (const version of ["1.2", "1.1"] as const) {
    for (const [ack, command, expected] of table) {
      const world = createWorld();
      const terminal = connectedTerminal(world, "T1", { ack }, version);
      for (const uuid of ["u1", "u2", "u3", "u4"]) world.push("T1", uuid);
      for (const id of ["m3", "m4", "m1"]) {
        terminal.send(command, version === "1.2" ? { id } : { "message-id": id, subscription: "sub-T1" });
      }
      assert.deepEqual(settlements(world), expected, `${version} ${ack} ${command}`);
      assert.equal(terminal.closed, null);
    }
  }
});

test("keeps the acknowledgements of two subscriptions apart", () => {
  const world = createWorld();
  world.allowed.add("T1>T2");
  const terminal = connectedTerminal(world, "T1", { ack: "client" }, "1.1");
  terminal.subscribe("T2", { ack: "client" });
  for (const [terminalId, uuid] of [["T1", "a1"] as const, ["T2", "b1"] as const, ["T1", "a2"] as const]) world.push(terminalId, uuid);
  terminal.send("ACK", { "message-id": "m3", subscription: "sub-T1" });
  assert.deepEqual(settlements(world), ["ack T1 s1/0 a1,a2"]);
  terminal.send("ACK", { "message-id": "m2", subscription: "sub-T1" });
  assert.equal(terminal.last?.headers["code"], "invalid_request", "a message of another subscription");
});

test("takes an ACK that settles nothing for no error", () => {
  const world = createWorld();
  const terminal = connectedTerminal(world, "T1", { ack: "client-individual" });
  world.push("T1", "u1");
  world.push("T1", null);
  for (const id of ["m1", "m1", "m2", "m99"]) terminal.send("ACK", { id });
  assert.deepEqual(settlements(world), ["ack T1 s1/0 u1"], "what is not a command has no uuid to tell");
  assert.equal(terminal.closed, null);
});

test("forgets what was not acknowledged with UNSUBSCRIBE, and may subscribe again", () => {
  const world = createWorld();
  const terminal = connectedTerminal(world, "T1", { ack: "client" });
  const socket = world.opened.get("s1/0")?.socket;
  world.push("T1", "u1");
  terminal.send("UNSUBSCRIBE", { id: "sub-T1" });
  terminal.send("ACK", { id: "m1" });
  assert.equal(socket?.deliver("u2", "{}"), false, "a message that comes too late goes back");
  terminal.subscribe("T1");
  assert.equal(socket?.deliver("u2", "{}"), false, "to the old subscription still not");
  assert.equal(world.push("T1", "u2"), true);
  assert.deepEqual(world.told.slice(-2), ["close T1 s1/0", "open T1 s1/1 own"]);
});

test("delivers nothing once the session ended", () => {
  const endings: ((terminal: FakeTerminal, world: World) => void)[] = [
    (terminal) => terminal.hangUp(),
    (terminal) => terminal.send("DISCONNECT"),
    (terminal) => terminal.send("NONSENSE"),
    (_, world) => world.sessions.closeAll("draining"),
    (_, world) => world.sessions.closeTerminal("T1"),
  ];
  for (const end of endings) {
    const world = createWorld();
    const terminal = connectedTerminal(world, "T1");
    const socket = world.opened.get("s1/0")?.socket;
    end(terminal, world);
    assert.equal(socket?.deliver("u1", "{}"), false, String(end));
    assert.equal(world.told.filter((line) => line === "close T1 s1/0").length, 1, String(end));
    assert.equal(world.events.filter((event) => event.type === "ended").length, 1, String(end));
  }
});

test("bounds the subscriptions of a session", () => {
  const world = createWorld();
  const terminal = connectedTerminal(world, "T0");
  for (let index = 1; index <= SUBSCRIPTIONS_PER_SESSION_MAX; index += 1) {
    world.allowed.add(`T0>T${index}`);
    assert.equal(terminal.closed, null);
    terminal.subscribe(`T${index}`);
  }
  assert.equal(terminal.last?.headers["code"], "too_busy");
  assert.equal(world.opened.size, 0);
});

test("disconnects a client that never acknowledges, after the engine got its answer", async () => {
  const world = createWorld();
  const terminal = connectedTerminal(world, "T1", { ack: "client" });
  for (let index = 0; index < UNACKNOWLEDGED_PER_SESSION_MAX; index += 1) assert.equal(world.push("T1", `u${index}`), true);
  assert.equal(world.push("T1", "one-too-many"), false, "goes back to the queue");
  assert.equal(terminal.closed, null);
  await settled();
  assert.equal(terminal.last?.headers["code"], "too_busy");
  world.advance(LINGER_MS);
  assert.notEqual(terminal.closed, null);
});

test("does not count messages that want no ACK", () => {
  const world = createWorld();
  connectedTerminal(world, "T1");
  for (let index = 0; index < 2 * UNACKNOWLEDGED_PER_SESSION_MAX; index += 1) assert.equal(world.push("T1", `u${index}`), true);
});

test("tears down a terminal that does not read, and knows whether a message left", async () => {
  const table: [outcome: "buffered" | "dropped", bufferedBytes: number, left: boolean, ended: boolean][] = [
    ["buffered", SOCKET_BUFFER_BYTES_MAX, true, false],
    ["buffered", SOCKET_BUFFER_BYTES_MAX + 1, true, true],
    ["dropped", 0, false, true],
  ];
  for (const [outcome, bufferedBytes, left, ended] of table) {
    const world = createWorld();
    const terminal = connectedTerminal(world, "T1", { ack: "client" });
    terminal.outcome = outcome;
    terminal.buffered = bufferedBytes;
    assert.equal(world.push("T1", "u1"), left);
    assert.equal(world.opened.size, 1, "the engine is not called in the middle of its own delivery");
    if (ended) assert.equal(world.push("T1", "u2"), false);
    await settled();
    assert.equal(terminal.closed, ended ? "terminated" : null);
    assert.equal(world.sessions.count(), ended ? 0 : 1);
  }
});

test("ends sessions whose access was withdrawn", () => {
  const world = createWorld();
  world.allowed.add("T1>T2");
  const [first, second, other] = [connectedTerminal(world, "T1"), connectedTerminal(world, "T1"), connectedTerminal(world, "T2")];
  first.subscribe("T2");
  world.sessions.recheckWhitelist();
  assert.equal(first.closed, null);
  world.allowed.clear();
  world.sessions.recheckWhitelist();
  assert.equal(first.last?.headers["code"], "forbidden");
  assert.equal(second.closed, null);
  assert.equal(world.sessions.closeTerminal("T1"), 1);
  assert.equal(second.last?.headers["code"], "forbidden");
  assert.equal(other.closed, null);
});
