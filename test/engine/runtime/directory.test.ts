import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Address, Bus } from "../../../engine/ports/bus.ts";
import type { DirectoryContents, DirectoryStore } from "../../../engine/ports/directory-store.ts";
import { createDirectory, type Directory, type DirectoryProtocol } from "../../../engine/runtime/directory.ts";
import { createDirectoryStore } from "../../../storage/stores/directory-store.ts";
import { MemoryKv } from "./memory-kv.ts";

const patterns = { compile: (pattern: string) => (text: string) => text.startsWith(pattern.replace(".*", "")) };

interface Shard {
  directory: Directory;
  changes: () => number;
}

function shards(count: number, store: DirectoryStore): Shard[] {
  const addresses = Array.from({ length: count }, (_, index) => `shard-${index}`);
  const handlers = new Map<Address, (from: Address) => Promise<undefined>>();
  return addresses.map((self) => {
    const bus: Bus<DirectoryProtocol> = {
      self,
      shards: addresses,
      ask: async (to) => handlers.get(to)?.(self),
      tell: () => {},
      serve: (_kind, handler) => handlers.set(self, async (from) => handler(undefined, from)),
    };
    let changes = 0;
    const directory = createDirectory({ store, patterns, bus, changed: () => (changes += 1) });
    return { directory, changes: () => changes };
  });
}

describe("administered settings", () => {
  it("are on every shard once the change is answered", async () => {
    const [one, other] = shards(2, createDirectoryStore(new MemoryKv()));
    assert.ok(one !== undefined && other !== undefined);
    await one.directory.load();
    await other.directory.load();
    assert.equal(other.directory.mayTake("T1", "T2"), false);
    await one.directory.saveRule({ terminalId: "T1", enabled: true, ruleType: "LIST", ruleValue: "T2" });
    await one.directory.setDenied("T9", true);
    assert.equal(other.directory.mayTake("T1", "T2"), true);
    assert.equal(other.directory.isDenied("T9"), true);
    assert.deepEqual(other.directory.deniedTerminals(), ["T9"]);
    assert.equal(other.changes(), 2);
    await other.directory.setDenied("T9", false);
    assert.equal(one.directory.isDenied("T9"), false);
  });

  it("are those of the later load where two loads end in the wrong order", async () => {
    const answers: ((contents: DirectoryContents) => void)[] = [];
    const store: DirectoryStore = {
      load: () => new Promise((resolve) => answers.push(resolve)),
      saveRule: async () => {},
      setDenied: async () => {},
    };
    const [shard] = shards(1, store);
    assert.ok(shard !== undefined);
    const earlier = shard.directory.load();
    const later = shard.directory.load();
    answers[1]?.({ rules: [], deniedTerminals: ["T9"] });
    answers[0]?.({ rules: [], deniedTerminals: [] });
    await Promise.all([earlier, later]);
    assert.equal(shard.directory.isDenied("T9"), true);
  });
});
