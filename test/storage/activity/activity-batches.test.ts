import assert from "node:assert/strict";
import { it } from "node:test";
import { isLogEntryId } from "../../../engine/operators/merchant-logs.ts";
import { createActivityBatches } from "../../../storage/activity/activity-batches.ts";
import { call, step } from "./activity-world.ts";

it("entries come once, each under an id in the order of time", () => {
  const { log, take } = createActivityBatches({ writer: "shard-0-1a2b3c4d" });
  assert.equal(take(), null);
  log.workflow(step({ atMs: 1_763_700_000_000 }));
  log.workflow(step({ atMs: 1_763_700_000_000, objectId: "link-2" }));
  log.call(call({ atMs: 1_763_700_000_001 }));
  const batch = take();
  const ids = [...(batch?.lines.workflow_log ?? []), ...(batch?.lines.call_log ?? [])].map((line) => String(JSON.parse(line).id));
  assert.equal(ids.length, 3);
  assert.ok(ids.every(isLogEntryId));
  assert.deepEqual([...ids].sort(), ids);
  assert.equal(new Set(ids).size, 3);
  assert.equal(take(), null);
});

it("what has no room, and what no entry may hold, is dropped and counted", () => {
  const { log, take } = createActivityBatches({ writer: "w", limits: { entriesMax: 3, charsMax: 1_000_000 } });
  for (let index = 0; index < 5; index += 1) log.workflow(step());
  log.call(call());
  const full = take();
  assert.equal(full?.lines.workflow_log.length, 3);
  assert.equal(full?.lines.call_log.length, 0);
  assert.equal(full?.dropped, 3);
  log.workflow(step({ objectId: "buyer@example.org" }));
  assert.deepEqual(take(), { lines: { workflow_log: [], call_log: [] }, dropped: 1 });
  log.call(call());
  assert.equal(take()?.lines.call_log.length, 1);
});

it("long entries have no more room than many", () => {
  const { log, take } = createActivityBatches({ writer: "w", limits: { entriesMax: 1_000, charsMax: 2_000 } });
  for (let index = 0; index < 100; index += 1) log.call(call({ detail: "x".repeat(200) }));
  const batch = take();
  const chars = (batch?.lines.call_log ?? []).reduce((sum, line) => sum + line.length, 0);
  assert.ok(chars > 1_000 && chars <= 2_000, `${chars} characters`);
  assert.equal((batch?.lines.call_log.length ?? 0) + (batch?.dropped ?? 0), 100);
});
