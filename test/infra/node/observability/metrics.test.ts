import assert from "node:assert/strict";
import { it } from "node:test";
import { EXPORT_FAILURES } from "../../../../engine/exports/words.ts";
import type { OutboxBacklog } from "../../../../engine/operators/overview.ts";
import { createShardMetrics, joinMetrics } from "../../../../infra/node/observability/metrics.ts";
import { createNodeMetrics, type NodeGauges } from "../../../../infra/node/observability/node-metrics.ts";
import { createStoreCommits } from "../../../../infra/node/observability/store-commits.ts";
import { alertRules } from "../../monitoring/rules.ts";

const SINGLE: NodeGauges = {
  build: { version: "1.2.3", httpLibrary: "uws" },
  certificateExpiresAtMs: () => null,
  redis: null,
  feed: () => ({ inserted: 5, failures: 0, poison: 0, deadLetters: 0 }),
  kafka: () => null,
  freeBytes: async () => 5_000_000_000,
  isClickHouseUp: async () => true,
  damagedParts: () => 0,
  lostCommits: () => 0,
  activity: () => ({ written: 7, dropped: 2, waiting: 1 }),
  backlog: async () => null,
  cluster: { liveNodes: () => 1, lapses: () => 0, clockOffsetMs: () => 0, stream: () => ({ waiting: 0, delayMs: 0, lost: 0 }) },
};

async function linesOf(text: Promise<string>, begin: string): Promise<string[]> {
  return (await text).split("\n").filter((line) => line.startsWith(begin));
}

it("metrics leave out what cannot be learned, and tell it again when it can be", async () => {
  let backlog: OutboxBacklog | null = null;
  const metrics = createNodeMetrics({ ...SINGLE, backlog: async () => backlog });
  const told = async () => linesOf(joinMetrics([await metrics.collect()]), "relay_outbox_");
  assert.deepEqual(await told(), []);
  backlog = { depth: 100_000, capped: true, oldestAgeMs: 61_500 };
  assert.deepEqual(await told(), ["relay_outbox_depth 100000", "relay_outbox_depth_capped 1", "relay_outbox_oldest_age_seconds 61.5"]);
  backlog = { depth: 0, capped: false, oldestAgeMs: 0 };
  assert.deepEqual(await told(), ["relay_outbox_depth 0", "relay_outbox_depth_capped 0", "relay_outbox_oldest_age_seconds 0"]);
  backlog = null;
  assert.deepEqual(await told(), []);
});

it("the free bytes of the disk are told, but where nobody knows them", async () => {
  const told = (freeBytes: NodeGauges["freeBytes"]) => {
    const metrics = createNodeMetrics({ ...SINGLE, freeBytes });
    return metrics.collect().then((collected) => linesOf(joinMetrics([collected]), "relay_data_free_bytes"));
  };
  assert.deepEqual(await told(async () => 5_000_000_000), ["relay_data_free_bytes 5000000000"]);
  assert.deepEqual(await told(async () => Number.POSITIVE_INFINITY), []);
  assert.deepEqual(await told(() => Promise.reject(new Error("ENOENT"))), []);
});

it("a count that is kept elsewhere is told as it is there, however often it is asked for", async () => {
  const metrics = createNodeMetrics(SINGLE);
  await metrics.collect();
  assert.deepEqual(await linesOf(joinMetrics([await metrics.collect()]), "relay_feed_inserted"), ["relay_feed_inserted_rows_total 5"]);
});

it("Kafka's lag is told by the node that produces, and by no other", async () => {
  const commits = createStoreCommits("redis");
  const told = async (lagMessages: number | null) => {
    const redis = { isUp: () => true, commits };
    const metrics = createNodeMetrics({ ...SINGLE, redis, kafka: () => ({ lagMessages, partitions: 6 }) });
    return linesOf(joinMetrics([await metrics.collect()]), "relay_kafka_");
  };
  assert.deepEqual(await told(12), ["relay_kafka_lag_messages 12", "relay_kafka_partitions 6"]);
  assert.deepEqual(await told(null), ["relay_kafka_partitions 6"]);
});

it("one thread without Redis is a node without Redis, and commits of all threads are counted together", async () => {
  const threads = [true, false, true].map((isUp, index) => {
    const commits = createStoreCommits("redis");
    commits.observe("redis", 2);
    return createShardMetrics(`shard-${index}`, { stats: null, commits, isRedisUp: () => isUp });
  });
  const text = async () => joinMetrics(await Promise.all(threads.map((thread) => thread.collect())));
  assert.deepEqual(await linesOf(text(), "relay_redis_up"), ["relay_redis_up 0"]);
  const buckets = await linesOf(text(), "relay_store_commit_duration_seconds");
  assert.deepEqual(
    buckets.filter((line) => /le="0.00(?:1|25)"|_count/.test(line)),
    [
      'relay_store_commit_duration_seconds_bucket{store="redis",le="0.001"} 0',
      'relay_store_commit_duration_seconds_bucket{store="redis",le="0.0025"} 3',
      'relay_store_commit_duration_seconds_count{store="redis"} 3',
    ],
  );
});

