import { RelayError } from "../../../engine/kernel/errors.ts";
import type { ClusterNode } from "../../../engine/operators/cluster-nodes.ts";
import { LAST_LIVE_NODE } from "../../../engine/operators/node-to-drain.ts";
import type { DocsFiles } from "../../../http/web/docs-files.ts";
import type { ThreadBus } from "../../../storage/bus/thread-bus.ts";
import { freeBytesOf } from "../../../storage/files/free-bytes.ts";
import { backgroundTimers } from "../boot/machine-timers.ts";
import type { NodeProtocol } from "../boot/node-protocol.ts";
import { VERSION } from "../boot/version.ts";
import type { NodeCluster } from "../cluster/cluster.ts";
import { sumOf } from "../cluster/cluster-nodes.ts";
import type { Log } from "../observability/log.ts";
import { joinMetrics } from "../observability/metrics.ts";
import { createNodeMetrics, type NodeGauges } from "../observability/node-metrics.ts";
import { withoutMessage } from "./analytics.ts";
import type { Analytics } from "./analytics-port.ts";
import type { Certificates } from "./certificates.ts";
import { handleDayRows } from "./day-rows.ts";
import type { LostCommits } from "./lost-commits.ts";
import { handleMerchantLogs } from "./merchant-logs.ts";
import { handleMerchantReads } from "./merchant-reads.ts";

/** How long a shard has to tell its metrics or its report. */
const METRICS_MS = 5_000;

export interface ShardMessagesOptions {
  bus: ThreadBus<NodeProtocol>;
  analytics: Analytics;
  docs(): Promise<DocsFiles>;
  cluster: NodeCluster | null;
  /** This node, if it is a single one. */
  self: Omit<ClusterNode, "report">;
  redis: NodeGauges["redis"];
  lostCommits: Pick<LostCommits, "noticed" | "count">;
  httpLibrary: string;
  dataDirectory: string;
  /** Those with which it listens. */
  certificates(): Certificates;
  /** As in NodeOptions. */
  drainRequested: (() => void) | undefined;
  log: Log;
}

/** Answers what the shards ask of the main thread; for the metrics' own listener also directly. */
export function handleShardMessages(served: ShardMessagesOptions): { collectMetrics(): Promise<string> } {
  const { bus, analytics, cluster, self, drainRequested, log } = served;
  const nodes = () => cluster?.nodes() ?? [self];
  const stream = () => cluster?.stream() ?? null;
  const metrics = createNodeMetrics({
    build: { version: VERSION, httpLibrary: served.httpLibrary },
    certificateExpiresAtMs: () => served.certificates().validUntilMs,
    redis: served.redis,
    lostCommits: served.lostCommits.count,
    freeBytes: () => freeBytesOf(served.dataDirectory),
    feed: analytics.stats,
    kafka: analytics.kafka,
    isClickHouseUp: analytics.isUp,
    damagedParts: analytics.damagedParts,
    activity: analytics.activity.stats,
    backlog: analytics.backlog,
    cluster: {
      liveNodes: () => nodes().filter(({ state }) => state === "live").length,
      lapses: () => cluster?.lapses() ?? 0,
      clockOffsetMs: () => cluster?.clockOffsetMs() ?? 0,
      stream: () => stream() ?? { waiting: 0, delayMs: 0, lost: 0 },
    },
  });
  bus.handle("node.list", nodes);
  bus.handle("node.docs", served.docs);
  bus.handle("node.drain", async ({ allowLast }) => {
    if (drainRequested === undefined) throw new RelayError("unavailable", "This node was started in a way that does not let it be drained");
    if (!allowLast && cluster !== null) {
      const drains = await cluster.drainUnlessLast().catch((cause: unknown) => {
        throw new RelayError(
          "unavailable",
          "Redis does not respond, so it is unknown whether another node is live; retry, or send allowLast",
          { cause },
        );
      });
      if (!drains) throw new RelayError("conflict", LAST_LIVE_NODE);
    }
    drainRequested();
    return undefined;
  });
  bus.handle("node.report", async () => {
    const shards = await Promise.all(bus.shards.map((shard) => bus.request(shard, "shard.report", undefined, METRICS_MS)));
    return { ...sumOf(shards), lapses: cluster?.lapses() ?? 0, stream: stream() };
  });
  bus.handle("node.transactions", (query, _, gone) =>
    analytics.list.page(query, gone).catch((error: unknown) => {
      // Only the public part of an error is sent to the shard.
      if (gone?.aborted !== true && error instanceof Error && error.cause !== undefined)
        log.clickhouse("list failed", withoutMessage(error.cause));
      throw error;
    }),
  );
  bus.handle("node.search", async (wanted, _, gone) =>
    analytics.search(wanted, gone).catch((error: unknown) => {
      if (gone?.aborted !== true && error instanceof Error && error.cause !== undefined)
        log.clickhouse("search failed", withoutMessage(error.cause));
      throw error;
    }),
  );
  handleMerchantReads({
    bus,
    merchants: analytics.merchants,
    reports: analytics.reports,
    timers: backgroundTimers,
    failed: (cause) => log.clickhouse("merchants' transactions failed", withoutMessage(cause)),
  });
  handleDayRows({
    bus,
    rows: analytics.days,
    failed: (cause) => log.clickhouse("figures of days failed", withoutMessage(cause)),
  });
  handleMerchantLogs({
    bus,
    ...{ activity: analytics.activity, logs: analytics.logs },
    failed: (cause) => log.clickhouse("merchants' logs failed", withoutMessage(cause)),
  });
  bus.handle("node.fed", () => {
    analytics.wake();
    return undefined;
  });
  bus.handle("node.commitsLost", (loss) => {
    served.lostCommits.noticed(loss);
    return undefined;
  });
  bus.handle("node.overview", async () => {
    const members = nodes().filter(({ state }) => state !== "gone");
    return {
      outbox: await analytics.backlog(),
      nodes: members.map(({ nodeId, shards, sinceMs }) => ({ nodeId, shards, startedAtMs: sinceMs })),
    };
  });
  const collectMetrics = async () => {
    const threads = bus.shards.map((shard) => bus.request(shard, "shard.metrics", undefined, METRICS_MS));
    return joinMetrics([await metrics.collect(), ...(await Promise.all(threads))]);
  };
  bus.handle("node.metrics", collectMetrics);
  return { collectMetrics };
}
