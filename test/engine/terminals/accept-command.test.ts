import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  COMMAND_LIFETIME_MS,
  QUEUED_COMMANDS_MAX,
  QUEUED_OF_SENDER_MAX,
  SENT_COMMANDS_MAX,
  SENT_OF_SENDER_MAX,
} from "../../../engine/kernel/limits.ts";
import type { Command } from "../../../engine/payments/command.ts";
import { rowVersion } from "../../../engine/payments/row-version.ts";
import { command, openSocket, openWorld, pollUuid, posting, settle, stateOf } from "../world.ts";

describe("accepting a command", () => {
  it("keeps it until a poll takes it, and gives it to one poll only", async () => {
    const world = await openWorld();
    const { shard } = world;
    assert.equal(shard.terminals.poll("T1", {}), null);
    assert.deepEqual(await shard.terminals.accept(command(world, "a")), { type: "accepted", state: "queued" });
    const answers = await Promise.all([shard.terminals.poll("T1", {}), shard.terminals.poll("T1", {})]);
    const [taken] = answers.filter((each) => each !== null);
    assert.ok(taken !== undefined && answers.includes(null));
    assert.deepEqual(JSON.parse(taken.text), {
      uuid: "a",
      service: "PAYCC",
      amount: 1_050,
      terminalId: "T1",
      expiresAt: new Date(world.clock.nowMs() + COMMAND_LIFETIME_MS).toISOString(),
      serverTime: new Date(world.clock.nowMs()).toISOString(),
    });
    assert.equal(shard.terminals.poll("T1", {}), null);
    assert.equal(await stateOf(shard, "a"), "sent");
  });

  it("pushes it to a live session in the commit that accepts it", async () => {
    const world = await openWorld();
    const socket = openSocket(world.shard, "s1");
    const before = world.kv.commits;
    assert.deepEqual(await world.shard.terminals.accept(command(world, "a")), { type: "accepted", state: "sent" });
    assert.equal(world.kv.commits - before, 1);
    assert.deepEqual(socket.uuids, ["a"]);
    assert.equal(world.shard.terminals.poll("T1", {}), null);
  });

  it("takes a command for an idle terminal only while no other one waits or has been sent", async () => {
    const world = await openWorld();
    const { terminals } = world.shard;
    const restart = (uuid: string) => command(world, uuid, { kind: "administrative", service: "RESTART", amountCents: 0, onlyIdle: true });
    assert.equal((await terminals.accept(restart("r1"))).type, "accepted");
    assert.equal((await terminals.accept(restart("r1"))).type, "duplicate");
    await assert.rejects(terminals.accept(restart("r2")), { code: "conflict" });
    assert.equal(await pollUuid(world.shard), "r1");
    await assert.rejects(terminals.accept(restart("r2")), { code: "conflict" });
    await terminals.recordResult(posting("r1"));
    assert.equal((await terminals.accept(restart("r2"))).type, "accepted");
    assert.equal((await terminals.accept(command(world, "a"))).type, "accepted");
    assert.deepEqual([await pollUuid(world.shard), await pollUuid(world.shard)], ["r2", "a"]);
    await assert.rejects(terminals.accept(restart("r3")), { code: "conflict" });
  });

  it("writes nothing to the socket before the commit is answered", async () => {
    const world = await openWorld();
    const socket = openSocket(world.shard, "s1");
    world.kv.hold();
    const accepting = world.shard.terminals.accept(command(world, "a"));
    await settle();
    assert.deepEqual([world.kv.holding, socket.texts.length], [1, 0]);
    world.kv.release();
    await accepting;
    assert.deepEqual(socket.uuids, ["a"]);
  });

  it("pushes what waits to a session that opens, in order", async () => {
    const world = await openWorld();
    for (const uuid of ["a", "b", "c"]) await world.shard.terminals.accept(command(world, uuid));
    const socket = openSocket(world.shard, "s1");
    await settle();
    assert.deepEqual(socket.uuids, ["a", "b", "c"]);
    await world.shard.terminals.accept(command(world, "d"));
    assert.deepEqual(socket.uuids, ["a", "b", "c", "d"], "a second one does not wait for the first one's result");
  });

  it("puts it to the session that opened while it was being stored", async () => {
    const world = await openWorld();
    world.kv.hold();
    const accepting = world.shard.terminals.accept(command(world, "a"));
    await settle();
    const socket = openSocket(world.shard, "s1");
    world.kv.release();
    assert.deepEqual(await accepting, { type: "accepted", state: "sent" });
    assert.deepEqual(socket.uuids, ["a"]);
  });

  it("reads nothing for a session that opens where nothing waits", async () => {
    const world = await openWorld();
    const before = world.kv.reads;
    openSocket(world.shard, "s1", { terminalId: "T7" });
    world.shard.sessions.active("T7", "s1");
    world.shard.sessions.close("T7", "s1");
    await settle();
    assert.equal(world.kv.reads - before, 0);
  });

  it("answers a repeated uuid with where the first stands, in every state of its life", async () => {
    const world = await openWorld();
    const { accept } = world.shard.terminals;
    const again = () => accept(command(world, "a", { sender: "partner:2" }));
    await accept(command(world, "a"));
    assert.deepEqual(await again(), { type: "duplicate", state: "queued", sender: "partner:1" });
    await pollUuid(world.shard);
    assert.deepEqual(await again(), { type: "duplicate", state: "sent", sender: "partner:1" });
    await world.shard.terminals.recordResult(posting("a"));
    assert.deepEqual(await again(), { type: "duplicate", state: "done", sender: "partner:1" });
    assert.deepEqual(await accept(command(world, "a", { terminalId: "T2" })), { type: "duplicate", state: "done", sender: "partner:1" });
    assert.equal(await pollUuid(world.shard), null);
  });

  it("accepts one of many at once with the same uuid, also for different terminals", async () => {
    const world = await openWorld({ shards: 2 });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        world.shards[index % 2]?.terminals.accept(command(world, "a", { terminalId: `T${index % 5}` })),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome?.type === "accepted").length, 1);
    assert.equal(outcomes.filter((outcome) => outcome?.type === "duplicate").length, 19);
  });

  it("refuses one too many, and tells a duplicate even then", async () => {
    const world = await openWorld();
    for (let index = 0; index < QUEUED_COMMANDS_MAX; index += 1)
      await world.shard.terminals.accept(command(world, `q${index}`, { sender: `partner:${1 + (index % 2)}` }));
    await world.pass(10_000);
    const full = { type: "queue_full", bound: "terminal", retryAfterSeconds: 50 };
    assert.deepEqual(await world.shard.terminals.accept(command(world, "more", { sender: "partner:3" })), full);
    assert.deepEqual(await world.shard.terminals.accept(command(world, "q3")), { type: "duplicate", state: "queued", sender: "partner:2" });
    assert.equal(await world.shard.terminals.command("more", 0), null);
    await pollUuid(world.shard);
    assert.deepEqual(await world.shard.terminals.accept(command(world, "more", { sender: "partner:3" })), {
      type: "accepted",
      state: "queued",
    });
  });

  it("refuses what is more than the share of one sender, and of all whom only rule ANY admits, and takes others' on", async () => {
    const world = await openWorld();
    const accept = async (uuid: string, changes: Partial<Command>) =>
      (await world.shard.terminals.accept(command(world, uuid, changes))).type;
    for (let index = 0; index < QUEUED_OF_SENDER_MAX; index += 1)
      assert.equal(await accept(`q${index}`, { sender: `partner:${1 + (index % 2)}`, byAny: true }), "accepted");
    const full = { type: "queue_full", bound: "any", retryAfterSeconds: 60 };
    assert.deepEqual(await world.shard.terminals.accept(command(world, "more", { sender: "partner:3", byAny: true })), full);
    for (let index = 0; index < QUEUED_OF_SENDER_MAX; index += 1)
      assert.equal(await accept(`o${index}`, { sender: "terminal:T1" }), "accepted");
  });

  it("knows after a restart what only rule ANY admitted", async () => {
    const world = await openWorld();
    for (let index = 0; index < QUEUED_OF_SENDER_MAX; index += 1)
      await world.shard.terminals.accept(command(world, `q${index}`, { sender: `partner:${index}`, byAny: true }));
    const again = await world.restart();
    const refused = await again.shard.terminals.accept(command(world, "more", { sender: "partner:99", byAny: true }));
    assert.equal(refused.type === "queue_full" && refused.bound, "any");
  });

  it("goes past a sender who has as many sent as it may, and pushes others' at once", async () => {
    const world = await openWorld();
    const socket = openSocket(world.shard, "s1");
    const flood = { sender: "partner:9", byAny: true } as const;
    for (let index = 0; index < SENT_OF_SENDER_MAX + QUEUED_OF_SENDER_MAX; index += 1)
      await world.shard.terminals.accept(command(world, `f${index}`, flood));
    assert.equal(socket.uuids.length, SENT_OF_SENDER_MAX);
    assert.deepEqual(await world.shard.terminals.accept(command(world, "a")), { type: "accepted", state: "sent" });
    assert.equal(socket.uuids.at(-1), "a");
    await world.shard.terminals.recordResult(posting("f0"));
    assert.equal(socket.uuids.at(-1), `f${SENT_OF_SENDER_MAX}`);
  });

  it("holds back what is beyond the bound of unanswered commands until a result makes room", async () => {
    const world = await openWorld();
    const socket = openSocket(world.shard, "s1");
    for (let index = 0; index <= SENT_COMMANDS_MAX; index += 1)
      await world.shard.terminals.accept(command(world, `u${index}`, { sender: `partner:${index % 3}` }));
    assert.equal(socket.texts.length, SENT_COMMANDS_MAX);
    assert.equal(await stateOf(world.shard, `u${SENT_COMMANDS_MAX}`), "queued");
    await world.shard.terminals.recordResult(posting("u0"));
    assert.equal(socket.uuids.at(-1), `u${SENT_COMMANDS_MAX}`);
  });
});

