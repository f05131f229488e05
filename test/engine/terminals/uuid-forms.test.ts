import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rowVersion } from "../../../engine/payments/row-version.ts";
import { toRecord } from "../../../engine/terminals/rules.ts";
import { claimOf, entryOf } from "../../../engine/terminals/steps.ts";
import { writeCommand, writeTerminal } from "../../../engine/terminals/terminal-records.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { command, ManualClock, openWorld, pollUuid, posting, stateOf, tableRows, type World } from "../world.ts";

const SMALL = "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11";
const CAPITALS = SMALL.toUpperCase();

async function transactionsIn(world: World): Promise<string[]> {
  return (await world.rows()).flatMap((row) => (row.type === "transaction" ? [row.transaction.uuid] : []));
}

describe("a uuid in capitals", () => {
  it("lies under its small letters, and is fed as it was sent", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, CAPITALS));
    assert.equal(await pollUuid(world.shard), CAPITALS);
    assert.deepEqual(await world.shard.terminals.recordResult(posting(SMALL)), { type: "recorded" });
    assert.deepEqual(await world.shard.terminals.recordResult(posting(CAPITALS)), { type: "repeated" });
    assert.deepEqual(world.kv.keys("c/"), [`c/${SMALL}`]);
    const rows = tableRows(await world.rows());
    assert.deepEqual(
      rows.map((row) => [row.type, row.type === "transaction" ? row.transaction.uuid : row.uuid, row.type === "conflict" || row.version]),
      [
        ["transaction", CAPITALS, rowVersion("done", 1)],
        ["life", CAPITALS, rowVersion("done", 1)],
      ],
    );
    assert.equal((await world.shard.terminals.latest("T1", "partner:1", 0))?.uuid, CAPITALS);
  });

  it("makes one conflict of the same posting, however it writes the uuid", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, SMALL));
    await world.shard.terminals.recordResult(posting(SMALL));
    for (const uuid of [CAPITALS, SMALL]) await world.shard.terminals.recordResult(posting(uuid, { result: "KO" }));
    await world.shard.terminals.recordResult(posting(CAPITALS, { result: "KO", authCode: "a" }));
    const conflicts = (await world.rows()).flatMap((row) => (row.type === "conflict" ? [row] : []));
    assert.deepEqual([...new Set(conflicts.map(({ uuid }) => uuid))], [SMALL]);
    assert.equal(new Set(conflicts.map(({ id }) => id)).size, 2);
    assert.equal(conflicts[0]?.id, conflicts[1]?.id);
    const items = await world.shard.terminals.attention({ after: "", limit: 10 });
    assert.deepEqual(
      items.map(({ item }) => [item.kind, item.uuid]),
      [["conflict", SMALL]],
    );
  });

  it("is one with small letters in a result that nobody asked for", async () => {
    const world = await openWorld();
    assert.deepEqual(await world.shard.terminals.recordResult(posting(CAPITALS)), { type: "recorded" });
    assert.deepEqual(await world.shard.terminals.recordResult(posting(SMALL)), { type: "repeated" });
    assert.deepEqual(await world.shard.terminals.recordResult(posting(SMALL, { result: "KO" })), { type: "conflict" });
    assert.deepEqual(await transactionsIn(world), [CAPITALS]);
    for (const uuid of [SMALL, CAPITALS]) {
      assert.equal((await world.shard.terminals.command(uuid, 0))?.uuid, CAPITALS);
      assert.equal((await world.shard.terminals.accept(command(world, uuid))).type, "duplicate");
    }
  });
});

/** A world whose store holds a sent command in capitals as it was kept before they were the same uuid as small letters. */
async function formerWorld(): Promise<World> {
  const clock = new ManualClock();
  const sent = command({ clock }, CAPITALS);
  const entry = {
    ...entryOf(sent),
    attempts: 1,
    sentAtMs: clock.nowMs(),
    channel: "poll" as const,
    unknownAtMs: clock.nowMs() + 300_000,
    session: null,
    redeliverable: false,
    held: false,
    refusedBy: null,
    awaitingAck: false,
    cancels: null,
    cancelRequested: false,
  };
  const kv = new MemoryKv();
  const former = writeCommand(claimOf(sent)).replace(`,"${CAPITALS}"]`, "]");
  await kv.commit({
    checks: [],
    operations: [
      { type: "put", key: `c/${CAPITALS}`, value: former },
      { type: "put", key: "t/T1", value: writeTerminal(toRecord("T1", { queue: [], sent: [entry], latest: [] })) },
      { type: "put", key: "q/T1", value: "0" },
    ],
  });
  const world = await openWorld({ kv, clock });
  await world.shard.home.rearm("T1");
  return world;
}

describe("a uuid in capitals from before", () => {
  it("stays where it is, is found as it is written, and is refused", async () => {
    const world = await formerWorld();
    assert.equal(await stateOf(world.shard, CAPITALS), "sent");
    assert.equal((await world.shard.terminals.accept(command(world, CAPITALS, { terminalId: "T2" }))).type, "duplicate");
    assert.deepEqual(await world.shard.terminals.recordResult(posting(CAPITALS)), { type: "recorded" });
    assert.deepEqual(world.kv.keys("c/"), [`c/${CAPITALS}`]);
    assert.equal(await stateOf(world.shard, CAPITALS), "done");
    assert.deepEqual(await world.shard.terminals.recordResult(posting(CAPITALS)), { type: "repeated" });
    assert.deepEqual(await transactionsIn(world), [CAPITALS]);
  });

  it("ends where it is when its time is over, and by a late result", async () => {
    const world = await formerWorld();
    await world.pass(300_000);
    assert.equal(await stateOf(world.shard, CAPITALS), "unknown");
    assert.deepEqual(await world.shard.terminals.recordResult(posting(CAPITALS)), { type: "recorded" });
    assert.equal(await stateOf(world.shard, CAPITALS), "done");
    assert.deepEqual(world.kv.keys("c/"), [`c/${CAPITALS}`]);
  });

  it("is cancelled", async () => {
    const world = await formerWorld();
    assert.deepEqual(await world.shard.terminals.cancel({ uuid: CAPITALS, cancelUuid: "x" }), { type: "requested", cancelUuid: "x" });
    assert.equal(await pollUuid(world.shard), "x");
    assert.deepEqual(await world.shard.terminals.recordResult(posting("x")), { type: "recorded" });
    assert.equal(await stateOf(world.shard, CAPITALS), "cancelled");
  });
});
