import { randomBytes } from "node:crypto";
import type { Address } from "../../../engine/kernel/bus.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import { available } from "../../../engine/kernel/kv.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import type { ClusterNode } from "../../../engine/operators/cluster-nodes.ts";
import { clusterAddress } from "../../../storage/bus/cluster/cluster-bus.ts";
import {
  createMembership,
  type Membership,
  type MembershipScript,
  type MembershipView,
  membershipScript,
  type NodeFacts,
} from "../../../storage/bus/cluster/membership.ts";
import { connectRedis } from "../../../storage/bus/cluster/redis-connection.ts";
import {
  type StreamReader,
  type StreamReaderOptions,
  type StreamStats,
  startStreamReader,
} from "../../../storage/bus/cluster/stream-reader.ts";
import type { ThreadBus } from "../../../storage/bus/thread-bus.ts";
import { openRedisKv, type RedisKv } from "../../../storage/kv/redis.ts";
import type { HistoryLost } from "../../../storage/kv/redis-connection.ts";
import { OWN_NUMBERS } from "../../../storage/schemas/agreement.ts";
import { type ClockShift, createClock, createClockShift, setRedisOffset } from "../boot/clock.ts";
import type { Config } from "../boot/config.ts";
import { machineTimers } from "../boot/machine-timers.ts";
import type { NodeProtocol } from "../boot/node-protocol.ts";
import type { ClusterBoot } from "../boot/shard-boot.ts";
import type { Log } from "../observability/log.ts";
import { watchDuplicateNodeIds } from "./duplicate-node-id.ts";
import { createLease, extendLease } from "./lease.ts";
import { differingSettings, type SharedSettings } from "./shared-settings.ts";

/** Prefix of every key of the relay; the braces keep all keys in one slot. */
export const KEY_PREFIX = "{relay}:";

const COMMAND_TIMEOUT_MS = 1_500;

/** A larger offset of the clock is logged; signatures are refused from 300 s on. */
const CLOCK_OFFSET_MAX_MS = 30_000;

/** Nodes that are gone are shown for this long, and at most this many. */
const GONE_SHOWN_MS = 3_600_000;

const NODES_SHOWN_MAX = 256;

/** How long a shard may take to drop invalid state and to load its tables again. */
const EXPIRED_STEP_MS = 30_000;

/** This node's part in the cluster: its membership, and the stream to which other nodes write. */
export interface NodeCluster {
  boot: ClusterBoot;
  /**
   * Resolves if this node may run together with the live ones, otherwise rejects with VersionRefused. To be called before it writes
   * anything.
   */
  admit(): Promise<void>;
  /** Whether other nodes are live; to be called before this one joins. */
  othersLive: Membership["othersLive"];
  /** Starts to read the stream and joins; from then on this node can be the home of terminals. */
  join(): Promise<void>;
  /** Live nodes, and those that left or whose membership expired within the last hour. */
  nodes(): Omit<ClusterNode, "report">[];
  stream(): StreamStats;
  lapses(): number;
  /** This machine's clock minus Redis's clock. */
  clockOffsetMs(): number;
  /** Hands its terminals over to other nodes, but stays a member to which they send messages and requests. */
  drain(): Promise<void>;
  /** The same, unless it is the last that is live; then false, and nothing has changed. Rejects if Redis does not answer. */
  drainUnlessLast: Membership["drainUnlessLast"];
  /** Leaves the cluster, so that other nodes are the homes at once. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

interface NodeParts {
  redisUrl: string;
  nodeId: string;
  version: string;
  settings: SharedSettings;
  shards: readonly Address[];
  bus: Pick<ThreadBus<NodeProtocol>, "handle" | "send" | "request">;
  clock: Clock;
}

export interface NodeClusterOptions extends NodeParts {
  /** Receives the offset of Redis's clock. */
  clockShift: ClockShift;
  log: Log;
}

