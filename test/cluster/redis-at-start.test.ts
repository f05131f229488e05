import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { Redis } from "ioredis";
import { freePort } from "../../infra/local/free-port.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess } from "../fault/node-process.ts";
import { clientOf, redisOf } from "../storage/kv/redis-world.ts";
import { atEnd } from "../storage/kv/world.ts";
import { CREDENTIALS, HttpClient } from "../support/http/http-client.ts";
import { redisMissing, type TestRedis } from "../support/node/redis.ts";
import { eventually } from "../support/within.ts";

/** Keys whose loading takes longer than a node waits, so that only the test ends it. */
const KEYS = 200_000;
const BATCH = 10_000;
const LOADING_US_PER_KEY = "1000";

async function nodeOn(test: TestContext, port: number): Promise<NodeProcess> {
  return startNodeProcess(test, {
    ...(await placeOf(test)),
    environment: {
      ...NO_CLICKHOUSE,
      RELAY_REDIS_URL: `redis://127.0.0.1:${port}/0`,
      RELAY_KAFKA_BROKERS: "127.0.0.1:1",
      RELAY_SHARDS: "1",
      RELAY_LOG_LEVEL: "warn",
    },
  });
}

/** What its log says of waiting at the start: the reasons. */
function waits(node: NodeProcess): string[] {
  return node
    .output()
    .split("\n")
    .filter((line) => /"event":"(?:waits for Redis|starts again)"/.test(line))
    .map((line) => String(JSON.parse(line).reason));
}

const toldToWait = (node: NodeProcess) => eventually(async () => assert.equal(waits(node).length, 1, node.output()));

/** The node has started by itself, and has said once why it waited. */
async function started(node: NodeProcess, reason: RegExp): Promise<void> {
  await node.ready();
  const partner = new HttpClient(() => node.url, CREDENTIALS.partner, "127.8.0.2");
  assert.equal((await partner.pay("T1", { uuid: randomUUID() })).status, 200);
  const told = waits(node);
  assert.equal(told.length, 1, told.join("\n"));
  assert.match(told[0] ?? "", reason);
}

/** Many keys, which a Redis that is started again loads one by one. */
async function fill(test: TestContext, redis: TestRedis): Promise<void> {
  const client = clientOf(test, redis);
  for (let from = 0; from < KEYS; from += BATCH) {
    await client.mset(Array.from({ length: BATCH }, (_, index) => [`filler-${from + index}`, "1"]).flat());
  }
  // As its own file, each key of which it waits for.
  await client.bgrewriteaof();
  await eventually(async () =>
    assert.match(await client.info("persistence"), /aof_rewrite_in_progress:0\r\n(?:.*\r\n)*aof_last_bgrewrite_status:ok/),
  );
}

describe("a node that is started before its Redis can be used", { skip: await redisMissing(), concurrency: true }, () => {
  it("starts once Redis is there", async (test) => {
    const redis = await redisOf(test);
    await redis.process.kill();
    const node = await nodeOn(test, redis.port);
    await toldToWait(node);
    await redis.restart();
    await started(node, /^the Redis at 127\.0\.0\.1:\d+ cannot be used: connect ECONNREFUSED/);
  });

  it("starts once Redis has loaded its data", async (test) => {
    const redis = await redisOf(test, { "key-load-delay": LOADING_US_PER_KEY, "loading-process-events-interval-bytes": "1024" });
    await fill(test, redis);
    await redis.process.kill();
    await redis.process.start();
    const node = await nodeOn(test, redis.port);
    await toldToWait(node);
    // It would wait, too, if it asked whether Redis is ready.
    const client = new Redis(redis.url, { enableReadyCheck: false });
    atEnd(test, () => client.disconnect());
    assert.match(await client.info("persistence"), /^loading:1\r$/m);
    await client.config("SET", "key-load-delay", "0");
    await started(node, /cannot be used: it takes connections, but still loads its data or stands still$/);
  });

  it("starts once Redis answers again", async (test) => {
    const redis = await redisOf(test);
    redis.process.pause();
    const node = await nodeOn(test, redis.port);
    // More than one connection has been given up by then.
    await eventually(async () => assert.match(node.output(), /Socket timeout/));
    await toldToWait(node);
    redis.process.resume();
    await started(node, /cannot be used/);
  });

  it("ends after a minute without Redis, with code 1, the reason and no stack", async (test) => {
    const node = await nodeOn(test, await freePort());
    assert.deepEqual(await node.exited, { code: 1, signal: null }, node.output());
    assert.equal(waits(node).length, 1, node.output());
    const last = node.output().trim().split("\n").at(-1) ?? "";
    assert.match(
      last,
      /^RELAY_REDIS_URL: the Redis at 127\.0\.0\.1:\d+ cannot be used: Redis did not answer in (?:60000|59\d{3}) ms \(connect ECONNREFUSED/,
    );
    assert.doesNotMatch(node.output(), /^ +at /m);
  });
});
