import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { OutboxBacklog } from "../../../engine/operators/overview.ts";
import { watchEventLoop } from "./event-loop.ts";
import type { ThreadMetrics } from "./metrics.ts";
import type { StoreCommits } from "./store-commits.ts";

/** Values of the main thread: the process, the feed, commands by state. */
export interface NodeGauges {
  build: { version: string; httpLibrary: string };
  /** The earliest end of the certificates that the listeners present, wall time; null without TLS. */
  certificateExpiresAtMs(): number | null;
  cluster: {
    liveNodes(): number;
    lapses(): number;
    clockOffsetMs(): number;
    stream(): { waiting: number; delayMs: number; lost: number };
  };
  /** The main thread's own connection to a cluster's Redis; null on a single node. */
  redis: { isUp(): boolean; commits: StoreCommits } | null;
  /** For this node, since its start. */
  feed(): { inserted: number; failures: number; poison: number; deadLetters: number };
  /** Null while there is no Kafka between the outbox and ClickHouse. */
  kafka(): KafkaProgress | null;
  /** Of the disk of the node's own data; infinite where the file system does not say, and rejects where it cannot be read. */
  freeBytes(): Promise<number>;
  /** Whether ClickHouse answers and can read what it has; null on a node without analytics. Called several times in one collection. */
  isClickHouseUp(): Promise<boolean | null>;
  /** Parts of its tables that it cannot read, or has set aside, as far as is known. */
  damagedParts(): number;
  /** How often acknowledged commits were found to be lost, since the start. */
  lostCommits(): number;
  /** The same of the logs of merchants. */
  activity(): { written: number; dropped: number; waiting: number };
  /** For all nodes; null if it cannot be determined. Called several times in one collection. */
  backlog(): Promise<OutboxBacklog | null>;
}

export interface KafkaProgress {
  /** Messages that ClickHouse does not have, of all partitions; null on a node that does not produce, which does not know it. */
  lagMessages: number | null;
  /** Partitions that this node consumes. */
  partitions: number;
}

export function createNodeMetrics(gauges: NodeGauges): { collect(): Promise<ThreadMetrics> } {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: "relay_" });
  watchEventLoop(registry, "main");
  const gauge = (name: string, help: string, read: () => number | null | Promise<number | null>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await read();
        // An unknown value has no sample, which an alarm can detect (`absent`); a zero would mean that all is well.
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  /** What is counted elsewhere, since the start. */
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  const { build, cluster, redis } = gauges;
  new Gauge({
    name: "relay_build_info",
    help: "Always 1; the labels say what runs: the version of the relay, of Node, and the package of uWebSockets.js.",
    labelNames: ["version", "node", "http_library"],
    registers,
  }).set({ version: build.version, node: process.version, http_library: build.httpLibrary }, 1);
  gauge(
    "relay_tls_certificate_expiry_timestamp_seconds",
    "When the first certificate of RELAY_TLS_CERT expires, as it was loaded: seconds since 1970.",
    () => secondsOf(gauges.certificateExpiresAtMs()),
  );
  gauge("relay_data_free_bytes", "Free bytes of the disk of RELAY_DATA_DIR.", async () => {
    const bytes = await gauges.freeBytes().catch(() => null);
    return bytes === Number.POSITIVE_INFINITY ? null : bytes;
  });
  if (redis !== null) {
    new Gauge({
      name: "relay_redis_up",
      help: "1 if all connections of this node's store to Redis are usable, otherwise 0.",
      registers,
      aggregator: "min",
      collect() {
        this.set(redis.isUp() ? 1 : 0);
      },
    });
    gauge(
      "relay_kafka_lag_messages",
      "Messages in Kafka that ClickHouse does not have yet, as reported by the node that produces them.",
      () => {
        const progress = gauges.kafka();
        return progress === null ? null : progress.lagMessages;
      },
    );
    gauge("relay_kafka_partitions", "Partitions of Kafka that this node consumes.", () => gauges.kafka()?.partitions ?? 0);
  }
  gauge(
    "relay_clickhouse_up",
    "1 if ClickHouse responded to this node within two seconds and no query fails because of its files, otherwise 0.",
    async () => {
      const isUp = await gauges.isClickHouseUp();
      return isUp === null ? null : Number(isUp);
    },
  );
  gauge(
    "relay_clickhouse_damaged_parts",
    "Parts of ClickHouse's tables that it could not read, or had set aside when this node started, as far as this node knows.",
    () => gauges.damagedParts(),
  );
  const ofBacklog = (name: string, help: string, read: (backlog: OutboxBacklog) => number) =>
    gauge(name, help, async () => {
      const backlog = await gauges.backlog();
      return backlog === null ? null : read(backlog);
    });
  ofBacklog("relay_outbox_depth", "Rows of all nodes that are not in ClickHouse yet, counted up to 100,000.", ({ depth }) => depth);
  ofBacklog("relay_outbox_depth_capped", "1 if there are more rows than relay_outbox_depth says, otherwise 0.", ({ capped }) =>
    capped ? 1 : 0,
  );
  ofBacklog(
    "relay_outbox_oldest_age_seconds",
    "Age of the oldest of these rows; 0 if there is none.",
    ({ oldestAgeMs }) => oldestAgeMs / 1_000,
  );
  counter("relay_feed_inserted_rows_total", "Rows that ClickHouse confirmed.", () => gauges.feed().inserted);
  counter(
    "relay_feed_failures_total",
    "Attempts to insert rows, or to use Kafka, that failed and were retried.",
    () => gauges.feed().failures,
  );
  counter("relay_feed_refused_rows_total", "Rows that ClickHouse or Kafka refused and that were set aside.", () => gauges.feed().poison);
  counter(
    "relay_feed_dead_letters_total",
    "Refused rows, and messages of other programs, that were copied to Kafka's dead-letter topic.",
    () => gauges.feed().deadLetters,
  );
  counter("relay_log_written_entries_total", "Entries of the merchants' logs that ClickHouse confirmed.", () => gauges.activity().written);
  counter(
    "relay_log_dropped_entries_total",
    "Entries of the merchants' logs that were dropped: ClickHouse was unavailable or slow for too long, or the entry must not be stored.",
    () => gauges.activity().dropped,
  );
  gauge("relay_log_waiting_entries", "Entries of the merchants' logs that ClickHouse does not have yet.", () => gauges.activity().waiting);
  counter(
    "relay_store_lost_commits_total",
    "How often this node found, or was notified, that the store had lost acknowledged commits, at its start or while it ran.",
    gauges.lostCommits,
  );
  gauge("relay_cluster_nodes", "Live nodes, as this one sees them.", cluster.liveNodes);
  counter("relay_cluster_lapses_total", "How often this node's membership expired.", cluster.lapses);
  gauge("relay_cluster_clock_offset_seconds", "This machine's clock minus Redis's clock.", () => cluster.clockOffsetMs() / 1_000);
  gauge("relay_cluster_stream_waiting", "Messages from other nodes that this node has not read yet.", () => cluster.stream().waiting);
  gauge(
    "relay_cluster_stream_delay_seconds",
    "How old the last message was when this node read it.",
    () => cluster.stream().delayMs / 1_000,
  );
  counter(
    "relay_cluster_stream_lost_total",
    "Messages that were trimmed from the stream before this node read them.",
    () => cluster.stream().lost,
  );
  return { collect: async () => [...(await registry.getMetricsAsJSON()), ...(redis === null ? [] : [redis.commits.toJson()])] };
}

function secondsOf(atMs: number | null): number | null {
  return atMs === null ? null : atMs / 1_000;
}
