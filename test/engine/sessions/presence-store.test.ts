import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { PresenceRecord } from "../../../engine/sessions/presence.ts";
import { createPresenceStore } from "../../../engine/sessions/presence-store.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";

const record = (terminalId: string, lastSeenMs: number): PresenceRecord => ({
  ...{ schema: 1, terminalId, lastSeenMs },
  device: { ipAddress: "203.0.113.1", deviceModel: "P400" },
});

test("forgets the devices of all terminals and keeps when each was last seen", async () => {
  const store = createPresenceStore(new MemoryKv());
  const ids = Array.from({ length: 600 }, (_, index) => `T${String(index).padStart(4, "0")}`);
  await store.save(ids.map((id, index) => record(id, index)));
  assert.equal(await store.forgetDevices(), ids.length);
  const kept = await store.page("", 1_000);
  assert.deepEqual(
    kept,
    ids.map((terminalId, lastSeenMs) => ({ schema: 1, terminalId, lastSeenMs, device: {} })),
  );
  assert.equal(await store.count(), ids.length);
});

test("never puts an older time in the place of one that was stored meanwhile", async () => {
  const kv = new MemoryKv();
  const other = createPresenceStore(kv);
  let meanwhile = 0;
  const racing: Kv = {
    ...{ get: (key) => kv.get(key), getMany: (keys) => kv.getMany(keys), count: (range) => kv.count(range), close: () => kv.close() },
    commit: (commit) => kv.commit(commit),
    scan: async (range) => {
      const entries = await kv.scan(range);
      if (meanwhile === 0) {
        meanwhile += 1;
        await other.save([record("T1", 2_000)]);
      }
      return entries;
    },
  };
  await other.save([record("T1", 1_000), record("T2", 1_000)]);
  await createPresenceStore(racing).forgetDevices();
  assert.deepEqual(
    (await other.page("", 10)).map(({ terminalId, lastSeenMs, device }) => [terminalId, lastSeenMs, device]),
    [
      ["T1", 2_000, {}],
      ["T2", 1_000, {}],
    ],
  );
});
