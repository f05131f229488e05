import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Redis } from "ioredis";
import { assertNotAnswered, assertNotIn, plantEverywhere } from "../secrets/plant-everywhere.ts";
import { createPlanted } from "../secrets/planted.ts";
import { atEnd } from "../storage/kv/world.ts";
import { filesUnder } from "../support/files-under.ts";
import { HttpClient } from "../support/http/http-client.ts";
import { TestGateway } from "../support/node/gateway.ts";
import { kafkaMissing } from "../support/node/kafka.ts";
import { redisMissing } from "../support/node/redis.ts";
import { eventually } from "../support/within.ts";
import { startClusterWithOwnServers } from "./cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

/** Everything that ClickHouse has in the relay's tables, as text. */
async function allRows(address: string): Promise<string> {
  const { origin, username, password } = new URL(address);
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const ask = async (sql: string): Promise<string> => {
    const response = await fetch(origin, { method: "POST", headers: { authorization }, body: sql });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return text;
  };
  const databases = "database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema')";
  const tables = (
    await ask(`SELECT concat(database, '.', name) FROM system.tables WHERE ${databases} AND engine LIKE '%MergeTree' FORMAT TSV`)
  )
    .split("\n")
    .filter((name) => name !== "");
  assert.ok(tables.length > 0, "ClickHouse has no tables");
  return (await Promise.all(tables.map((name) => ask(`SELECT * FROM ${name} FORMAT JSONEachRow`)))).join("\n");
}

describe("card numbers in a cluster", { skip: missing }, () => {
  it("are found neither in Redis after the end and a rewrite of its file, nor in Kafka, ClickHouse, answers and logs", {
    timeout: 550_000,
  }, async (context) => {
    const gateway = await TestGateway.start();
    atEnd(context, () => gateway.stop());
    const environment = { RELAY_GATEWAY_URL: gateway.url, RELAY_LOG_LEVEL: "trace" };
    const cluster = await startClusterWithOwnServers(context, { nodes: 2, environment, proxiedNode: null });
    const planted = createPlanted(Math.random);
    let callers = 0;
    const outcome = await plantEverywhere({
      url: cluster.balancerUrl,
      planted,
      log: () => cluster.nodes.map((node) => node.output()).join("\n"),
      caller: (headers) => {
        callers += 1;
        const url = () => cluster.nodes[callers % cluster.nodes.length]?.url ?? "";
        return new HttpClient(url, headers, `127.12.${callers >> 8}.${callers & 255}`, 10_000);
      },
    });
    context.diagnostic(`${planted.count} numbers in ${callers} requests`);
    assertNotAnswered(planted, outcome);

    // All rows have come through Kafka.
    const redis = new Redis(cluster.redis.url);
    atEnd(context, () => redis.disconnect());
    await eventually(async () => {
      const metrics = await cluster.caller(0, "nobody").get("/metrics");
      assert.match(metrics.text, /^relay_outbox_depth 0$/m);
    }, 60_000);
    const rows = await allRows(cluster.clickhouse.url);
    assert.ok(planted.controlFoundIn(rows), "the search of ClickHouse finds nothing");
    assertNotIn(planted, "ClickHouse", rows);

    for (const node of cluster.nodes) node.signal("SIGTERM");
    for (const node of cluster.nodes) assert.deepEqual(await node.exited, { code: 0, signal: null }, node.output().slice(-5_000));
    for (const node of cluster.nodes) assertNotIn(planted, "a log", node.output());
    // Texts that are compressed would hide from the search.
    await redis.config("SET", "rdbcompression", "no");
    await redis.bgrewriteaof();
    await eventually(async () => assert.match(await redis.info("persistence"), /aof_rewrite_in_progress:0/), 30_000);
    const inRedis = await filesUnder(cluster.redis.directory);
    assert.ok(
      inRedis.some(({ bytes }) => planted.controlFoundIn(bytes)),
      "the search of Redis finds nothing",
    );
    for (const { name, bytes } of inRedis) assertNotIn(planted, name, bytes);
    const inKafka = await filesUnder(cluster.kafka.directory);
    assert.ok(
      inKafka.some(({ bytes }) => planted.controlFoundIn(bytes)),
      "the search of Kafka finds nothing",
    );
    for (const { name, bytes } of inKafka) assertNotIn(planted, name, bytes);
    for (const { name, bytes } of await filesUnder(cluster.clickhouse.directory)) assertNotIn(planted, name, bytes);
    const exported = await filesUnder(cluster.environment["RELAY_EXPORT_DIR"] ?? "");
    assert.ok(exported.length > 0, "there is no file of an export");
    for (const { name, bytes } of exported) assertNotIn(planted, name, bytes);
  });
});