/** A node's part in a cluster with a real Redis, on this machine's clocks. */
export function createNodeCluster({ clockShift, log, ...parts }: NodeClusterOptions): NodeCluster {
  const { redisUrl } = parts;
  const failed = (error: unknown) => log.cluster("redis", error);
  const redis = connectRedis(redisUrl, failed, { commandTimeoutMs: COMMAND_TIMEOUT_MS });
  const machineClock = createClock(createClockShift());
  return composeNodeCluster({
    ...parts,
    incarnation: `${parts.nodeId}#${randomBytes(4).toString("hex")}`,
    machineClock,
    timers: machineTimers,
    script: membershipScript(redis, KEY_PREFIX),
    read: (incarnation, deliver) =>
      startStreamReader({
        // A blocking read has no time limit of its own.
        redis: connectRedis(redisUrl, failed),
        keyPrefix: KEY_PREFIX,
        incarnation,
        clock: machineClock,
        timers: machineTimers,
        redisNowMs: createClock(clockShift).redisNowMs,
        deliver,
        failed: (error) => log.cluster("stream", error),
      }),
    disconnect: () => redis.disconnect(),
    offsetMeasured: (offsetMs) => setRedisOffset(clockShift, offsetMs),
    log,
  });
}

export interface ComposedClusterParts extends NodeParts {
  /** Identifies this run of the node. */
  incarnation: string;
  /**
   * The machine's own clock, which tests do not move: Redis's offset is measured against it, and the lifetime of a membership is measured
   * with it.
   */
  machineClock: Clock;
  timers: Timers;
  script: MembershipScript;
  /** Starts to read the stream of an incarnation. */
  read(incarnation: string, deliver: StreamReaderOptions["deliver"]): StreamReader;
  disconnect(): void;
  /** Called with Redis's clock minus this machine's wall clock, milliseconds, after each measurement. */
  offsetMeasured(offsetMs: number): void;
  log: Pick<Log, "cluster" | "settingsDiffer" | "sameNodeId" | "clockOff">;
}

