import type { MinuteCounts } from "../../../engine/kernel/minute-counts.ts";
import { createClusterRateLimit, type WindowsOfAll } from "../../../http/auth/cluster-rate-limit.ts";
import type { LoginCounts } from "../../../http/auth/login-counts.ts";
import { openRateLimit, type RateLimitBucket, type RateLimitMemory } from "../../../http/auth/rate-limiter.ts";

/** What a node in a cluster knows about the others. */
export interface OtherNodes {
  windows: WindowsOfAll;
  /** Wrong passwords. */
  logins: LoginCounts;
  /** Calls of merchants. */
  minutes: MinuteCounts;
  /** The number of live nodes, including this one. */
  count(): number;
}

/** The rate limits of a shard, shared within its node and, in a cluster, over all nodes. */
export function createRateLimits(
  memories: readonly RateLimitMemory[],
  monotonicMs: () => number,
  others: OtherNodes | null,
): (bucket: string) => RateLimitBucket {
  const buckets = new Map<string, RateLimitBucket>();
  for (const memory of memories) {
    const local = openRateLimit(memory, monotonicMs);
    const { bucket } = memory;
    buckets.set(
      bucket,
      others === null ? local : createClusterRateLimit({ bucket, local, all: others.windows, nodes: others.count, monotonicMs }),
    );
  }
  return (bucket) => {
    const limit = buckets.get(bucket);
    if (limit === undefined) throw new Error(`there is no rate limit named ${bucket}`);
    return limit;
  };
}
