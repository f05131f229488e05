import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { kafkaClient } from "../../../storage/feed/kafka/kafka-client.ts";
import { FEED_TOPICS } from "../../../storage/feed/kafka/kafka-topics.ts";
import { ADMIN } from "../../storage/clickhouse/clickhouse-world.ts";
import { clientOf } from "../../storage/kv/redis-world.ts";
import { atEnd } from "../../storage/kv/world.ts";
import { kafkaMissing } from "../../support/node/kafka.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { eventually } from "../../support/within.ts";
import { startCluster } from "../cluster-world.ts";
import { type SharedServers, sharedServers } from "../servers.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

/** Connections that end with the test. */
async function connected(test: TestContext, { redis, kafka, clickhouse }: SharedServers) {
  const admin = kafkaClient({ brokers: kafka.brokers, clientId: "test" }).admin();
  await admin.connect();
  atEnd(test, () => admin.disconnect());
  const analytics = connectClickHouse({ url: new URL(clickhouse.url).origin, ...ADMIN });
  atEnd(test, () => analytics.close());
  return { store: clientOf(test, redis), admin, analytics };
}

/** All that a test could see of one before it. */
async function contentsOf(test: TestContext, servers: SharedServers) {
  const { store, admin, analytics } = await connected(test, servers);
  const ask = async (query: string) => {
    const rows = await analytics.query({ query: `${query} ORDER BY name`, format: "JSONEachRow" });
    return (await rows.json<{ name: string }>()).map(({ name }) => name);
  };
  return {
    databases: (await store.info("keyspace")).split("\r\n").filter((line) => line.startsWith("db")),
    functions: await store.function("LIST"),
    topics: (await admin.listTopics()).filter((topic) => !topic.startsWith("__")).sort(),
    groups: (await admin.listGroups()).groups.map(({ groupId }) => groupId),
    tables: await ask(
      "SELECT concat(database, '.', name) AS name FROM system.tables WHERE lower(database) NOT IN ('system', 'information_schema')",
    ),
    schemas: await ask("SELECT name FROM system.databases"),
    users: await ask("SELECT name FROM system.users"),
    files: await readdir(dirname(servers.environment["RELAY_EXPORT_DIR"] ?? "")),
  };
}

describe("the servers that tests share", { skip: missing }, () => {
  it("are as new at their next use", async (test) => {
    let before: SharedServers | null = null;

    await test.test("a node has used them, and was killed", async (first) => {
      const cluster = await startCluster(first, { nodes: 1, proxiedNode: null });
      before = cluster;
      const uuid = randomUUID();
      assert.equal((await cluster.caller(0, "partner").pay("T1", { uuid })).status, 200);
      assert.equal((await cluster.caller(0, "fleet").poll("T1")).status, 200);
      assert.equal((await cluster.caller(0, "fleet").receipt("T1", { uuid, result: "OK" })).status, 200);
      const { store, admin, analytics } = await connected(first, cluster);
      await eventually(async () => {
        const rows = await analytics.query({ query: "SELECT uuid FROM relay.transactions", format: "JSONEachRow" });
        assert.deepEqual(await rows.json(), [{ uuid }]);
      });
      await store.select(3);
      await store.set("key", "in another database");
      await store.function("LOAD", "#!lua name=library\nredis.register_function('one', function() return 1 end)");
      await analytics.command({ query: "CREATE DATABASE other" });
      await analytics.command({ query: "CREATE TABLE other.rows (id UInt8) ENGINE = MergeTree ORDER BY id" });
      // ClickHouse has no place where it could store another user.
      await assert.rejects(analytics.command({ query: "CREATE USER other" }), /no writeable access storage/);
      const { databases, functions, topics, groups, tables } = await contentsOf(first, cluster);
      assert.equal(databases.length, 2);
      assert.equal(Array.isArray(functions) && functions.length, 1);
      assert.deepEqual(topics, [FEED_TOPICS.rows, FEED_TOPICS.dead].sort());
      assert.deepEqual(groups, [FEED_TOPICS.group]);
      assert.ok(tables.includes("relay.transactions") && tables.includes("other.rows"));
      const { groups: described } = await admin.describeGroups([FEED_TOPICS.group]);
      assert.notEqual(described[0]?.members.length, 0);
    });

    await test.test("the next test sees nothing of that", async (second) => {
      const servers = await sharedServers(second);
      assert.equal(servers.redis.url, before?.redis.url);
      assert.notEqual(servers.environment["RELAY_EXPORT_DIR"], before?.environment["RELAY_EXPORT_DIR"]);
      assert.deepEqual(await contentsOf(second, servers), {
        ...{ databases: [], functions: [], topics: [], groups: [], tables: [], files: [] },
        schemas: ["INFORMATION_SCHEMA", "default", "information_schema", "relay", "system"],
        users: ["default"],
      });
    });
  });
});
