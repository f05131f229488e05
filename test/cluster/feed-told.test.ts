import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { openRedisKv } from "../../storage/kv/redis.ts";
import { keysUnder } from "../storage/feed/feed-world.ts";
import { member } from "../support/http/matches.ts";
import { kafkaMissing } from "../support/node/kafka.ts";
import { redisMissing } from "../support/node/redis.ts";
import { eventually } from "../support/within.ts";
import { startClusterWithOwnServers, type TestCluster } from "./cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

const NODES = [0, 1];

/** The sample of a metric without labels; null where there is none. */
async function metricAt(cluster: TestCluster, node: number, name: string): Promise<number | null> {
  const { status, text } = await cluster.caller(node, "nobody").get("/metrics");
  assert.equal(status, 200, text);
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return line === undefined ? null : Number(line.slice(name.length + 1));
}

async function toldAt(cluster: TestCluster, node: number) {
  const names = ["relay_outbox_depth", "relay_outbox_depth_capped", "relay_outbox_oldest_age_seconds"];
  const [depth = null, capped = null, ageSeconds = null] = await Promise.all(names.map((name) => metricAt(cluster, node, name)));
  return { depth, capped, ageSeconds };
}

/** Pays `count` commands and posts their results, through all nodes in turn: a row each, of its result and its end. */
async function payAll(cluster: TestCluster, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const [terminalId, uuid] = [`FED${index % 5}`, randomUUID()];
    const caller = cluster.caller(index % NODES.length, "fleet");
    assert.equal((await cluster.caller(index % NODES.length, "partner").pay(terminalId, { uuid })).status, 200);
    await caller.take(terminalId);
    assert.equal((await caller.receipt(terminalId, { uuid, result: "OK" })).status, 200);
  }
}

/** On each node, in metrics and in the dashboard: just these rows wait, and the oldest for at least so long. */
async function assertBehind(cluster: TestCluster, rows: number, ageSecondsMin: number): Promise<void> {
  for (const node of NODES) {
    await eventually(async () => {
      const told = await toldAt(cluster, node);
      assert.deepEqual([told.depth, told.capped], [rows, 0], `node-${node}`);
      assert.ok((told.ageSeconds ?? -1) >= ageSecondsMin, `node-${node} tells an age of ${told.ageSeconds} s`);
      const { body } = await cluster.caller(node, "administrator").get("/admin/dashboard");
      const outbox = member(body, "data", "outbox");
      assert.deepEqual([member(outbox, "depth"), member(outbox, "depthCapped")], [rows, false], `the dashboard of node-${node}`);
      assert.ok(Number(member(outbox, "oldestAgeSeconds")) >= Math.floor(ageSecondsMin));
    });
  }
}

/** What nodes tell may be of a look before the last rows were written, so the outbox itself is asked first. */
async function assertCaughtUp(cluster: TestCluster): Promise<void> {
  const kv = await openRedisKv({ url: cluster.redis.url, refuseProblems: false });
  try {
    await eventually(async () => assert.deepEqual(await keysUnder(kv, "o/"), []), 60_000);
  } finally {
    await kv.close();
  }
  const allDelivered = { depth: 0, capped: 0, ageSeconds: 0 };
  for (const node of NODES) await eventually(async () => assert.deepEqual(await toldAt(cluster, node), allDelivered), 60_000);
}

describe("each node of a cluster", { skip: missing, timeout: 300_000 }, () => {
  it("reports how far ClickHouse is behind, whoever is away, and leaves out what it cannot learn", async (test: TestContext) => {
    const cluster = await startClusterWithOwnServers(test, { nodes: NODES.length });
    await payAll(cluster, 4);
    await assertCaughtUp(cluster);

    await cluster.kafka.process.kill();
    await payAll(cluster, 20);
    await assertBehind(cluster, 20, 5);
    await cluster.kafka.restart();
    await assertCaughtUp(cluster);

    await cluster.clickhouse.kill();
    await payAll(cluster, 15);
    await assertBehind(cluster, 15, 5);

    cluster.redis.process.pause();
    try {
      for (const node of NODES) {
        await eventually(async () => assert.deepEqual(await toldAt(cluster, node), { depth: null, capped: null, ageSeconds: null }));
        assert.equal(await metricAt(cluster, node, "relay_feed_refused_rows_total"), 0, "what a node knows by itself is told all the same");
      }
    } finally {
      cluster.redis.process.resume();
    }
    await assertBehind(cluster, 15, 5);
    await cluster.clickhouse.start();
    await assertCaughtUp(cluster);
  });
});