it("pushes, refusals and ends of sessions are told by their words, those that alerts ask for from the start", async () => {
  const metrics = createShardMetrics("shard-0", { stats: null, commits: null, isRedisUp: null });
  const text = async () => joinMetrics([await metrics.collect()]);
  assert.deepEqual(await linesOf(text(), "relay_rate_limited_total"), [
    'relay_rate_limited_total{bucket="pay"} 0',
    'relay_rate_limited_total{bucket="get"} 0',
  ]);
  metrics.rateLimited("scan");
  metrics.rateLimited("pay");
  metrics.refused("unauthorized");
  metrics.stompConnected();
  metrics.stompEnded("too_slow");
  metrics.pushed("at_once", 3);
  metrics.pushed("later", 70_000);
  const told = (await text()).split("\n");
  for (const line of [
    'relay_rate_limited_total{bucket="scan"} 1',
    'relay_rate_limited_total{bucket="pay"} 1',
    'relay_http_errors_total{code="unauthorized"} 1',
    "relay_stomp_connects_total 1",
    'relay_stomp_closes_total{reason="too_slow"} 1',
    'relay_command_push_delay_seconds_bucket{when="at_once",le="0.0025"} 0',
    'relay_command_push_delay_seconds_bucket{when="at_once",le="0.005"} 1',
    'relay_command_push_delay_seconds_bucket{when="later",le="60"} 0',
    'relay_command_push_delay_seconds_bucket{when="later",le="+Inf"} 1',
    'relay_command_push_delay_seconds_sum{when="later"} 70',
  ])
    assert.ok(told.includes(line), line);
});

it("an export that failed is counted by its reason, each of which is there from the start", async () => {
  const metrics = createShardMetrics("shard-0", { stats: null, commits: null, isRedisUp: null });
  for (const state of ["QUEUED", "RUNNING", "READY"]) metrics.exportBecame(state, null);
  metrics.exportBecame("FAILED", "no_room");
  const text = joinMetrics([await metrics.collect()]);
  assert.deepEqual(
    await linesOf(text, "relay_exports_total"),
    ["queued", "running", "ready", "failed"].map((became) => `relay_exports_total{became="${became}"} 1`),
  );
  assert.deepEqual(
    await linesOf(text, "relay_export_failures_total"),
    EXPORT_FAILURES.map((reason) => `relay_export_failures_total{reason="${reason}"} ${reason === "no_room" ? 1 : 0}`),
  );
});

it("what the store says is told as its highest, and left out while it says nothing", async () => {
  let overdue = Promise.resolve(7_200);
  const metrics = createShardMetrics("shard-0", { stats: null, commits: null, isRedisUp: null });
  metrics.storedGauge("relay_reconciliation_overdue_seconds", "help", () => overdue);
  const told = async () => linesOf(joinMetrics([await metrics.collect()]), "relay_reconciliation_overdue");
  assert.deepEqual(await told(), ["relay_reconciliation_overdue_seconds 7200"]);
  overdue = Promise.reject(new Error("away"));
  assert.deepEqual(await told(), []);
  overdue = Promise.resolve(0);
  assert.deepEqual(await told(), ["relay_reconciliation_overdue_seconds 0"]);
});

it("what alerts count is there from the start, since an increase is seen only of what was there before", async () => {
  const shard = createShardMetrics("shard-0", { stats: null, commits: null, isRedisUp: null });
  const lines = (await joinMetrics([await createNodeMetrics(SINGLE).collect(), await shard.collect()])).split("\n");
  let counted = 0;
  for (const { name, expr } of alertRules()) {
    for (const [, metric = "", labels = ""] of expr.matchAll(/\bincrease\((relay_\w+_total)(?:\{([^}]*)\})?\[/g)) {
      for (const wanted of alternativesOf(labels)) {
        counted += 1;
        const isThere = lines.some((line) => new RegExp(`^${metric}[{ ]`).test(line) && wanted.every((label) => line.includes(label)));
        assert.ok(isThere, `${name} counts ${metric}{${wanted}}, which a node does not tell before the first`);
      }
    }
  }
  assert.ok(counted > 10, "alerts count in another way: this test is out of date");
});

/** Labels as a node writes them, for each word that a selector allows. */
function alternativesOf(selector: string): string[][] {
  return [...selector.matchAll(/(\w+)=~?"([^"]*)"/g)].reduce<string[][]>(
    (all, [, label = "", words = ""]) => all.flatMap((one) => words.split("|").map((word) => [...one, `${label}="${word}"`])),
    [[]],
  );
}

it("the event loop's delay has the quantiles of the page, of each thread", async () => {
  const shard = createShardMetrics("shard-0", { stats: null, commits: null, isRedisUp: null });
  const lines = await linesOf(joinMetrics([await createNodeMetrics(SINGLE).collect(), await shard.collect()]), "relay_event_loop_delay");
  assert.deepEqual(
    lines.map((line) => /\{(.*)\}/.exec(line)?.[1]),
    ["main", "shard-0"].flatMap((thread) => ["0.5", "0.99", "1"].map((quantile) => `thread="${thread}",quantile="${quantile}"`)),
  );
});
