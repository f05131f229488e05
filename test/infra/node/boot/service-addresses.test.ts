import assert from "node:assert/strict";
import { test } from "node:test";
import { serviceAddresses } from "../../../../infra/node/boot/service-addresses.ts";

const CLICKHOUSE = { type: "server", url: "http://relay:hidden@clickhouse-1:8123" } as const;

const storeOf = (redisUrl: string) =>
  serviceAddresses({
    cluster: { redisUrl, redisReplicas: 1, kafkaBrokers: ["kafka-1:9092"] },
    clickhouse: CLICKHOUSE,
    dataDirectory: "data",
  });

const CASES: [title: string, redisUrl: string, store: string][] = [
  ["one Redis", "rediss://relay:hidden@redis-1:6379/0", "redis-1:6379"],
  ["one Sentinel", "redis-sentinel://relay:hidden@s1/0?name=relay", "s1:26379"],
  [
    "several Sentinels",
    "redis-sentinel://relay:hidden@s1:26379,s2,[::1]:5/0?name=relay&sentinel-password=hidden",
    "s1:26379, s2:26379, [::1]:5",
  ],
];

for (const [title, redisUrl, store] of CASES) {
  test(`the log names the store's address without credentials: ${title}`, () => {
    assert.deepEqual(storeOf(redisUrl), { store, clickhouse: "clickhouse-1:8123", kafka: "kafka-1:9092" });
  });
}
