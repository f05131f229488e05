import type { Address, Bus } from "../../engine/ports/bus.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Homes } from "../../engine/ports/homes.ts";
import { createRendezvousHomes } from "../../engine/runtime/rendezvous.ts";
import { type ClusterBus, clusterAddress, createClusterBus, incarnationOf } from "../../storage/bus/cluster/cluster-bus.ts";
import { connectRedis } from "../../storage/bus/cluster/redis-connection.ts";
import { SharedWindows } from "../../storage/bus/cluster/shared-windows.ts";
import { createStreamWriter } from "../../storage/bus/cluster/stream-reader.ts";
import { createThreadBus } from "../../storage/bus/thread-bus.ts";
import type { createClock } from "./clock.ts";
import { KEY_PREFIX, weightName } from "./cluster.ts";
import type { Log } from "./log.ts";
import type { NodeProtocol } from "./node-protocol.ts";
import type { OtherNodes } from "./rate-limits.ts";
import { ASKS_OUTSTANDING_MAX, type ShardBoot } from "./shard-boot.ts";

export interface ShardBusParts {
  boot: ShardBoot;
  clock: ReturnType<typeof createClock>;
  machineClock: Clock;
  log: Log;
  /** These shards of other nodes are gone, and their sockets with them. */
  left(shards: readonly Address[]): void;
  /** The membership of this node had lapsed: others may have taken over. */
  lapsed(): Promise<void>;
}

/** A shard's way to the other threads and nodes, and where terminals live among them. */
export interface ShardBus {
  bus: Bus<NodeProtocol>;
  homes: Homes;
  /** Null for a node by itself. */
  others: OtherNodes | null;
  /** Says nothing to other nodes any more. */
  leave(): void;
  /** Ends it with the other threads too. */
  close(): void;
}

export function createShardBus({ boot, clock, machineClock, log, left, lapsed }: ShardBusParts): ShardBus {
  const { address, shards, ports, cluster } = boot;
  const threads = createThreadBus<NodeProtocol>({
    self: address,
    shards,
    ports,
    clock: machineClock,
    outstandingMax: ASKS_OUTSTANDING_MAX,
    onError: log.busFailed,
  });
  let clusterShards: readonly Address[] = cluster === null ? [] : [clusterAddress(cluster.incarnation, address)];
  let liveNodes = 1;
  const homes = createRendezvousHomes(cluster === null ? shards : clusterShards, weightName);
  let known: readonly Address[] = clusterShards;
  threads.serve("cluster.view", ({ shards: live, draining }) => {
    const before = known;
    known = [...live, ...draining];
    liveNodes = new Set(known.map(incarnationOf)).size;
    // The last node that leaves has nobody to hand over to, and still finishes what is under way.
    if (live.length > 0) {
      clusterShards = live;
      homes.update(live);
    }
    // After the homes: who asked a node that is gone asks the one that is home now.
    const gone = before.filter((shard) => !known.includes(shard));
    clusterBus?.left(gone);
    left(gone);
    return undefined;
  });
  threads.serve("cluster.lapsed", async () => {
    await lapsed();
    return undefined;
  });

  const writer = cluster === null ? null : connectRedis(cluster.redisUrl, (error) => log.cluster("redis", error));
  const clusterBus: ClusterBus<NodeProtocol> | null =
    cluster === null || writer === null
      ? null
      : createClusterBus<NodeProtocol>({
          threads,
          incarnation: cluster.incarnation,
          write: createStreamWriter(writer, KEY_PREFIX),
          shards: () => clusterShards,
          clock: machineClock,
          redisNowMs: clock.redisNowMs,
          outstandingMax: ASKS_OUTSTANDING_MAX,
          onError: log.busFailed,
        });
  return {
    bus: clusterBus ?? threads,
    homes,
    others: writer === null ? null : { windows: new SharedWindows(writer, KEY_PREFIX), count: () => liveNodes },
    leave: () => {
      writer?.disconnect();
    },
    close: threads.close,
  };
}
