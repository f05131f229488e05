import type { MessagePort } from "node:worker_threads";
import type { Address } from "../../../engine/kernel/bus.ts";
import type { RateLimitMemory } from "../../../http/auth/rate-limiter.ts";
import type { UwsLibrary } from "../../../http/server/uws.ts";
import type { ClusterBoot } from "../cluster/cluster.ts";
import type { ClockShift } from "./clock.ts";
import type { Config } from "./config.ts";

/** The address of the main thread, and of the shard that holds the embedded store. */
export const MAIN: Address = "main";
export const STORE_OWNER: Address = "shard-0";

/** Asks between threads that may be under way at once. */
export const ASKS_OUTSTANDING_MAX = 100_000;

/** What the main thread gives a shard when it starts it. */
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
  /** One Int32, 1 while the embedded store is away: written by the shard that holds it, read by all. */
  storeAway: SharedArrayBuffer;
  /** One Int32, 1 until what stands beside the node is there: written by the main thread, read by all. */
  incomplete: SharedArrayBuffer;
  /** Null for a node by itself. */
  cluster: ClusterBoot | null;
}
