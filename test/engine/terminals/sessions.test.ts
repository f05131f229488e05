import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CONNECTION_FRESH_MS, NACK_PAUSE_MS, SENT_COMMANDS_MAX } from "../../../engine/kernel/limits.ts";
import { command, openSocket, openWorld, pollUuid, posting, Socket, session, settle, stateOf } from "../world.ts";

const REDELIVERING = { acknowledges: true, redeliver: true };

describe("a session", () => {
  it("gets nothing while it is silent for two minutes; with its next frame it gets what waits", async () => {
    const world = await openWorld();
    const socket = openSocket(world.shard, "s1");
    await world.pass(CONNECTION_FRESH_MS);
    assert.deepEqual(await world.shard.terminals.accept(command(world, "a")), { type: "accepted", state: "queued" });
    assert.deepEqual(socket.texts, []);
    world.shard.sessions.active("T1", "s1");
    await settle();
    assert.deepEqual(socket.uuids, ["a"]);
  });

  it("gets nothing after disconnect until its next frame", async () => {
    const world = await openWorld();
    const socket = openSocket(world.shard, "s1");
    await world.shard.terminals.disconnect("T1");
    await world.shard.terminals.accept(command(world, "a"));
    assert.deepEqual(socket.texts, []);
    world.shard.sessions.active("T1", "s1");
    await settle();
    assert.deepEqual(socket.uuids, ["a"]);
  });

  it("gets each command alone, the terminal's own before one that a whitelist let in", async () => {
    const world = await openWorld();
    const own = openSocket(world.shard, "own");
    const other = openSocket(world.shard, "other", { own: false });
    await world.shard.terminals.accept(command(world, "a"));
    assert.deepEqual([own.uuids, other.uuids], [["a"], []]);
    world.shard.sessions.close("T1", "own");
    await world.shard.terminals.accept(command(world, "b"));
    assert.deepEqual([own.uuids, other.uuids], [["a"], ["b"]]);
  });

  it("that certainly was not written to loses nothing: the commands go to the next, in their order", async () => {
    const world = await openWorld();
    const dead = openSocket(world.shard, "dead");
    dead.writable = false;
    for (const uuid of ["a", "b", "c"]) {
      await world.shard.terminals.accept(command(world, uuid));
      world.clock.advance(1);
    }
    await settle();
    assert.equal(await stateOf(world.shard, "a"), "queued");
    const socket = openSocket(world.shard, "s2");
    await settle();
    assert.deepEqual(socket.uuids, ["a", "b", "c"]);
    assert.ok(
      socket.texts.every((text) => !("redelivered" in JSON.parse(text))),
      "they had never left",
    );
  });

  it("that is closed while its command is stored does not get it; it goes to a poll, once", async () => {
    const world = await openWorld();
    const socket = openSocket(world.shard, "s1", REDELIVERING);
    world.kv.hold();
    const accepting = world.shard.terminals.accept(command(world, "a"));
    await settle();
    world.shard.sessions.close("T1", "s1");
    world.kv.release();
    assert.deepEqual(await accepting, { type: "accepted", state: "queued" });
    assert.deepEqual(socket.texts, []);
    assert.equal(await pollUuid(world.shard), "a");
    assert.equal(await pollUuid(world.shard), null);
  });
});

describe("a command that was refused (NACK)", () => {
  it("goes to the head of the queue, and not to the same session for a moment", async () => {
    const world = await openWorld();
    const socket = openSocket(world.shard, "s1", { acknowledges: true });
    for (const uuid of ["a", "b"]) await world.shard.terminals.accept(command(world, uuid));
    world.shard.sessions.refuse("T1", "s1", ["a", "b"]);
    await settle();
    await world.shard.terminals.accept(command(world, "c"));
    assert.deepEqual(socket.uuids, ["a", "b"]);
    await world.pass(NACK_PAUSE_MS + 100);
    assert.deepEqual(socket.uuids, ["a", "b", "a", "b", "c"]);
    const { redelivered, attempt } = JSON.parse(socket.texts[2] ?? "");
    assert.deepEqual([redelivered, attempt], [true, 2]);
  });

  it("goes to another session, or to a poll, at once", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1", { acknowledges: true });
    await world.shard.terminals.accept(command(world, "a"));
    world.shard.sessions.refuse("T1", "s1", ["a"]);
    await settle();
    assert.equal(await pollUuid(world.shard), "a");
  });

  it("again and again ends as unknown at its deadline, never as expired", async () => {
    const world = await openWorld();
    const socket = openSocket(world.shard, "s1", { acknowledges: true });
    await world.shard.terminals.accept(command(world, "a"));
    for (let second = 0; second < 62; second += 1) {
      world.shard.sessions.active("T1", "s1");
      world.shard.sessions.refuse("T1", "s1", ["a"]);
      await settle();
      await world.pass(1_000);
    }
    assert.equal(await stateOf(world.shard, "a"), "unknown");
    assert.ok(socket.texts.length > 10 && socket.texts.length <= 61, String(socket.texts.length));
  });

  it("after its ACK stays sent", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1", { acknowledges: true });
    await world.shard.terminals.accept(command(world, "a"));
    world.shard.sessions.acknowledge("T1", "s1", ["a"]);
    world.shard.sessions.refuse("T1", "s1", ["a"]);
    await settle();
    assert.equal(await stateOf(world.shard, "a"), "sent");
  });
});

