import assert from "node:assert/strict";
import { before, describe } from "node:test";
import { runScenarios } from "../scenario/scenarios.ts";
import { ANALYST } from "../storage/clickhouse/clickhouse-world.ts";
import { suiteScope } from "../storage/kv/world.ts";
import { kafkaMissing } from "../support/node/kafka.ts";
import { redisMissing } from "../support/node/redis.ts";
import type { RelayOptions } from "../support/node/relay.ts";
import { type OwnServers, ownServers } from "./servers.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

/**
 * The scenarios whose way differs with several nodes (test/scenario/layouts.ts), on three nodes over one Redis, Kafka and ClickHouse: each caller
 * and each session is at the next node in turn. They run in this process, so that the clock of all can be moved. With `TEST_LAYOUTS=every` all
 * scenarios run here, but for what is about a node by itself (`relay.clustered`).
 */
describe("three nodes", { skip: missing }, () => {
  let running: OwnServers | null = null;
  before(async () => {
    running = await ownServers(ends);
  });

  /** Each relay has a database of Redis to itself. */
  let databases = 0;
  function relay(): RelayOptions {
    const database = databases;
    databases += 1;
    const servers = () => {
      assert.ok(running !== null, "the servers have not started");
      const { redis, kafka, clickhouse, environment } = running;
      return {
        environment: { ...environment, RELAY_REDIS_URL: `redis://127.0.0.1:${redis.port}/${database}` },
        analyst: { url: new URL(clickhouse.url).origin, ...ANALYST },
        dataDirectories: [redis.directory, kafka.directory, clickhouse.directory],
      };
    };
    return { shards: 1, environment: {}, cluster: { nodes: 3, servers } };
  }
  runScenarios(relay(), relay);
  // Registered last, so that the nodes have ended before.
  const ends = suiteScope();
});
