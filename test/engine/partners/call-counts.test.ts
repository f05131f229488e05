import assert from "node:assert/strict";
import { test } from "node:test";
import { createCallCountStore } from "../../../engine/partners/call-count-store.ts";
import { createCallCounts } from "../../../engine/partners/call-counts.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";

test("calls of several shards add up once each has stored its own", async () => {
  const kv = new MemoryKv();
  const [one, other] = [createCallCounts(createCallCountStore(kv)), createCallCounts(createCallCountStore(kv))];
  for (let call = 0; call < 50; call += 1) {
    one.count(7);
    other.count(7);
    other.count(8);
  }
  assert.deepEqual([await one.of(7), await other.of(7), await one.of(8)], [50, 50, 0]);
  await Promise.all([one.flush(), other.flush()]);
  assert.deepEqual([await one.of(7), await other.of(7), await one.of(8)], [100, 100, 50]);
  const before = kv.commits;
  await one.flush();
  assert.equal(kv.commits, before);
});

test("what was counted while a batch is stored belongs to the next", async () => {
  const kv = new MemoryKv();
  const counts = createCallCounts(createCallCountStore(kv));
  counts.count(7);
  kv.hold();
  const first = counts.flush();
  counts.count(7);
  while (kv.holding === 0) await Promise.resolve();
  const last = counts.flush();
  kv.release();
  await first;
  await last;
  assert.equal(await counts.of(7), 2);
  assert.equal(await createCallCounts(createCallCountStore(kv)).of(7), 2);
});

test("what could not be stored is kept for the next time", async () => {
  const kv = new MemoryKv();
  const counts = createCallCounts(createCallCountStore(kv));
  counts.count(7);
  kv.fate = () => "refused";
  await assert.rejects(counts.flush(), { code: "unavailable" });
  kv.fate = () => "done";
  counts.count(7);
  await counts.flush();
  assert.equal(await counts.of(7), 2);
});
