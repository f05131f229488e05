import { randomBytes, randomUUID } from "node:crypto";
import type { Address } from "../../../engine/kernel/bus.ts";
import type { DrainOptions } from "../../../http/server/server.ts";
import { createShardLifecycle } from "../boot/lifecycle.ts";
import type { ShardReport } from "../boot/node-protocol.ts";
import type { Reload } from "../boot/reload.ts";
import { createShardMetrics, type ThreadMetrics } from "../observability/metrics.ts";
import { composeShard } from "../wiring/compose-shard.ts";
import type { RunningShardParts } from "../wiring/shared/shard-parts.ts";
import { createShardServer } from "./shard-server.ts";

/** A shard that has loaded what it serves. */
export interface RunningShard {
  /** The node is a member: deadlines are re-armed. Nothing is served before. */
  rearm(): Promise<void>;
  /** Resolves with the port that was taken; rejects where it cannot be. */
  listen(port: number, exclusive: boolean): Promise<number>;
  /** The membership had expired: sockets are closed, and state in memory is no longer valid. */
  membershipExpired(): Promise<void>;
  historyLost(): void;
  /** These shards of other nodes no longer run, and their sockets are closed. */
  left(shards: readonly Address[]): void;
  report(): ShardReport;
  metrics(): Promise<ThreadMetrics>;
  /** Takes over what it can of a new configuration; rejects where some of it cannot be. */
  reload(reload: Reload): Promise<void>;
  /** Finishes requests; resolves with the number of unfinished ones. */
  drain(options: DrainOptions): Promise<number>;
  close(): Promise<void>;
}

/** Composes a shard, loads its tables and starts its ticks. */
export async function startShard(parts: RunningShardParts): Promise<RunningShard> {
  const { boot, log, store } = parts;
  const { config, address } = boot;
  const ids = { uuid: () => randomUUID() };
  // Unique among all writers ever: a restart within the same millisecond must not reuse an outbox key.
  const writer = `${address}-${randomBytes(4).toString("hex")}`;
  const metrics = createShardMetrics(address, store);
  const life = createShardLifecycle(parts.timers);
  const { terminals, cluster, ...served } = await composeShard({ ...parts, ids, writer, metrics, life });
  await life.load();
  const server = await createShardServer({ ...parts, ...served, ids, metrics });
  life.begin();

  return {
    rearm: cluster.joined,
    listen: async (port, exclusive) => {
      const taken = await server.listen(config.host, port, { exclusive });
      life.listening(taken);
      return taken;
    },
    membershipExpired: cluster.membershipExpired,
    historyLost: () => {
      terminals.historyLost().catch((error: unknown) => log.engineFailed("history", error));
    },
    left: terminals.left,
    report: terminals.report,
    metrics: metrics.collect,
    reload: async (reload) => {
      const { tls, downloadBytesPerSecond } = reload.config;
      server.limitFiles(downloadBytesPerSecond / boot.shards.length);
      if (reload.certificatesChanged && tls !== null) server.renewTls(tls);
      await life.reload(reload);
    },
    drain: async (options) => {
      life.drain();
      const [unfinished] = await Promise.all([server.drain(options), life.finish(options.acceptMs + options.deadlineMs)]);
      await life.drained();
      return unfinished;
    },
    close: async () => {
      life.end();
      server.close();
      await life.close();
    },
  };
}
