import type { Address, Bus, Homes } from "../../../engine/kernel/bus.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import {
  type ClusterBus,
  type ClusterBusOptions,
  clusterAddress,
  createClusterBus,
  incarnationOf,
} from "../../../storage/bus/cluster/cluster-bus.ts";
import { createThreadBus, type ThreadBusOptions } from "../../../storage/bus/thread-bus.ts";
import type { createClock } from "../boot/clock.ts";
import type { NodeProtocol } from "../boot/node-protocol.ts";
import { REQUESTS_OUTSTANDING_MAX, type ShardBoot } from "../boot/shard-boot.ts";
import { weightName } from "../cluster/address-names.ts";
import type { Log } from "../observability/log.ts";

export interface ShardBusParts {
  boot: Pick<ShardBoot, "address" | "shards" | "cluster"> & Pick<ThreadBusOptions, "ports">;
  clock: Pick<ReturnType<typeof createClock>, "redisNowMs">;
  machineClock: Clock;
  timers: Timers;
  /** Writes to the streams of other nodes; null for a node by itself. */
  write: ClusterBusOptions<NodeProtocol>["write"] | null;
  log: Pick<Log, "busFailed">;
  /** These shards of other nodes no longer run, and their sockets are closed. */
  left(shards: readonly Address[]): void;
  /** The membership of this node had expired: other nodes may have taken over. */
  membershipExpired(): Promise<void>;
}

/** A shard's bus to the other threads and nodes, and the homes of terminals among them. */
export interface ShardBus {
  bus: Bus<NodeProtocol>;
  homes: Homes;
  /** The number of nodes, including draining ones. */
  liveNodes(): number;
  /** Closes the bus to the other threads. */
  close(): void;
}

export function createShardBus({ boot, clock, machineClock, timers, write, log, left, membershipExpired }: ShardBusParts): ShardBus {
  const { address, shards, ports, cluster } = boot;
  const threads = createThreadBus<NodeProtocol>({
    self: address,
    shards,
    ports,
    clock: machineClock,
    timers,
    outstandingMax: REQUESTS_OUTSTANDING_MAX,
    onError: log.busFailed,
  });
  let clusterShards: readonly Address[] = cluster === null ? [] : [clusterAddress(cluster.incarnation, address)];
  let liveNodes = 1;
  const homes = createRendezvousHomes(cluster === null ? shards : clusterShards, weightName);
  let known: readonly Address[] = clusterShards;
  threads.handle("cluster.view", ({ shards: live, draining }) => {
    const before = known;
    known = [...live, ...draining];
    liveNodes = new Set(known.map(incarnationOf)).size;
    // The last node that leaves can hand over to nobody, and still finishes its requests.
    if (live.length > 0) {
      clusterShards = live;
      homes.update(live);
    }
    // After the homes: a request to a node that has gone is sent again, to the new home.
    const gone = before.filter((shard) => !known.includes(shard));
    clusterBus?.left(gone);
    left(gone);
    return undefined;
  });
  threads.handle("cluster.lapsed", async () => {
    await membershipExpired();
    return undefined;
  });

  const clusterBus: ClusterBus<NodeProtocol> | null =
    cluster === null || write === null
      ? null
      : createClusterBus<NodeProtocol>({
          threads,
          incarnation: cluster.incarnation,
          write,
          shards: () => clusterShards,
          clock: machineClock,
          timers,
          redisNowMs: clock.redisNowMs,
          outstandingMax: REQUESTS_OUTSTANDING_MAX,
          onError: log.busFailed,
        });
  return {
    bus: clusterBus ?? threads,
    homes,
    liveNodes: () => liveNodes,
    close: threads.close,
  };
}