export function composeNodeCluster(parts: ComposedClusterParts): NodeCluster {
  const { redisUrl, nodeId, version, settings, shards, bus, clock, incarnation, machineClock, timers, log } = parts;
  const self: NodeFacts = {
    nodeId,
    incarnation,
    shards: shards.length,
    startedAtMs: clock.nowMs(),
    version,
    schemas: OWN_NUMBERS,
    settings,
  };

  const lease = createLease();

  let lapses = 0;
  let clockOffsetMs = 0;
  let clockIsOff = false;
  /** Nodes that were seen; for those that are gone, with the time they were last seen. */
  let seen = new Map<string, { facts: NodeFacts; goneAt: number | null }>();

  function notice({ nodes }: MembershipView): void {
    const now = machineClock.monotonicMs();
    for (const one of seen.values()) one.goneAt ??= now;
    for (const facts of nodes) {
      const differing = seen.has(facts.incarnation) || facts.settings === undefined ? [] : differingSettings(settings, facts.settings);
      if (differing.length > 0) log.settingsDiffer(facts.nodeId, differing);
      seen.set(facts.incarnation, { facts, goneAt: null });
    }
    const kept = [...seen].filter(([, { goneAt }]) => goneAt === null || now - goneAt < GONE_SHOWN_MS);
    seen = new Map(kept.slice(-NODES_SHOWN_MAX));
  }

  const lookForDuplicateNodeIds = watchDuplicateNodeIds({ self, monotonicMs: machineClock.monotonicMs, found: log.sameNodeId });

  function shardsOf(nodes: readonly NodeFacts[]): Address[] {
    return nodes.flatMap((node) => Array.from({ length: node.shards }, (_, index) => clusterAddress(node.incarnation, `shard-${index}`)));
  }

  bus.handle("cluster.look", () => available(async () => shardsOf((await membership.look()).nodes)));

  const membership = createMembership({
    script: parts.script,
    self,
    clock: machineClock,
    timers,
    changed: (view) => {
      const [live, draining] = [view.nodes.filter((node) => node.draining !== true), view.nodes.filter((node) => node.draining === true)];
      log.cluster(`live: ${live.map((node) => node.incarnation).join(", ")}`);
      notice(view);
      for (const shard of shards) bus.send(shard, "cluster.view", { shards: shardsOf(live), draining: shardsOf(draining) });
    },
    looked: ({ nodes, redisOffsetMs }) => {
      lookForDuplicateNodeIds(nodes);
      parts.offsetMeasured(redisOffsetMs);
      clockOffsetMs = -redisOffsetMs;
      const off = Math.abs(clockOffsetMs) > CLOCK_OFFSET_MAX_MS;
      if (off !== clockIsOff) log.clockOff(off, clockOffsetMs);
      clockIsOff = off;
    },
    membershipExpired: async () => {
      lapses += 1;
      log.cluster("the membership had expired; sessions are void");
      await Promise.all(shards.map((shard) => bus.request(shard, "cluster.lapsed", undefined, EXPIRED_STEP_MS)));
    },
    granted: (untilMs) => extendLease(lease, untilMs),
    failed: (error) => log.cluster("membership", error),
  });
  let reader: StreamReader | null = null;

  return {
    boot: { redisUrl, incarnation, lease },
    admit: membership.admit,
    othersLive: membership.othersLive,
    join: async () => {
      reader = parts.read(incarnation, (thread, entryMs, bytes) => bus.send(thread, "cluster.deliver", { entryMs, bytes }));
      await membership.join();
    },
    nodes: () =>
      [...seen.values()]
        .map(({ facts, goneAt }) => ({
          nodeId: facts.nodeId,
          incarnation: facts.incarnation,
          version: facts.version,
          shards: facts.shards,
          sinceMs: facts.startedAtMs,
          state: goneAt !== null ? ("gone" as const) : facts.draining === true ? ("draining" as const) : ("live" as const),
        }))
        .sort((one, other) => (one.incarnation < other.incarnation ? -1 : 1)),
    stream: () => reader?.stats() ?? { waiting: 0, delayMs: 0, lost: 0 },
    lapses: () => lapses,
    clockOffsetMs: () => clockOffsetMs,
    drain: membership.drain,
    drainUnlessLast: membership.drainUnlessLast,
    leave: membership.leave,
    close: async () => {
      await reader?.stop();
      parts.disconnect();
    },
  };
}

export interface ClusterKvObserver {
  log: Log;
  /** Acknowledged commits may be lost. */
  historyLost(loss: HistoryLost): void;
  /** A batch of commits was acknowledged. */
  committed(durationMs: number): void;
  /** It is opened for this long at most; absent: for as long as a Redis that is there needs. */
  openWithinMs?: number;
  /** It takes longer. */
  waiting?(reason: string | null): void;
}

/** The store of a cluster. Production refuses a Redis that could lose acknowledged data; the sandbox logs it and continues. */
export function openClusterKv(
  { mode }: Config,
  { redisUrl, redisReplicas }: NonNullable<Config["cluster"]>,
  { log, historyLost, committed, openWithinMs, waiting }: ClusterKvObserver,
): Promise<RedisKv> {
  return openRedisKv({
    url: redisUrl,
    waitReplicas: redisReplicas,
    keyPrefix: KEY_PREFIX,
    refuseProblems: mode === "production",
    onFailure: log.storeFailed,
    onCommitted: committed,
    ...(openWithinMs === undefined ? {} : { openTimeoutMs: openWithinMs }),
    ...(waiting === undefined ? {} : { onWaiting: waiting }),
    onProblems: (problems) => {
      for (const problem of problems) log.redisProblem(problem, mode === "production");
    },
    onHistoryLost: historyLost,
  });
}
