import { randomBytes } from "node:crypto";
import type { Address } from "../../engine/ports/bus.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { clusterAddress } from "../../storage/bus/cluster/cluster-bus.ts";
import { createMembership, type MembershipView, type NodeFacts } from "../../storage/bus/cluster/membership.ts";
import { connectRedis } from "../../storage/bus/cluster/redis-connection.ts";
import { startStreamReader } from "../../storage/bus/cluster/stream-reader.ts";
import type { ThreadBus } from "../../storage/bus/thread-bus.ts";
import { openRedisKv, type RedisKv } from "../../storage/kv/redis.ts";
import { type ClockShift, setRedisOffset } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";
import type { NodeProtocol } from "./node-protocol.ts";

/** Before every key of the relay; the braces keep all keys in one slot. */
export const KEY_PREFIX = "{relay}:";

const COMMAND_TIMEOUT_MS = 1_500;

/** What shards have to know of the cluster when they start. */
export interface ClusterBoot {
  redisUrl: string;
  incarnation: string;
}

/** This node's life in the cluster: its membership, and the stream that others write to. */
export interface NodeCluster {
  boot: ClusterBoot;
  /** Reads the stream and joins; from then on this node is home to terminals. */
  join(): Promise<void>;
  nodes(): readonly NodeFacts[];
  isLive(): boolean;
  /** Tells the others that they are home now. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export interface NodeClusterOptions {
  redisUrl: string;
  nodeId: string;
  shards: readonly Address[];
  bus: ThreadBus<NodeProtocol>;
  clock: Clock;
  clockShift: ClockShift;
  log: Log;
}

export function createNodeCluster({ redisUrl, nodeId, shards, bus, clock, clockShift, log }: NodeClusterOptions): NodeCluster {
  const incarnation = `${nodeId}#${randomBytes(4).toString("hex")}`;
  const failed = (error: unknown) => log.cluster("redis", error);
  const redis = connectRedis(redisUrl, failed, { commandTimeoutMs: COMMAND_TIMEOUT_MS });
  const self: NodeFacts = { nodeId, incarnation, shards: shards.length, startedAtMs: clock.nowMs() };

  function spread(view: MembershipView): void {
    const addresses = view.nodes.flatMap((node) =>
      Array.from({ length: node.shards }, (_, index) => clusterAddress(node.incarnation, `shard-${index}`)),
    );
    for (const shard of shards) bus.tell(shard, "cluster.view", { shards: addresses });
  }

  const membership = createMembership({
    redis,
    keyPrefix: KEY_PREFIX,
    self,
    clock,
    changed: (view) => {
      log.cluster(`live: ${view.nodes.map((node) => node.incarnation).join(", ")}`);
      spread(view);
    },
    looked: (view) => setRedisOffset(clockShift, view.redisOffsetMs),
    lapsed: () => {
      log.cluster("the membership had lapsed; sessions are void");
      for (const shard of shards) bus.tell(shard, "cluster.lapsed", undefined);
    },
    failed: (error) => log.cluster("membership", error),
  });
  let reader: { stop(): Promise<void> } | null = null;

  return {
    boot: { redisUrl, incarnation },
    join: async () => {
      reader = startStreamReader({
        // A blocking read takes as long as it takes, so it has no time limit of its own.
        redis: connectRedis(redisUrl, failed),
        keyPrefix: KEY_PREFIX,
        incarnation,
        deliver: (thread, entryMs, bytes) => bus.tell(thread, "cluster.deliver", { entryMs, bytes }),
        failed: (error) => log.cluster("stream", error),
      });
      await membership.join();
    },
    nodes: () => membership.view().nodes,
    isLive: membership.isLive,
    leave: membership.leave,
    close: async () => {
      await reader?.stop();
      redis.disconnect();
    },
  };
}

/** The store of a cluster. Production refuses a Redis that would lose what it acknowledged; the sandbox says so and goes on. */
export function openClusterKv({ mode }: Config, redisUrl: string, log: Log): Promise<RedisKv> {
  return openRedisKv({
    url: redisUrl,
    keyPrefix: KEY_PREFIX,
    refuseProblems: mode === "production",
    onFailure: log.storeFailed,
    onProblems: (problems) => {
      for (const problem of problems) log.cluster(`Redis: ${problem}`);
    },
    onHistoryLost: ({ certain }) => log.cluster(certain ? "Redis has lost acknowledged commits" : "Redis has another history than before"),
  });
}

/** The part of a shard's address that stays the same over restarts of its node. */
export function weightName(address: Address): string {
  return address.replace(/#[0-9a-f]+\//, "/");
}

export function nodeIdOf(address: Address): string {
  const hash = address.indexOf("#");
  return hash === -1 ? address : address.slice(0, hash);
}
