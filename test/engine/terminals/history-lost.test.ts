import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { command, openSocket, openWorld, pollUuid, posting, settle, stateOf, type World } from "../world.ts";

/** A world in which `a` waits, and everything so far was written before the store lost some of its history. */
async function afterLoss(): Promise<World & { lost: { version: number } }> {
  const lost = { version: 0 };
  const world = await openWorld({ lost });
  await world.shard.terminals.accept(command(world, "a"));
  lost.version = (await world.kv.get("t/T1"))?.version ?? 0;
  assert.ok(lost.version > 0);
  return { ...world, lost };
}

describe("a store that lost some of its history", () => {
  it("ends what waited as unknown, at once, and gives it to nobody", async () => {
    const world = await afterLoss();
    const socket = openSocket(world.shard, "s1");
    await world.shard.historyLost();
    await world.pass(100);
    assert.equal(await stateOf(world.shard, "a"), "unknown");
    assert.equal(await pollUuid(world.shard), null);
    assert.deepEqual(socket.uuids, []);
    const life = (await world.rows()).map((row) => (row.type === "life" ? row.state : row.type));
    assert.deepEqual(life, ["unknown"]);
  });

  it("gives it to nobody before the home has heard, either", async () => {
    const world = await afterLoss();
    assert.equal(await pollUuid(world.shard), null);
    await world.pass(100);
    assert.equal(await stateOf(world.shard, "a"), "unknown");
  });

  it("lets nothing of it be called cancelled, and takes its result", async () => {
    const world = await afterLoss();
    const cancelled = await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c" });
    assert.deepEqual(cancelled, { type: "too_late", state: "unknown" });
    assert.deepEqual(await world.shard.terminals.recordResult(posting("a")), { type: "recorded" });
    assert.equal(await stateOf(world.shard, "a"), "done");
  });

  it("is no matter for what is accepted afterwards", async () => {
    const world = await afterLoss();
    assert.deepEqual(await world.shard.terminals.accept(command(world, "b")), { type: "accepted", state: "queued", neverSeen: true });
    assert.equal(await pollUuid(world.shard), "b");
    assert.deepEqual([await stateOf(world.shard, "a"), await stateOf(world.shard, "b")], ["unknown", "sent"]);
  });

  it("gives what a session has to nobody again, whether that refuses it or is lost", async () => {
    for (const end of ["refuses", "is lost"] as const) {
      const lost = { version: 0 };
      const world = await openWorld({ lost });
      const declared = { acknowledges: true, redeliver: true };
      const first = openSocket(world.shard, "s1", declared);
      await world.shard.terminals.accept(command(world, "a"));
      await settle();
      assert.deepEqual(first.uuids, ["a"]);
      lost.version = (await world.kv.get("t/T1"))?.version ?? 0;
      await world.shard.historyLost();
      if (end === "refuses") world.shard.sessions.refuse("T1", "s1", ["a"]);
      else world.shard.sessions.close("T1", "s1");
      await settle();
      const second = openSocket(world.shard, "s2", declared);
      await world.pass(3_000);
      assert.equal(await pollUuid(world.shard), null, end);
      assert.deepEqual(second.uuids, [], end);
      assert.equal(await stateOf(world.shard, "a"), "sent", end);
    }
  });

  it("is remembered by a home that starts later, and happens again with a second loss", async () => {
    const world = await afterLoss();
    const later = await world.restart();
    assert.equal(await pollUuid(later.shard), null);
    await later.pass(100);
    assert.equal(await stateOf(later.shard, "a"), "unknown");
    await later.shard.terminals.accept(command(world, "b"));
    world.lost.version = (await world.kv.get("t/T1"))?.version ?? 0;
    assert.equal(await pollUuid(later.shard), null);
    await later.pass(100);
    assert.equal(await stateOf(later.shard, "b"), "unknown");
    await settle();
  });
});
