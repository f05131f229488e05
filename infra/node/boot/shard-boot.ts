import type { MessagePort } from "node:worker_threads";
import type { Address } from "../../../engine/kernel/bus.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { RateLimitMemory } from "../../../http/auth/rate-limiter.ts";
import type { UwsLibrary } from "../../../http/server/uws.ts";
import type { EmbeddedKvStats } from "../../../storage/kv/embedded.ts";
import type { ClockShift } from "./clock.ts";
import type { Config } from "./config.ts";

/** What shards have to know of the cluster when they start. */
export interface ClusterBoot {
  redisUrl: string;
  incarnation: string;
  lease: Lease;
}

/**
 * Until when (monotonic clock, ms) this node may count on being a live member, shared by its threads. It ends before the membership does,
 * and begins anew only when everything was loaded again: a node that was away must not let in whom others have shut out meanwhile.
 */
export type Lease = SharedArrayBuffer;

/** The address of the main thread, and of the shard that holds the embedded store. */
export const MAIN: Address = "main";
export const STORE_OWNER: Address = "shard-0";

/** Requests between threads that may be under way at once. */
export const REQUESTS_OUTSTANDING_MAX = 100_000;

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

export interface ConnectedStore {
  kv: Kv;
  /** Grows when the store has lost some of its history. */
  lostVersion(): number;
  /** Removes what has expired, where this shard has a store to see to. */
  sweep(): Promise<unknown>;
  /** Whether the store cannot be used now; null on a shard that leaves it to another one to say so. */
  isAway(): boolean | null;
  /** Of the files that this shard holds; null where it holds none. */
  stats: (() => EmbeddedKvStats) | null;
}
