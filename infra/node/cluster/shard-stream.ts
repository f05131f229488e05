import type { MinuteCounts } from "../../../engine/kernel/minute-counts.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import { connectRedis } from "../../../storage/bus/cluster/redis-connection.ts";
import { SharedLogins } from "../../../storage/bus/cluster/shared-logins.ts";
import { createSharedMinutes } from "../../../storage/bus/cluster/shared-minutes.ts";
import { SharedWindows } from "../../../storage/bus/cluster/shared-windows.ts";
import { createStreamWriter } from "../../../storage/bus/cluster/stream-reader.ts";
import type { Log } from "../observability/log.ts";
import { KEY_PREFIX } from "./cluster.ts";

/** A shard's connection to the Redis of its cluster, for messages to other nodes and for shared counts. */
export interface ShardStream {
  write: ReturnType<typeof createStreamWriter>;
  windows: SharedWindows;
  logins: SharedLogins;
  minutes: MinuteCounts;
  /** Closes the connection. */
  close(): void;
}

export function connectShardStream(redisUrl: string, timers: Timers, log: Pick<Log, "cluster">): ShardStream {
  const redis = connectRedis(redisUrl, (error) => log.cluster("redis", error));
  return {
    write: createStreamWriter(redis, KEY_PREFIX),
    windows: new SharedWindows(redis, KEY_PREFIX, timers),
    logins: new SharedLogins(redis, KEY_PREFIX, timers),
    minutes: createSharedMinutes(redis, KEY_PREFIX, timers),
    close: () => redis.disconnect(),
  };
}
