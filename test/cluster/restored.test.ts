import assert from "node:assert/strict";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { machineTimers } from "../../infra/node/boot/machine-timers.ts";
import { kafkaSink } from "../../storage/feed/kafka/kafka-sink.ts";
import { FEED_TOPICS } from "../../storage/feed/kafka/kafka-topics.ts";
import { drillOf } from "../fault/restore-drill.ts";
import { ANALYST } from "../storage/clickhouse/clickhouse-world.ts";
import { atEnd, directoryOf } from "../storage/kv/world.ts";
import { kafkaMissing } from "../support/node/kafka.ts";
import { redisMissing } from "../support/node/redis.ts";
import { eventually } from "../support/within.ts";
import { startClusterWithOwnServers } from "./cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

const AOF = "appendonlydir";

describe("a Redis that was restored while all nodes were stopped", { skip: missing }, () => {
  it("is known as such, and has back what Kafka holds and ClickHouse does not yet, before a node is ready", {
    timeout: 400_000,
  }, async (test) => {
    const cluster = await startClusterWithOwnServers(test, { nodes: 2 });
    const { redis, kafka, clickhouse } = cluster;
    const backup = join(await directoryOf(test), "backup");
    const sink = kafkaSink({ brokers: kafka.brokers, clientId: "drill", timers: machineTimers, topics: FEED_TOPICS });
    atEnd(test, () => sink.close());

    async function unconfirmed(): Promise<number> {
      const position = await sink.position();
      assert.ok(position !== null);
      return [...position.values()].reduce((sum, { end, confirmed }) => sum + Number(end - confirmed), 0);
    }

    await drillOf({
      url: cluster.balancerUrl,
      backUp: async () => {
        await eventually(async () => assert.equal(await unconfirmed(), 0));
        // What comes from now on stays in Kafka.
        await clickhouse.kill();
        await cp(join(redis.directory, AOF), backup, { recursive: true });
      },
      fed: (uuids) => eventually(async () => assert.ok((await unconfirmed()) >= uuids.length - 1)),
      restore: async () => {
        const stopping = cluster.nodes.map(async (node) => {
          node.signal("SIGTERM");
          await node.exited;
        });
        await Promise.all(stopping);
        await redis.process.terminate();
        await rm(join(redis.directory, AOF), { recursive: true });
        await cp(backup, join(redis.directory, AOF), { recursive: true });
        await redis.restart();
        await clickhouse.start();
        await Promise.all([cluster.start(0), cluster.start(1)]);
      },
      analyst: async () => ({ url: new URL(clickhouse.url).origin, username: ANALYST.username, password: ANALYST.password }),
    });
    const outputs = cluster.nodes.map((node) => node.output()).join("\n");
    assert.match(outputs, /"event":"store restored","certain":true/);
    assert.doesNotMatch(outputs, /those that are only in Kafka could not be read/);
  });
});
