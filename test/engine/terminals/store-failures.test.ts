import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { POLL_ANSWER_MS, TAKE_WITHIN_MS } from "../../../engine/kernel/limits.ts";
import type { MemoryKv } from "../kernel/memory-kv.ts";
import { command, openSocket, openWorld, pollUuid, posting, session, settle, stateOf } from "../world.ts";

const REFUSED = { code: "unavailable" };

/** The commit that puts `key` is the last one that the store takes. */
function refuseAfter(kv: MemoryKv, key: string): void {
  let last = false;
  kv.fate = ({ operations }) => {
    if (last) return "refused";
    last = operations.some((operation) => operation.key === key);
    return "done";
  };
}

describe("when the store fails", () => {
  it("pay is answered 503 and nothing is stored; the same uuid is then accepted", async () => {
    const world = await openWorld();
    world.kv.fate = () => "refused";
    await assert.rejects(world.shard.terminals.accept(command(world, "a")), REFUSED);
    world.kv.fate = () => "done";
    assert.deepEqual(await world.shard.terminals.accept(command(world, "a")), { type: "accepted", state: "queued", neverSeen: true });
    assert.equal(await pollUuid(world.shard), "a");
    assert.equal(await pollUuid(world.shard), null);
  });

  it("a commit whose answer was lost is found out by the retry: duplicate, and handed out once", async () => {
    const world = await openWorld();
    world.kv.fate = () => "answer lost";
    await assert.rejects(world.shard.terminals.accept(command(world, "a")), REFUSED);
    world.kv.fate = () => "done";
    assert.deepEqual(await world.shard.terminals.accept(command(world, "a")), { type: "duplicate", state: "queued", sender: "partner:1" });
    assert.deepEqual([await pollUuid(world.shard), await pollUuid(world.shard)], ["a", null]);
  });

  it("a commit whose answer was lost is found out soon even when nobody asks: it is counted, pushed, and expires", async () => {
    const world = await openWorld();
    world.kv.fate = () => "answer lost";
    await assert.rejects(world.shard.terminals.accept(command(world, "a")), REFUSED);
    await assert.rejects(world.shard.terminals.accept(command(world, "b", { terminalId: "T2" })), REFUSED);
    world.kv.fate = () => "done";
    assert.equal(world.shard.terminals.poll("T1", {}), null, "not known yet");
    const socket = openSocket(world.shard, "s2", { terminalId: "T2" });
    await world.pass(1_200);
    assert.equal(await pollUuid(world.shard), "a");
    assert.deepEqual(socket.uuids, ["b"]);
  });

  it("a commit that reaches the store after its failure was told cannot happen any more", async () => {
    const world = await openWorld();
    world.kv.delayNext();
    await assert.rejects(world.shard.terminals.accept(command(world, "a")), REFUSED);
    await world.pass(1_200);
    assert.deepEqual(
      world.kv.arrive().map(({ type }) => type),
      ["conflict"],
    );
    assert.equal(await world.shard.terminals.command("a", 0), null);
    assert.deepEqual(await world.shard.terminals.accept(command(world, "a")), { type: "accepted", state: "queued", neverSeen: true });
  });

  it("a commit that reaches the store between the failure and the next look is the truth", async () => {
    const world = await openWorld();
    world.kv.delayNext();
    await assert.rejects(world.shard.terminals.accept(command(world, "a")), REFUSED);
    world.kv.arrive();
    await world.pass(1_200);
    assert.equal(await pollUuid(world.shard), "a");
  });

  it("a poll is answered 503, and what may have been handed out by it is not handed out again", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    world.kv.fate = () => "answer lost";
    await assert.rejects(async () => world.shard.terminals.poll("T1", {}), REFUSED);
    world.kv.fate = () => "done";
    await world.pass(1_200);
    assert.equal(await pollUuid(world.shard), null);
    assert.equal(await stateOf(world.shard, "a"), "sent");
  });

  it("a poll that certainly did not happen gets the command when it comes again", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    world.kv.fate = () => "refused";
    await assert.rejects(async () => world.shard.terminals.poll("T1", {}), REFUSED);
    world.kv.fate = () => "done";
    assert.equal(await pollUuid(world.shard), "a");
  });

  it("a result is answered 503 until it is stored, then found by uuid", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    await pollUuid(world.shard);
    for (const fate of ["refused", "answer lost"] as const) {
      world.kv.fate = ({ operations }) => (operations.some(({ key }) => key === "c/a") ? fate : "done");
      await assert.rejects(world.shard.terminals.recordResult(posting("a")), REFUSED);
    }
    world.kv.fate = () => "done";
    assert.deepEqual(await world.shard.terminals.recordResult(posting("a")), { type: "repeated" });
    assert.equal((await world.shard.terminals.command("a", 0))?.transaction?.status, "OK");
    assert.equal((await world.rows()).length, 1);
  });

  it("an accepted command is answered as accepted although it could not be pushed, and is pushed later", async () => {
    const world = await openWorld();
    world.kv.hold();
    const accepting = world.shard.terminals.accept(command(world, "a"));
    await settle();
    const socket = openSocket(world.shard, "s1");
    refuseAfter(world.kv, "c/a");
    world.kv.release();
    assert.deepEqual(await accepting, { type: "accepted", state: "queued", neverSeen: true });
    await settle();
    assert.deepEqual(socket.uuids, []);
    world.kv.fate = () => "done";
    await world.pass(1_200);
    assert.deepEqual(socket.uuids, ["a"]);
  });

  it("a recorded result is acknowledged although what waits could not be pushed after it", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1", { acknowledges: true });
    await world.shard.terminals.accept(command(world, "a"));
    world.shard.sessions.refuse("T1", "s1", ["a"]);
    await settle();
    world.kv.hold();
    const posted = world.shard.terminals.recordResult(posting("z"));
    await settle();
    const socket = openSocket(world.shard, "s2");
    refuseAfter(world.kv, "c/z/T1");
    world.kv.release();
    assert.deepEqual(await posted, { type: "recorded" });
    await settle();
    assert.deepEqual(socket.uuids, []);
    world.kv.fate = () => "done";
    await world.pass(1_200);
    assert.deepEqual(socket.uuids, ["a"]);
  });

  it("deadlines that could not be carried out come again", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    world.kv.fate = () => "refused";
    await world.pass(60_200);
    await world.pass(1_200);
    world.kv.unreadable = true;
    await world.pass(1_200);
    assert.ok(world.shard.failures.length >= 2);
    world.kv.unreadable = false;
    world.kv.fate = () => "done";
    await world.pass(1_200);
    assert.equal((await world.rows()).length, 1);
    assert.equal(await stateOf(world.shard, "a"), "expired");
    assert.equal(world.shard.waiting.mayWait("T1"), false);
  });

  it("a deadline is kept when something else was to be tried again before it", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "x", { terminalId: "T2" }));
    await world.shard.terminals.accept(command(world, "a"));
    world.kv.hold();
    // A conflict changes nothing of the terminal, so it does not arm its deadline either.
    const posted = world.shard.terminals.recordResult(posting("x"));
    await settle();
    for (let count = 0; count < 600; count += 1) world.shard.sessions.acknowledge("T1", "s1", ["a"]);
    await settle();
    assert.ok(world.shard.failures.length > 0, "the mailbox was full");
    world.kv.release();
    assert.deepEqual(await posted, { type: "conflict" });
    await world.pass(1_200);
    await world.pass(60_000);
    assert.equal((await world.rows()).filter((row) => row.type === "life" && row.uuid === "a").length, 1);
  });

  it("what a lost session had is held for the next one when the store is there again", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1", { acknowledges: true, redeliver: true });
    await world.shard.terminals.accept(command(world, "a"));
    world.kv.fate = () => "refused";
    world.shard.sessions.close("T1", "s1");
    await settle();
    world.kv.fate = () => "done";
    await world.pass(1_200);
    assert.equal(await pollUuid(world.shard), null);
    const next = openSocket(world.shard, "s2", { acknowledges: true, redeliver: true });
    await settle();
    assert.deepEqual(next.uuids, ["a"]);
  });

  it("what waited for the store until its deadline is not taken on only to expire", async () => {
    const world = await openWorld();
    world.kv.hold();
    const accepting = ["a", "b", "a"].map((uuid) => world.shard.terminals.accept(command(world, uuid)));
    const settled = Promise.allSettled(accepting);
    await settle();
    world.clock.advance(60_000);
    world.kv.release();
    const [first, second, again] = await settled;
    assert.ok(first?.status === "fulfilled" && first.value.type === "accepted");
    assert.ok(second?.status === "rejected" && second.reason.code === "unavailable");
    assert.ok(again?.status === "fulfilled" && again.value.type === "duplicate");
    assert.equal(await world.shard.terminals.command("b", 0), null);
  });

  it("a poll whose asker has most likely gone takes nothing", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    world.kv.hold();
    const other = world.shard.terminals.accept(command(world, "b"));
    await settle();
    const late = world.shard.terminals.poll("T1", {});
    world.clock.advance(5_000);
    world.kv.release();
    await other;
    await assert.rejects(async () => late, REFUSED);
    assert.equal(await pollUuid(world.shard), "a");
  });

  it("a poll's take that the store comes to when its asker has gone is not stored: the command was never sent", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    world.kv.hold();
    const late = world.shard.terminals.poll("T1", {});
    await settle();
    world.clock.advance(TAKE_WITHIN_MS + 1);
    world.kv.release();
    await assert.rejects(async () => late, REFUSED);
    assert.equal(await stateOf(world.shard, "a"), "queued");
    assert.equal(await pollUuid(world.shard), "a");
  });

  it("a poll's take that was stored in time and is told too late goes back", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    world.kv.holdAnswers();
    const late = world.shard.terminals.poll("T1", {});
    await settle();
    world.clock.advance(POLL_ANSWER_MS + 1);
    world.kv.release();
    await assert.rejects(async () => late, REFUSED);
    assert.deepEqual([await stateOf(world.shard, "a"), (await world.shard.terminals.command("a", 0))?.attempts], ["queued", 0]);
  });

  it("a push, and a payment that is pushed, that the store comes to too late is not stored, and tried again", async () => {
    const world = await openWorld();
    const socket = openSocket(world.shard, "s1");
    world.kv.hold();
    const pushed = world.shard.terminals.accept(command(world, "a"));
    await settle();
    world.clock.advance(TAKE_WITHIN_MS + 1);
    world.kv.release();
    await assert.rejects(async () => pushed, REFUSED);
    assert.deepEqual(socket.uuids, []);
    assert.equal(await world.shard.terminals.command("a", 0), null, "nothing of it is stored, so it may be sent again");
    assert.deepEqual(await world.shard.terminals.accept(command(world, "a")), { type: "accepted", state: "sent" });
    assert.deepEqual(socket.uuids, ["a"]);

    await world.shard.terminals.accept(command(world, "b", { terminalId: "T2" }));
    world.kv.hold();
    const second = openSocket(world.shard, "s2", { terminalId: "T2" });
    await settle();
    world.clock.advance(TAKE_WITHIN_MS + 1);
    world.kv.release();
    await settle();
    assert.deepEqual(second.uuids, []);
    assert.equal(await stateOf(world.shard, "b"), "queued");
    await world.pass(1_200);
    assert.deepEqual(second.uuids, ["b"]);
  });

  it("what a poll took whose answer was certainly not written goes back, once", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    const taken = await world.shard.terminals.poll("T1", {});
    assert.ok(taken !== null);
    world.clock.advance(5);
    world.shard.terminals.notHandedOut("T1", taken);
    await settle();
    assert.deepEqual([await stateOf(world.shard, "a"), (await world.shard.terminals.command("a", 0))?.attempts], ["queued", 0]);
    assert.equal(await pollUuid(world.shard), "a");
    // Told again, as a message between nodes may be: another poll has it now.
    world.shard.terminals.notHandedOut("T1", taken);
    await settle();
    assert.equal(await stateOf(world.shard, "a"), "sent");
    assert.equal(await pollUuid(world.shard), null);
  });

  it("presence that could not be stored is stored later", async () => {
    const world = await openWorld();
    world.shard.terminals.poll("T1", {});
    world.kv.fate = () => "refused";
    await world.pass(1_000);
    assert.deepEqual(
      world.shard.failures.map(({ what }) => what),
      ["presence"],
    );
    world.kv.fate = () => "done";
    await world.pass(1_000);
    assert.deepEqual(world.kv.keys("p/"), ["p/T1"]);
  });

  it("many overdue terminals are carried out a bounded number at once, all of them in the end", async () => {
    const world = await openWorld();
    for (let index = 0; index < 600; index += 1)
      await world.shard.terminals.accept(command(world, `u${index}`, { terminalId: `T${index}` }));
    world.clock.advance(60_100);
    world.kv.hold();
    world.shard.tick();
    await settle();
    assert.equal(world.kv.holding, 32);
    world.kv.release();
    await settle();
    assert.equal((await world.rows()).length, 600);
  });

  it("presence of more terminals than one batch holds is all there after a flush", async () => {
    const world = await openWorld();
    for (let index = 0; index < 5_100; index += 1) world.shard.terminals.poll(`T${index}`, {});
    await world.shard.home.flush();
    assert.equal(world.kv.keys("p/").length, 5_100);
  });

  it("a session that opens meanwhile is not forgotten", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    world.kv.fate = () => "refused";
    const socket = openSocket(world.shard, "s1", session("s1"));
    await settle();
    world.kv.fate = () => "done";
    await world.pass(1_200);
    assert.deepEqual(socket.uuids, ["a"]);
  });
});
