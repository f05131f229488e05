import assert from "node:assert/strict";
import { it } from "node:test";
import type { OutboxBacklog } from "../../../../engine/operators/overview.ts";
import { createNodeMetrics, joinMetrics } from "../../../../infra/node/observability/metrics.ts";

it("metrics leave out what cannot be learned, and tell it again when it can be", async () => {
  let backlog: OutboxBacklog | null = null;
  const metrics = createNodeMetrics({
    feed: () => ({ inserted: 0, failures: 0, poison: 0 }),
    activity: () => ({ written: 7, dropped: 2, waiting: 1 }),
    backlog: async () => backlog,
    cluster: { liveNodes: () => 1, lapses: () => 0, clockOffsetMs: () => 0, stream: () => ({ waiting: 0, delayMs: 0, lost: 0 }) },
  });
  const told = async () => (await joinMetrics([await metrics.collect()])).split("\n").filter((line) => line.startsWith("relay_outbox_"));
  assert.deepEqual(await told(), []);
  backlog = { depth: 100_000, capped: true, oldestAgeMs: 61_500 };
  assert.deepEqual(await told(), ["relay_outbox_depth 100000", "relay_outbox_depth_capped 1", "relay_outbox_oldest_age_seconds 61.5"]);
  backlog = { depth: 0, capped: false, oldestAgeMs: 0 };
  assert.deepEqual(await told(), ["relay_outbox_depth 0", "relay_outbox_depth_capped 0", "relay_outbox_oldest_age_seconds 0"]);
  backlog = null;
  assert.deepEqual(await told(), []);
});
