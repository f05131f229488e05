import type { MinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import { PARTNER_RATE_MAX } from "../../../../engine/partners/partner.ts";
import { createClusterRateLimit, type WindowsOfAll } from "../../../../http/auth/cluster-rate-limit.ts";
import type { LoginCounts } from "../../../../http/auth/login-counts.ts";
import { createRateLimitMemory, openRateLimit, type RateLimitBucket, type RateLimitMemory } from "../../../../http/auth/rate-limiter.ts";
import type { RateLimit } from "../../../../http/endpoint/endpoint.ts";

/** A cluster node's knowledge about the other nodes. */
export interface OtherNodes {
  windows: WindowsOfAll;
  /** Counts wrong passwords. */
  logins: LoginCounts;
  /** Counts calls of merchants. */
  minutes: MinuteCounts;
  /** Returns the number of live nodes, including this one. */
  count(): number;
}

/**
 * Limits the partners over their addresses' limits within a second. Each needs 4 KiB, and the
 * system allocates no unused memory.
 */
const RAISED_AT_ONCE = 1_024;

const raisedName = (bucket: string) => `${bucket}-raised`;

/**
 * Creates the memory of the buckets, and of those for partners with raised limits. Call it once per
 * node.
 */
export function rateLimitMemories(limits: readonly RateLimit[], threads: number): RateLimitMemory[] {
  return limits.flatMap(({ bucket, perSecond, raisable }) => [
    createRateLimitMemory(bucket, perSecond, threads),
    ...(raisable === undefined ? [] : [createRateLimitMemory(raisedName(bucket), PARTNER_RATE_MAX, threads, RAISED_AT_ONCE)]),
  ]);
}

export interface RateLimits {
  of(bucket: string): RateLimitBucket;
  raised(bucket: string): RateLimitBucket;
}

/** The rate limits of a shard, shared within its node and, in a cluster, across all nodes. */
export function createRateLimits(memories: readonly RateLimitMemory[], monotonicMs: () => number, others: OtherNodes | null): RateLimits {
  const buckets = new Map<string, RateLimitBucket>();
  for (const memory of memories) {
    const local = openRateLimit(memory, monotonicMs);
    const { bucket } = memory;
    buckets.set(
      bucket,
      others === null ? local : createClusterRateLimit({ bucket, local, all: others.windows, nodes: others.count, monotonicMs }),
    );
  }
  const of = (bucket: string) => {
    const limit = buckets.get(bucket);
    if (limit === undefined) throw new Error(`there is no rate limit named ${bucket}`);
    return limit;
  };
  return { of, raised: (bucket) => of(raisedName(bucket)) };
}
