import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TerminalRow } from "../../../engine/payments/feed-row.ts";
import type { FedCommand } from "../../../engine/terminals/fed-command.ts";
import { rowsOf } from "../../../engine/terminals/result-decision.ts";
import { takeBack } from "../../../engine/terminals/taking-back.ts";
import { createTerminalStore, readCommandEntry } from "../../../engine/terminals/terminal-store.ts";
import { command, openSocket, openWorld, pollUuid, posting, stateOf, tableRows, type World } from "../world.ts";

/** What the feed holds after `work` in a world of its own. */
async function fedAfter(work: (world: World) => Promise<void>, shop: string | null = null): Promise<FedCommand[]> {
  const world = await openWorld({ administered: { shopOf: () => shop } });
  await work(world);
  const byUuid = new Map<string, FedCommand>();
  const of = (uuid: string): FedCommand => {
    const known = byUuid.get(uuid) ?? { uuid, terminalId: "T1", life: null, result: null };
    byUuid.set(uuid, known);
    return known;
  };
  for (const row of tableRows(await world.rows())) {
    if (row.type === "life") of(row.uuid).life = newer(of(row.uuid).life, row);
    if (row.type === "transaction") of(row.transaction.uuid).result = newer(of(row.transaction.uuid).result, row);
  }
  return [...byUuid.values()];
}

function newer<Row extends Exclude<TerminalRow, { type: "conflict" }>>(one: Row | null, other: Row): Row {
  return one !== null && one.version > other.version ? one : other;
}

async function pay(world: World, uuid: string, answer: Record<string, unknown> | null = {}): Promise<void> {
  await world.shard.terminals.accept(command(world, uuid));
  assert.equal(await pollUuid(world.shard), uuid);
  if (answer !== null) await world.shard.terminals.recordResult(posting(uuid, answer));
  world.clock.advance(1_000);
}

/** A store as it was before, and what it was told of since; its shards start afterwards. */
async function restored(fed: readonly FedCommand[], before: (world: World) => Promise<void> = async () => {}) {
  const lost = { version: 0 };
  const world = await openWorld({ lost });
  await before(world);
  lost.version = world.kv.lastVersion;
  const store = createTerminalStore({
    kv: world.kv,
    nowMs: world.clock.nowMs,
    retentionMs: 86_400_000,
    lostVersion: () => lost.version,
    writer: "back",
  });
  const again = () => takeBack(store, "T1", fed, world.clock.nowMs());
  const taken = await again();
  return { world: await world.restart(), taken, again };
}

