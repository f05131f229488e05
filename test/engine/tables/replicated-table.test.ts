import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Operation, scanAll } from "../../../engine/kernel/kv.ts";
import type { RecordSource } from "../../../engine/tables/replicated-table.ts";
import { partitionName, partitionOf, tableVersionOperation } from "../../../engine/tables/table-versions.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { settle } from "../world.ts";
import { syncedShards } from "./world.ts";

const PARTITIONS = 4;
const KEYS = Array.from({ length: 20 }, (_, index) => `key-${index}`);

/** Shards that hold words in memory, and the store that they are in. */
async function recordTables(count: number) {
  const kv = new MemoryKv();
  const { shards, live, silent } = syncedShards(count, kv);
  const held = shards.map(({ tables, pass }) => {
    const changes: string[] = [];
    const loads: number[] = [];
    const source: RecordSource<string> = {
      table: "words",
      partitions: PARTITIONS,
      load: async (partition) => {
        loads.push(partition);
        const entries = await scanAll(kv, `x/${partition}/`);
        return new Map(entries.map(({ key, value, version }) => [key.slice(4), { record: value, version }]));
      },
    };
    const words = tables.records(source, (key, after, before) => changes.push(`${key}: ${before} > ${after}`));
    return { tables, words, changes, loads, pass };
  });
  async function store(key: string, value: string | null): Promise<void> {
    const partition = partitionOf(key, PARTITIONS);
    const place = `x/${partition}/${key}`;
    const operation: Operation = value === null ? { type: "delete", key: place } : { type: "put", key: place, value };
    await kv.commit({ checks: [], operations: [operation, tableVersionOperation(partitionName("words", partition))] });
  }
  const [one, other] = held;
  assert.ok(one !== undefined && other !== undefined);
  return { one, other, store, live, silent };
}

describe("records in memory, in partitions", () => {
  it("have a change on every shard once it is propagated, and tell what changed", async () => {
    const { one, other, store } = await recordTables(2);
    for (const key of KEYS) await store(key, "1");
    await Promise.all([one.tables.load(), other.tables.load()]);
    assert.equal(other.words.size, KEYS.length);
    one.changes.length = other.changes.length = 0;
    await store("key-3", "2");
    await one.words.propagate("key-3");
    await store("key-4", null);
    await other.words.propagate("key-4");
    for (const { words, changes } of [one, other]) {
      assert.equal(words.get("key-3"), "2");
      assert.equal(words.get("key-4"), undefined);
      assert.deepEqual(changes, ["key-3: 1 > 2", "key-4: 1 > null"]);
      assert.equal([...words.values()].length, KEYS.length - 1);
    }
  });

  it("load only the partition that changed", async () => {
    const { one, other, store } = await recordTables(2);
    await Promise.all([one.tables.load(), other.tables.load()]);
    assert.deepEqual([...one.loads].sort(), [0, 1, 2, 3]);
    one.loads.length = 0;
    await store("key-3", "2");
    await other.words.propagate("key-3");
    assert.deepEqual(one.loads, [partitionOf("key-3", PARTITIONS)]);
  });

  it("spread keys over all partitions, the same each time", () => {
    assert.deepEqual([...new Set(KEYS.map((key) => partitionOf(key, PARTITIONS)))].sort(), [0, 1, 2, 3]);
    assert.equal(partitionOf("anything", 1), 0);
  });

  it("find by themselves what nobody told them", async () => {
    const { one, other, store, live } = await recordTables(2);
    await Promise.all([one.tables.load(), other.tables.load()]);
    live.delete("shard-1");
    await store("key-3", "2");
    await one.words.propagate("key-3");
    assert.equal(other.words.get("key-3"), undefined);
    await other.pass(600);
    assert.equal(other.words.get("key-3"), "2");
  });
});

const KEY = "value";

/** Shards that hold one value in memory. */
async function wholeTables(count: number) {
  const kv = new MemoryKv();
  const synced = syncedShards(count, kv);
  const holders = synced.shards.map(({ tables }) => {
    const holder = { value: "", loads: 0, changes: 0, gate: Promise.resolve() };
    const table = tables.whole({
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
    return { holder, tables, table };
  });
  await Promise.all(holders.map(({ tables }) => tables.load()));
  const [first] = holders;
  assert.ok(first !== undefined);
  return {
    ...synced,
    holders: holders.map(({ holder }) => holder),
    store: (value: string) => kv.commit({ checks: [], operations: [{ type: "put", key: KEY, value }, tableVersionOperation("values")] }),
    tables: first.tables,
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
    const { holders, store, table } = await wholeTables(3);
    await store("new");
    await table.propagate();
    assert.deepEqual(
      holders.map(({ value, changes }) => [value, changes]),
      Array.from({ length: 3 }, () => ["new", 2]),
    );
  });

  it("asks a shard that does not answer again until it does", async () => {
    const { holders, store, table, silent, pass } = await wholeTables(3);
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
    const { store, table, silent, live, pass } = await wholeTables(3);
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
    const { store, table, silent, pass } = await wholeTables(2);
    silent.add("shard-1");
    await store("new");
    const propagating = watched(table.propagate());
    await pass(14_000);
    assert.equal(propagating.state, "pending");
    await pass(2_000);
    assert.match(propagating.state, /^The change is stored. Some nodes/);
  });

  it("is found by the table's version where nobody told of it", async () => {
    const { holders, store, pass } = await wholeTables(2);
    await store("new");
    await pass(500);
    assert.deepEqual(
      holders.map(({ value, changes }) => [value, changes]),
      Array.from({ length: 2 }, () => ["new", 2]),
    );
    const loads = holders[0]?.loads;
    await pass(2_000);
    assert.equal(holders[0]?.loads, loads, "what has not changed is not loaded again");
  });

  it("is read by a load that begins after it, shared by all who come while one runs", async () => {
    const { holders, store, tables, table } = await wholeTables(1);
    const [holder] = holders;
    assert.ok(holder !== undefined);
    let open = () => {};
    holder.gate = new Promise((resolve) => {
      open = resolve;
    });
    const earlier = tables.load();
    await settle();
    await store("new");
    const later = [table.propagate(), table.propagate(), tables.load()];
    await settle();
    open();
    await Promise.all([earlier, ...later]);
    assert.equal(holder.value, "new");
    assert.equal(holder.loads, 3, "the first, the one that ran, and one for all three");
  });
});
