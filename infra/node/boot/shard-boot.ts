import type { MessagePort } from "node:worker_threads";
import type { Address } from "../../../engine/kernel/bus.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { SharedCountsMemory } from "../../../engine/kernel/shared-counts.ts";
import type { AgentRateMemory } from "../../../http/auth/agent-rate.ts";
import type { RateLimitMemory } from "../../../http/auth/rate-limiter.ts";
import type { UwsLibrary } from "../../../http/server/uws.ts";
import type { ScriptAssets } from "../../../http/web/script-files.ts";
import type { WebApps } from "../../../http/web/web-app-files.ts";
import type { EmbeddedKvStats } from "../../../storage/kv/embedded.ts";
import type { StoreCommits } from "../observability/store-commits.ts";
import type { ClockShift } from "./clock.ts";
import type { Config } from "./config.ts";

/** What shards have to know about the cluster when they start. */
export interface ClusterBoot {
  redisUrl: string;
  incarnation: string;
  lease: Lease;
}

/**
 * The time (monotonic clock, ms) until which this node is certainly a live member, shared by its threads. The lease ends before the
 * membership, and starts again only when everything was loaded again: a node that was disconnected must not accept credentials that were
 * withdrawn meanwhile.
 */
export type Lease = SharedArrayBuffer;

/** The address of the main thread, and of the shard that holds the embedded store. */
export const MAIN: Address = "main";
export const STORE_OWNER: Address = "shard-0";

/** Maximum number of requests in progress between threads. */
export const REQUESTS_OUTSTANDING_MAX = 100_000;

/** What is open at once in all threads together, by client address or by caller. */
export interface OpenCounts {
  readonly sockets: SharedCountsMemory;
  readonly socketsWithoutLogin: SharedCountsMemory;
  readonly waits: SharedCountsMemory;
}

/** What browsers load: made or read once, by the main thread, while the shards load; the bytes are in shared memory. */
export interface WebFiles {
  webApps: WebApps;
  scripts: ScriptAssets;
}

/** The data that the main thread gives a shard at its start. */
export interface ShardBoot {
  config: Config;
  /** The one that the main thread has loaded. */
  uwsLibrary: UwsLibrary;
  address: Address;
  shards: Address[];
  ports: Map<Address, MessagePort>;
  clockShift: ClockShift;
  waiting: SharedArrayBuffer;
  rateLimits: RateLimitMemory[];
  agentRates: AgentRateMemory;
  open: OpenCounts;
  /** One Int32, 1 while the embedded store is unavailable: written by the shard that holds it, read by all. */
  storeAway: SharedArrayBuffer;
  /** One Int32, 1 until the services beside the node are ready: written by the main thread, read by all. */
  incomplete: SharedArrayBuffer;
  /** Null for a single node. */
  cluster: ClusterBoot | null;
}

export interface ConnectedStore {
  kv: Kv;
  /** Increases when the store has lost part of its history. */
  lostVersion(): number;
  /** Removes expired entries, if this shard is responsible for a store. */
  sweep(): Promise<unknown>;
  /** Whether the store is unavailable now; null on a shard that does not know. */
  isAway(): boolean | null;
  /** Statistics of the files that this shard holds; null if it holds none. */
  stats: (() => EmbeddedKvStats) | null;
  /** How long its batches of commits take; null if it commits by another shard. */
  commits: StoreCommits | null;
  /** Whether this shard's connection to a cluster's Redis can be used; null where there is none. */
  isRedisUp: (() => boolean) | null;
}