describe("what the feed holds and a restored store lacks", () => {
  it("is a duplicate when it is sent again, and its result is found, by its uuid and as the terminal's last", async () => {
    const fed = await fedAfter((world) => pay(world, "a", { result: "KO", amount: 1_050 }));
    const { world, taken } = await restored(fed);
    assert.equal(taken, 1);
    const { terminals } = world.shard;
    assert.deepEqual(await terminals.accept(command(world, "a")), { type: "duplicate", state: "done", sender: "partner:1" });
    assert.equal(await pollUuid(world.shard), null);
    for (const view of [await terminals.command("a", 0), await terminals.latest("T1", "partner:1", 0)])
      assert.deepEqual([view?.uuid, view?.state, view?.transaction?.status], ["a", "done", "KO"]);
    assert.deepEqual(await terminals.recordResult(posting("a", { result: "KO", amount: 1_050 })), { type: "repeated" });
  });

  it("is whose it was: a result that comes later, too, whatever is configured by then", async () => {
    const fed = await fedAfter(async (world) => {
      await pay(world, "a", null);
      await world.pass(301_000);
      await pay(world, "b");
      await world.shard.terminals.recordResult(posting("unasked"));
    }, "SHOP-A");
    const { world } = await restored(fed);
    assert.deepEqual(await world.shard.terminals.recordResult(posting("a")), { type: "recorded" });
    const rows = tableRows(await world.rows()).filter((row) => row.type !== "conflict");
    assert.deepEqual(
      rows.map(({ type, shop }) => [type, shop]),
      [
        ["transaction", "SHOP-A"],
        ["life", "SHOP-A"],
      ],
    );
    for (const [uuid, place] of [
      ["b", "c/b"],
      ["unasked", "c/unasked/T1"],
    ] as const) {
      const entry = await world.kv.get(place);
      assert.ok(entry !== null);
      assert.deepEqual(
        tableRows(rowsOf(readCommandEntry(entry))).map((row) => row.type !== "conflict" && row.shop),
        uuid === "b" ? ["SHOP-A", "SHOP-A"] : ["SHOP-A"],
      );
    }
  });

  it("waits no more where it ended, and what else waited there is handed out to nobody", async () => {
    const fed = await fedAfter((world) => pay(world, "a"));
    const { world, taken } = await restored(fed, async ({ shard, clock }) => {
      await shard.terminals.accept(command({ clock }, "a"));
      await shard.terminals.accept(command({ clock }, "b"));
    });
    assert.equal(taken, 1);
    const socket = openSocket(world.shard, "s1");
    assert.equal(await pollUuid(world.shard), null);
    await world.pass(100);
    assert.deepEqual(socket.uuids, []);
    assert.deepEqual([await stateOf(world.shard, "a"), await stateOf(world.shard, "b")], ["done", "unknown"]);
    assert.equal((await world.shard.terminals.command("a", 0))?.command?.request, undefined);
  });

  it("wins over what time had made of the command, and never over a result", async () => {
    const fed = await fedAfter((world) => pay(world, "a"));
    const { world } = await restored(fed, async (before) => {
      await pay(before, "a", null);
      await before.pass(301_000);
      assert.equal(await stateOf(before.shard, "a"), "unknown");
    });
    assert.equal(await stateOf(world.shard, "a"), "done");
    const ended = await fedAfter(async (other) => {
      await pay(other, "a", null);
      await other.pass(301_000);
    });
    const { world: answered, taken } = await restored(ended, (before) => pay(before, "a"));
    assert.deepEqual([taken, await stateOf(answered.shard, "a")], [0, "done"]);
  });

  it("ends as unknown where that is all that is known, and operators are told", async () => {
    const fed = await fedAfter(async (world) => {
      await pay(world, "a", null);
      await world.pass(301_000);
    });
    const { world } = await restored(fed);
    assert.deepEqual(await world.shard.terminals.accept(command(world, "a")), { type: "duplicate", state: "unknown", sender: "partner:1" });
    const items = await world.shard.terminals.attention({ after: "", limit: 10 });
    assert.deepEqual(
      items.map(({ item }) => [item.kind, item.uuid]),
      [["unknown", "a"]],
    );
    assert.deepEqual(await world.shard.terminals.recordResult(posting("a")), { type: "recorded" });
    assert.equal(await stateOf(world.shard, "a"), "done");
  });

  it("stands in the order in which it came: status never shows an older one", async () => {
    const first = (world: World) => pay(world, "a");
    const fed = await fedAfter(async (world) => {
      await first(world);
      await pay(world, "b");
      await world.shard.terminals.recordResult(posting("unasked"));
    });
    const { world } = await restored(fed, first);
    const { terminals } = world.shard;
    assert.equal((await terminals.latest("T1", "partner:1", 0))?.uuid, "b");
    assert.equal((await terminals.latest("T1", null, 0))?.uuid, "unasked");
    const { world: older } = await restored(
      fed.filter(({ uuid }) => uuid === "a"),
      async (before) => {
        before.clock.advance(60_000);
        await pay(before, "c");
      },
    );
    assert.equal((await older.shard.terminals.latest("T1", "partner:1", 0))?.uuid, "c");
  });

  it("changes nothing when it is taken back again, and leaves another terminal's claim", async () => {
    const fed = await fedAfter((world) => pay(world, "a"));
    const { world, again } = await restored(fed);
    const commits = world.kv.commits;
    assert.deepEqual([await again(), world.kv.commits], [0, commits]);
    const { world: other, taken } = await restored(fed, async ({ shard, clock }) => {
      await shard.terminals.accept(command({ clock }, "a", { terminalId: "T2" }));
    });
    assert.deepEqual([taken, (await other.shard.terminals.command("a", 0))?.terminalId], [0, "T2"]);
  });
});