describe("a session that ends", () => {
  it("leaves what a redelivering client had not acknowledged to the next such one, until the deadline", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1", REDELIVERING);
    for (const uuid of ["a", "b", "c"]) await world.shard.terminals.accept(command(world, uuid));
    world.shard.sessions.acknowledge("T1", "s1", ["b"]);
    await settle();
    world.shard.sessions.close("T1", "s1");
    await settle();
    assert.equal(await stateOf(world.shard, "a"), "sent");
    const second = openSocket(world.shard, "s2", REDELIVERING);
    await settle();
    assert.deepEqual(second.uuids, ["a", "c"]);
    assert.equal(JSON.parse(second.texts[0] ?? "").attempt, 2);
    await world.pass(60_000);
    world.shard.sessions.close("T1", "s2");
    await settle();
    assert.equal(await pollUuid(world.shard), null);
    assert.equal(await stateOf(world.shard, "a"), "sent");
  });

  it("leaves it to nobody else: not to a manager, a rule's session, the terminal's undeclared session or any poll; and it holds up nothing", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1", REDELIVERING);
    await world.shard.terminals.accept(command(world, "a"));
    world.shard.sessions.close("T1", "s1");
    await settle();
    const others = [
      openSocket(world.shard, "manager", { own: false }),
      openSocket(world.shard, "rule", { own: false, ...REDELIVERING }),
      openSocket(world.shard, "undeclared", { acknowledges: true }),
    ];
    await settle();
    assert.equal(await pollUuid(world.shard), null);
    await world.shard.terminals.accept(command(world, "b"));
    assert.deepEqual(
      others.map(({ uuids }) => uuids),
      [[], [], ["b"]],
    );
    assert.equal(await stateOf(world.shard, "a"), "sent");
    await world.pass(300_000);
    assert.equal(await stateOf(world.shard, "a"), "unknown");
    assert.deepEqual(
      others.flatMap(({ uuids }) => uuids),
      ["b"],
    );
  });

  it("keeps what was not acknowledged among the commands that a terminal may have unanswered", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1", REDELIVERING);
    for (let index = 0; index < SENT_COMMANDS_MAX; index += 1)
      await world.shard.terminals.accept(command(world, `u${index}`, { sender: `partner:${index % 3}` }));
    world.shard.sessions.close("T1", "s1");
    await settle();
    await world.shard.terminals.accept(command(world, "more"));
    assert.equal(await pollUuid(world.shard), null);
    await world.shard.terminals.recordResult(posting("u0"));
    assert.equal(await pollUuid(world.shard), "more");
  });

  it("with a command that is then cancelled leaves it to nobody: the CANCEL goes out", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1", REDELIVERING);
    await world.shard.terminals.accept(command(world, "a"));
    world.shard.sessions.close("T1", "s1");
    await settle();
    assert.deepEqual(await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "x" }), { type: "requested", cancelUuid: "x" });
    assert.deepEqual(openSocket(world.shard, "s2", REDELIVERING).uuids, []);
    await settle();
    assert.equal(await stateOf(world.shard, "x"), "sent");
    assert.equal(await stateOf(world.shard, "a"), "sent");
  });

  it("that refuses what it was given again leaves it held, for a moment not to itself", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1", REDELIVERING);
    await world.shard.terminals.accept(command(world, "a"));
    world.shard.sessions.close("T1", "s1");
    const second = openSocket(world.shard, "s2", REDELIVERING);
    await settle();
    world.shard.sessions.refuse("T1", "s2", ["a"]);
    await settle();
    assert.equal(await pollUuid(world.shard), null);
    assert.deepEqual(second.uuids, ["a"]);
    await world.pass(NACK_PAUSE_MS + 100);
    assert.deepEqual(second.uuids, ["a", "a"]);
  });

  it("that could not be written to again leaves it held", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1", REDELIVERING);
    await world.shard.terminals.accept(command(world, "a"));
    world.shard.sessions.close("T1", "s1");
    await settle();
    const broken = new Socket();
    broken.writable = false;
    world.shard.sessions.open(session("s2", REDELIVERING), broken);
    await settle();
    assert.equal(await pollUuid(world.shard), null);
    const third = openSocket(world.shard, "s3", REDELIVERING);
    await settle();
    assert.deepEqual(third.uuids, ["a"]);
    assert.equal(JSON.parse(third.texts[0] ?? "").attempt, 2);
  });

  it("gives nothing back of any other client: it is never sent again", async () => {
    const world = await openWorld();
    for (const does of [{}, { acknowledges: true }]) {
      const uuid = `a-${Object.keys(does).length}`;
      openSocket(world.shard, "s1", does);
      await world.shard.terminals.accept(command(world, uuid));
      world.shard.sessions.close("T1", "s1");
      await settle();
      assert.equal(await pollUuid(world.shard), null);
      assert.equal(await stateOf(world.shard, uuid), "sent");
    }
  });
});

