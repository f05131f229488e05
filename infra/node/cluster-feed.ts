import type { Clock } from "../../engine/ports/clock.ts";
import type { FeedSink } from "../../storage/feed/feed-sink.ts";
import { type KafkaConsumerEvent, startKafkaConsumer } from "../../storage/feed/kafka-consumer.ts";
import { createKafkaFeed, type KafkaFeedEvent } from "../../storage/feed/kafka-feed.ts";
import { kafkaSink } from "../../storage/feed/kafka-sink.ts";
import { FEED_TOPICS } from "../../storage/feed/kafka-topics.ts";
import type { Kv } from "../../storage/kv/kv.ts";
import type { Log } from "./log.ts";
import { machineTimers } from "./machine-timers.ts";
import type { NodeGauges } from "./metrics.ts";

/** What brings the outbox to ClickHouse, whichever way. */
export interface RunningFeed {
  nudge(): void;
  stats: NodeGauges["feed"];
  stop(): Promise<void>;
}

export interface ClusterFeedOptions {
  brokers: readonly string[];
  clientId: string;
  kv: Kv;
  sink: FeedSink;
  clock: Clock;
  log: Log;
  /** What of an error may stand in the log. */
  shown(error: unknown): Error;
}

/** The feed of a cluster: outbox → Kafka in one node at a time, Kafka → ClickHouse in each (infra/docs/feed.md). */
export function startClusterFeed({ brokers, clientId, kv, sink, clock, log, shown }: ClusterFeedOptions): RunningFeed {
  const report = (event: KafkaFeedEvent | KafkaConsumerEvent): void => {
    if (event.type === "row_refused" || event.type === "dead_letter") log.rowRefused(event);
    else log.feed(event.type, "error" in event ? shown(event.error) : undefined);
  };
  const timers = machineTimers;
  const feed = createKafkaFeed({ kv, sink: kafkaSink({ brokers, clientId, timers, topics: FEED_TOPICS }), clock, timers, onEvent: report });
  const consumer = startKafkaConsumer({ brokers, clientId, kv, sink, clock, timers, onEvent: report });
  return {
    nudge: () => feed.nudge(),
    stats: () => {
      const [produced, consumed] = [feed.stats(), consumer.stats()];
      return {
        inserted: consumed.inserted,
        failures: produced.failures + consumed.failures,
        poison: produced.refused + consumed.dead,
      };
    },
    stop: async () => {
      await Promise.all([feed.stop(), consumer.stop()]);
    },
  };
}
