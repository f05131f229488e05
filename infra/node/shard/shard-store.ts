import type { Bus } from "../../../engine/kernel/bus.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import { COMMANDS } from "../../../engine/terminals/terminal-store.ts";
import { withoutOutbox } from "../../../storage/feed/feed-gap.ts";
import { type EmbeddedKv, openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { DirectoryRefused } from "../../../storage/kv/embedded-directory.ts";
import type { RedisKv } from "../../../storage/kv/redis.ts";
import type { HistoryLost } from "../../../storage/kv/redis-connection.ts";
import { createRemoteHistory, createRemoteKv, handleHistoryMessages, handleKvMessages } from "../../../storage/kv/remote.ts";
import type { Config } from "../boot/config.ts";
import type { NodeProtocol } from "../boot/node-protocol.ts";
import { type ConnectedStore, STORE_OWNER } from "../boot/shard-boot.ts";
import type { Log } from "../observability/log.ts";
import { createStoreCommits, type StoreCommits } from "../observability/store-commits.ts";

export interface ShardStoreParts {
  config: Config;
  bus: Bus<NodeProtocol>;
  clock: Clock;
  log: Log;
}

/** A shard's access to the store: its own files, those of the shard that holds them, or a cluster's Redis. */
export interface ShardStore {
  /** Opens the node's own files, and lets the other shards use them; requested from one shard. A cluster's store is already open. */
  open(): Promise<NodeProtocol["shard.open"]["response"]>;
  /** Connects to the store, and resolves with it. `historyLost` is called when a cluster's store has lost acknowledged commits. */
  connect(historyLost: (loss: HistoryLost) => void): Promise<ConnectedStore>;
  close(): Promise<void>;
}

export function createShardStore({ config, bus, clock, log }: ShardStoreParts): ShardStore {
  let files: EmbeddedKv | null = null;
  let redis: RedisKv | null = null;
  const commits = createStoreCommits(config.cluster === null ? "leveldb" : "redis");
  const writable = (kv: EmbeddedKv): Kv => (config.clickhouse.type === "off" ? withoutOutbox(kv) : kv);

  return {
    open: async () => {
      if (config.cluster !== null) return { type: "opened" };
      try {
        files = await openEmbeddedKv({
          directory: `${config.dataDirectory}/state`,
          nowMs: clock.nowMs,
          mostlyAbsentPrefix: COMMANDS,
          onFailure: log.storeFailed,
          onCommitted: (durationMs) => commits.observe("leveldb", durationMs),
        });
      } catch (error) {
        if (error instanceof DirectoryRefused) return { type: "refused", reason: error.message };
        throw error;
      }
      handleKvMessages(writable(files), bus);
      handleHistoryMessages(files, bus);
      return { type: "opened" };
    },
    connect: async (historyLost) => {
      if (config.cluster !== null) {
        // A node by itself loads nothing of Redis.
        const { openClusterKv } = await import("../cluster/cluster.ts");
        redis = await openClusterKv(config, config.cluster, {
          log,
          historyLost,
          committed: (durationMs) => commits.observe("redis", durationMs),
        });
        return clusterStore(redis, commits);
      }
      if (files !== null) return { ...ownStore(files, commits), kv: writable(files) };
      const { lostVersion } = await createRemoteHistory(bus, STORE_OWNER);
      return { ...remoteStore(createRemoteKv(bus, STORE_OWNER)), lostVersion };
    },
    close: async () => {
      await files?.close();
      await redis?.close();
    },
  };
}

function clusterStore(kv: RedisKv, commits: StoreCommits): ConnectedStore {
  return {
    kv,
    lostVersion: () => kv.lostVersion(),
    sweep: () => kv.sweep(),
    isAway: () => !kv.available(),
    stats: null,
    commits,
    isRedisUp: () => kv.available(),
  };
}

function ownStore(kv: EmbeddedKv, commits: StoreCommits): ConnectedStore {
  return {
    kv,
    lostVersion: () => kv.lostVersion(),
    sweep: () => kv.sweep(),
    isAway: () => kv.stats().state !== "open",
    stats: () => kv.stats(),
    commits,
    isRedisUp: null,
  };
}

function remoteStore(kv: Kv): Omit<ConnectedStore, "lostVersion"> {
  return { kv, sweep: async () => undefined, isAway: () => null, stats: null, commits: null, isRedisUp: null };
}