describe("a restart", () => {
  it("expires what is overdue, keeps what waits, and counts it, so that a poll finds it", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "old"));
    world.clock.advance(50_000);
    await world.shard.terminals.accept(command(world, "new"));
    world.clock.advance(20_000);
    const again = await world.restart();
    await again.pass(200);
    assert.deepEqual([await stateOf(again.shard, "old"), await stateOf(again.shard, "new")], ["expired", "queued"]);
    assert.equal(again.shard.waiting.mayWait("T1"), true);
    assert.equal(await pollUuid(again.shard), "new");
    assert.equal(again.shard.waiting.mayWait("T1"), false);
  });

  it("re-arms the deadlines of what was sent", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1");
    await world.shard.terminals.accept(command(world, "a"));
    const again = await world.restart();
    await again.pass(299_000);
    assert.equal(await stateOf(again.shard, "a"), "sent");
    await again.pass(1_200);
    assert.equal(await stateOf(again.shard, "a"), "unknown");
  });

  it("holds only what a redelivering client had not acknowledged, for such a one", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1", REDELIVERING);
    openSocket(world.shard, "s2", { terminalId: "T2", acknowledges: true });
    for (const uuid of ["a", "b"]) await world.shard.terminals.accept(command(world, uuid));
    await world.shard.terminals.accept(command(world, "c", { terminalId: "T2" }));
    world.shard.sessions.acknowledge("T1", "s1", ["b"]);
    await settle();
    const again = await world.restart();
    await settle();
    assert.deepEqual([await pollUuid(again.shard), await pollUuid(again.shard, "T2")], [null, null]);
    const next = openSocket(again.shard, "s3", REDELIVERING);
    const other = openSocket(again.shard, "s4", { terminalId: "T2", ...REDELIVERING });
    await settle();
    assert.deepEqual([next.uuids, other.uuids], [["a"], []]);
  });

  it("keeps results, refused uuids and when a terminal was last seen", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1", { device: { family: "field-47" } });
    await world.shard.terminals.accept(command(world, "a"));
    await world.shard.terminals.recordResult(posting("a"));
    await world.shard.home.flush();
    const seenAtMs = world.clock.nowMs();
    world.clock.advance(1_000);
    const again = await world.restart();
    assert.deepEqual(await again.shard.terminals.accept(command(again, "a")), { type: "duplicate", state: "done", sender: "partner:1" });
    assert.deepEqual(await again.shard.terminals.recordResult(posting("a")), { type: "repeated" });
    const view = await again.shard.terminals.view("T1");
    assert.deepEqual([view.connectionStatus, view.lastSeenMs, view.device.family], ["OFFLINE", seenAtMs, "field-47"]);
    assert.equal((await again.shard.terminals.list({ after: "", limit: 10 }))[0]?.terminalId, "T1");
  });
});