describe("a command that no terminal fetches", () => {
  it("expires after 60 seconds, is then never sent, and its life is told to ClickHouse", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    await world.pass(COMMAND_LIFETIME_MS - 1);
    assert.equal(await stateOf(world.shard, "a"), "queued");
    await world.pass(101);
    assert.equal(await stateOf(world.shard, "a"), "expired");
    assert.equal(await pollUuid(world.shard), null);
    assert.deepEqual(world.shard.finished, [{ state: "expired", kind: "payment" }]);
    const [row, ...others] = await world.rows();
    assert.ok(row?.type === "life" && others.length === 0);
    assert.deepEqual([row.uuid, row.state, row.version, row.attempt, row.sentAtMs], ["a", "expired", rowVersion("expired", 1), 0, null]);
  });

  it("is not handed out after its deadline even before that was carried out", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    world.clock.advance(COMMAND_LIFETIME_MS);
    assert.equal(await pollUuid(world.shard), null);
    const socket = openSocket(world.shard, "s1");
    await settle();
    assert.deepEqual(socket.texts, []);
  });

  it("does not leave when its deadline passes while it is being stored as sent", async () => {
    for (const how of ["poll", "push", "accept"]) {
      const world = await openWorld();
      // It has a second left, within which the store is slow.
      const acceptedAtMs = world.clock.nowMs() - COMMAND_LIFETIME_MS + 1_000;
      const waiting = command(world, "a", { acceptedAtMs, expiresAtMs: acceptedAtMs + COMMAND_LIFETIME_MS });
      if (how !== "accept") await world.shard.terminals.accept(waiting);
      world.kv.hold();
      const socket = how === "poll" ? null : openSocket(world.shard, "s1");
      const asking =
        how === "poll" ? world.shard.terminals.poll("T1", {}) : how === "accept" ? world.shard.terminals.accept(waiting) : null;
      await settle();
      assert.equal(world.kv.holding, 1);
      world.clock.advance(1_000);
      world.kv.release();
      const answer = await asking;
      if (how === "poll") assert.equal(answer, null);
      await settle();
      assert.deepEqual(socket?.texts ?? [], []);
      await world.pass(200);
      assert.equal(await stateOf(world.shard, "a"), "expired", how);
    }
  });
});

