import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDirectory, type Directory } from "../../../engine/access/directory.ts";
import { createDirectoryStore } from "../../../engine/access/directory-store.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { type SyncedShard, syncedShards } from "../tables/world.ts";

const patterns = { compile: (pattern: string) => (text: string) => text.startsWith(pattern.replace(".*", "")) };

interface Shard extends SyncedShard {
  directory: Directory;
  changes: () => number;
}

function shards(count: number, kv: MemoryKv): Shard[] {
  return syncedShards(count, kv).shards.map((shard) => {
    let changes = 0;
    const directory = createDirectory({
      store: createDirectoryStore(kv),
      patterns,
      tables: shard.tables,
      changed: () => {
        changes += 1;
      },
    });
    return { ...shard, directory, changes: () => changes };
  });
}

describe("administered settings", () => {
  it("are on every shard once the change is answered", async () => {
    const [one, other] = shards(2, new MemoryKv());
    assert.ok(one !== undefined && other !== undefined);
    await one.tables.load();
    await other.tables.load();
    assert.equal(other.directory.mayTake("T1", "T2"), false);
    assert.equal(other.changes(), 1);
    await one.directory.saveRule({ terminalId: "T1", enabled: true, ruleType: "LIST", ruleValue: "T2" });
    await one.directory.setDenied("T9", true);
    assert.equal(other.directory.mayTake("T1", "T2"), true);
    assert.equal(other.directory.isDenied("T9"), true);
    assert.deepEqual(other.directory.deniedTerminals(), ["T9"]);
    assert.deepEqual([other.directory.mayTake("T9", "T9"), other.directory.mayTake("T8", "T8")], [false, true]);
    await other.directory.setDenied("T2", true);
    assert.equal(other.directory.mayTake("T1", "T2"), false, "a rule lets somebody act for a denied terminal");
    await other.directory.setDenied("T2", false);
    assert.equal(other.changes(), 5);
    await other.directory.setDenied("T9", false);
    assert.equal(one.directory.isDenied("T9"), false);
  });

  it("raise a version with each change, by which a shard that was not told finds it", async () => {
    const kv = new MemoryKv();
    const [one] = shards(1, kv);
    assert.ok(one !== undefined);
    await one.tables.load();
    // A shard of another world: it shares the store, and nobody can tell anybody.
    const [stranger] = shards(1, kv);
    await stranger?.directory.setDenied("T9", true);
    await stranger?.directory.saveRule({ terminalId: "T1", enabled: true, ruleType: "ANY" });
    assert.equal(one.directory.isDenied("T9"), false);
    await one.pass(500);
    assert.equal(one.directory.isDenied("T9"), true);
    assert.equal(one.directory.mayTake("T1", "T2"), true);
    assert.equal(one.changes(), 2);
  });
});
