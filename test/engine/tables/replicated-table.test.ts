import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Operation, scanAll } from "../../../engine/kernel/kv.ts";
import { createTables, partitionName, partitionOf, type Replica } from "../../../engine/tables/replicated-table.ts";
import { tableVersionOperation } from "../../../engine/tables/table-versions.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { syncedShards } from "./world.ts";

const PARTITIONS = 4;
const KEYS = Array.from({ length: 20 }, (_, index) => `key-${index}`);

/** Shards that hold words in memory, and the store that they are in. */
async function world(count: number) {
  const kv = new MemoryKv();
  const { shards, live, silent } = syncedShards(count, kv);
  const held = shards.map(({ tableSync, pass }) => {
    const changes: string[] = [];
    const loads: number[] = [];
    const tables = createTables(tableSync);
    const words: Replica<string> = tables.add({
      name: "words",
      partitions: PARTITIONS,
      load: async (partition) => {
        loads.push(partition);
        const entries = await scanAll(kv, `x/${partition}/`);
        return new Map(entries.map(({ key, value, version }) => [key.slice(4), { record: value, version }]));
      },
      changed: (key, after, before) => changes.push(`${key}: ${before} > ${after}`),
    });
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

describe("tables in memory, in partitions", () => {
  it("have a change on every shard once it is propagated, and tell what changed", async () => {
    const { one, other, store } = await world(2);
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
    const { one, other, store } = await world(2);
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
    const { one, other, store, live } = await world(2);
    await Promise.all([one.tables.load(), other.tables.load()]);
    live.delete("shard-1");
    await store("key-3", "2");
    await one.words.propagate("key-3");
    assert.equal(other.words.get("key-3"), undefined);
    await other.pass(600);
    assert.equal(other.words.get("key-3"), "2");
  });
});
