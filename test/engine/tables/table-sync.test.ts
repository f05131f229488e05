import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tableVersionOperation } from "../../../engine/tables/table-versions.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { settle } from "../world.ts";
import { syncedShards } from "./world.ts";

const KEY = "value";

/** Shards that hold one value in memory. */
async function world(count: number) {
  const kv = new MemoryKv();
  const synced = syncedShards(count, kv);
  const holders = synced.shards.map(({ tableSync: own }) => {
    const holder = { value: "", loads: 0, changes: 0, gate: Promise.resolve() };
    const table = own.table({
      name: "values",
      load: async () => {
        holder.loads += 1;
        const read = (await kv.get(KEY))?.value ?? "";
        await holder.gate;
        holder.value = read;
      },
      changed: () => {
        holder.changes += 1;
      },
    });
    return { holder, table };
  });
  await Promise.all(holders.map(({ table }) => table.load()));
  const [first] = holders;
  assert.ok(first !== undefined);
  return {
    ...synced,
    holders: holders.map(({ holder }) => holder),
    store: (value: string) => kv.commit({ checks: [], operations: [{ type: "put", key: KEY, value }, tableVersionOperation("values")] }),
    table: first.table,
    pass: async (ms: number) => synced.shards[0]?.pass(ms),
  };
}

/** Whether the promise has come to its end, and how. */
function watched(promise: Promise<unknown>): { state: string } {
  const watch = { state: "pending" };
  promise.then(
    () => {
      watch.state = "done";
    },
    (error: unknown) => {
      watch.state = error instanceof Error ? error.message : "failed";
    },
  );
  return watch;
}

describe("a change of a table that all shards hold", () => {
  it("is answered when all of them have it", async () => {
    const { holders, store, table } = await world(3);
    await store("new");
    await table.propagate();
    assert.deepEqual(
      holders.map(({ value, changes }) => [value, changes]),
      Array.from({ length: 3 }, () => ["new", 1]),
    );
  });

  it("asks a shard that does not answer again until it does", async () => {
    const { holders, store, table, silent, pass } = await world(3);
    silent.add("shard-2");
    await store("new");
    const propagating = watched(table.propagate());
    await pass(8_000);
    assert.equal(propagating.state, "pending");
    silent.clear();
    await pass(250);
    assert.equal(propagating.state, "done");
    assert.equal(holders[2]?.value, "new");
  });

  it("does not wait for a node whose membership has expired", async () => {
    const { store, table, silent, live, pass } = await world(3);
    silent.add("shard-1");
    await store("new");
    const propagating = watched(table.propagate());
    await pass(6_000);
    assert.equal(propagating.state, "pending");
    live.delete("shard-1");
    await pass(250);
    assert.equal(propagating.state, "done");
  });

  it("ends as unavailable when a live node never confirms it", async () => {
    const { store, table, silent, pass } = await world(2);
    silent.add("shard-1");
    await store("new");
    const propagating = watched(table.propagate());
    await pass(14_000);
    assert.equal(propagating.state, "pending");
    await pass(2_000);
    assert.match(propagating.state, /^The change is stored, but not every node/);
  });

  it("is found by the table's version where nobody told of it", async () => {
    const { holders, store, pass } = await world(2);
    await store("new");
    await pass(500);
    assert.deepEqual(
      holders.map(({ value, changes }) => [value, changes]),
      Array.from({ length: 2 }, () => ["new", 1]),
    );
    const loads = holders[0]?.loads;
    await pass(2_000);
    assert.equal(holders[0]?.loads, loads, "what has not changed is not loaded again");
  });

  it("is read by a load that begins after it, shared by all who come while one runs", async () => {
    const { holders, store, table } = await world(1);
    const [holder] = holders;
    assert.ok(holder !== undefined);
    let open = () => {};
    holder.gate = new Promise((resolve) => {
      open = resolve;
    });
    const earlier = table.load();
    await settle();
    await store("new");
    const later = [table.propagate(), table.propagate(), table.load()];
    await settle();
    open();
    await Promise.all([earlier, ...later]);
    assert.equal(holder.value, "new");
    assert.equal(holder.loads, 3, "the first, the one that ran, and one for all three");
  });
});