describe("a command that is to be accepted before a time", () => {
  it("is accepted before it, also where it has to wait for its terminal", async () => {
    const world = await openWorld();
    const acceptBeforeMs = world.clock.nowMs() + 5_000;
    world.clock.advance(4_999);
    const accepted = await world.shard.terminals.accept(command(world, "a", { acceptBeforeMs }));
    assert.deepEqual(accepted, { type: "accepted", state: "queued", neverSeen: true });
    world.clock.advance(1);
    // It was in time; what is late is its repeat.
    assert.equal((await world.shard.terminals.accept(command(world, "a", { acceptBeforeMs }))).type, "duplicate");
  });

  it("is not accepted later, neither where it comes late nor where the store comes to it late", async () => {
    const world = await openWorld();
    const late = { code: "unavailable" };
    const acceptBeforeMs = world.clock.nowMs() + 5_000;
    world.kv.hold();
    const accepting = world.shard.terminals.accept(command(world, "a", { acceptBeforeMs }));
    await settle();
    world.clock.advance(5_001);
    world.kv.release();
    await assert.rejects(accepting, late);
    await assert.rejects(world.shard.terminals.accept(command(world, "b", { acceptBeforeMs })), late);
    assert.equal(await stateOf(world.shard, "a"), null);
    assert.equal(await stateOf(world.shard, "b"), null);
    assert.equal(await pollUuid(world.shard), null);
  });
});

describe("a command that was sent", () => {
  it("is unknown after five minutes, after one for SCAN; a payment's is shown to operators", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1");
    await world.shard.terminals.accept(command(world, "pay"));
    await world.shard.terminals.accept(command(world, "scan", { kind: "scan", service: "SCAN" }));
    await world.pass(60_200);
    assert.deepEqual([await stateOf(world.shard, "pay"), await stateOf(world.shard, "scan")], ["sent", "unknown"]);
    await world.pass(240_000);
    assert.equal(await stateOf(world.shard, "pay"), "unknown");
    const attention = await world.shard.terminals.attention({ after: "", limit: 10 });
    assert.deepEqual(
      attention.map(({ item }) => [item.kind, item.uuid]),
      [["unknown", "pay"]],
    );
    assert.deepEqual(await world.shard.terminals.accept(command(world, "pay")), {
      type: "duplicate",
      state: "unknown",
      sender: "partner:1",
    });
  });
});
