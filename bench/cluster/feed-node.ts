/** The feed of one node in a process of its own, as the main thread of a node runs it. Forked by feed.ts. */
import { createClock, createClockShift } from "../../infra/node/boot/clock.ts";
import { KEY_PREFIX } from "../../infra/node/cluster/cluster.ts";
import { createLog } from "../../infra/node/observability/log.ts";
import { createClusterFeed, type RunningFeed } from "../../infra/node/process/cluster-feed.ts";
import { connectClickHouse } from "../../storage/clickhouse/client.ts";
import { clickHouseSink } from "../../storage/feed/clickhouse-sink.ts";
import { openRedisKv } from "../../storage/kv/redis.ts";

export interface FeedNodeTask {
  redisUrl: string;
  kafkaBrokers: readonly string[];
  clickhouseUrl: string;
  name: string;
}

let running: RunningFeed | null = null;

process.once("message", async ({ redisUrl, kafkaBrokers, clickhouseUrl, name }: FeedNodeTask) => {
  const kv = await openRedisKv({ url: redisUrl, keyPrefix: KEY_PREFIX, refuseProblems: true });
  const { origin, username, password } = new URL(clickhouseUrl);
  const client = connectClickHouse({ url: origin, username, password });
  const clock = createClock(createClockShift());
  const feed = createClusterFeed({
    brokers: kafkaBrokers,
    clientId: name,
    kv,
    sink: clickHouseSink(client),
    clock,
    log: createLog("warn", name, clock.monotonicMs),
    shown: (error) => (error instanceof Error ? error : new Error(String(error))),
  });
  feed.begin();
  running = feed;
  process.on("message", () => process.send?.(running?.stats()));
  process.send?.({ ready: true });
});
process.once("SIGTERM", () => {
  Promise.resolve(running?.stop()).then(() => process.exit(0));
});
