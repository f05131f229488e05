import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { FeedSink } from "../../../storage/feed/feed-sink.ts";
import { type KafkaConsumer, type KafkaConsumerEvent, startKafkaConsumer } from "../../../storage/feed/kafka/kafka-consumer.ts";
import { createKafkaFeed, type KafkaFeed, type KafkaFeedEvent } from "../../../storage/feed/kafka/kafka-feed.ts";
import { type KafkaSink, kafkaSink, type TopicPosition } from "../../../storage/feed/kafka/kafka-sink.ts";
import { FEED_TOPICS } from "../../../storage/feed/kafka/kafka-topics.ts";
import { pause } from "../../../storage/feed/pause.ts";
import { machineTimers } from "../boot/machine-timers.ts";
import type { Log } from "../observability/log.ts";
import type { KafkaProgress, NodeGauges } from "../observability/node-metrics.ts";

/** The running feed from the outbox to ClickHouse, with or without Kafka. */
export interface RunningFeed {
  wake(): void;
  stats: NodeGauges["feed"];
  /** Null without Kafka. */
  kafka(): KafkaProgress | null;
  stop(): Promise<void>;
}

export interface ClusterFeedOptions {
  brokers: readonly string[];
  clientId: string;
  kv: Kv;
  sink: FeedSink;
  clock: Clock;
  log: Log;
  /** The part of an error that may be logged. */
  shown(error: unknown): Error;
}

export interface ClusterFeed extends RunningFeed {
  /** Inserts the messages in Kafka into ClickHouse; resolves with whether all of them were inserted. Starts nothing else. */
  drain(withinMs: number): Promise<boolean>;
  begin(): void;
}

/** How often it is checked whether Kafka is empty. */
const DRAIN_LOOK_MS = 250;

/** The feed of a cluster: outbox → Kafka in one node at a time, Kafka → ClickHouse in each (infra/docs/feed.md). */
export function createClusterFeed({ brokers, clientId, kv, sink, clock, log, shown }: ClusterFeedOptions): ClusterFeed {
  const report = (event: KafkaFeedEvent | KafkaConsumerEvent): void => {
    if (event.type === "row_refused" || event.type === "dead_letter") log.rowRefused(event);
    else log.feed(event.type, "error" in event ? shown(event.error) : undefined);
  };
  const timers = machineTimers;
  const address = { brokers, clientId, timers, topics: FEED_TOPICS };
  let feed: KafkaFeed | null = null;
  let consumer: KafkaConsumer | null = null;

  /**
   * Before the feed has started nothing is written to the store, since that would hide how far it was: rows that are confirmed then are
   * confirmed again later.
   */
  const confirmed: Kv = {
    get: (key) => kv.get(key),
    getMany: (keys) => kv.getMany(keys),
    scan: (range) => kv.scan(range),
    count: (range) => kv.count(range),
    commit: (commit) => (feed === null ? Promise.resolve({ type: "conflict", key: "" }) : kv.commit(commit)),
    close: () => Promise.resolve(),
  };

  function consume(): void {
    consumer ??= startKafkaConsumer({ brokers, clientId, kv: confirmed, sink, clock, timers, onEvent: report });
  }

  async function drained(looks: KafkaSink, withinMs: number): Promise<boolean> {
    const giveUpAt = clock.monotonicMs() + withinMs;
    let ends: TopicPosition | null = null;
    for (;;) {
      const position = await looks.position();
      ends ??= position;
      if (position !== null && ends !== null && isPast(position, ends)) return true;
      if (clock.monotonicMs() >= giveUpAt) return false;
      consume();
      await pause(timers, DRAIN_LOOK_MS, new AbortController().signal);
    }
  }

  return {
    drain: async (withinMs) => {
      const looks = kafkaSink(address);
      try {
        return await drained(looks, withinMs);
      } catch (error) {
        report({ type: "away", error, retryInMs: 0 });
        return false;
      } finally {
        await looks.close();
      }
    },
    begin: () => {
      feed = createKafkaFeed({ kv, sink: kafkaSink(address), clock, timers, onEvent: report });
      consume();
    },
    wake: () => feed?.wake(),
    stats: () => {
      if (feed === null || consumer === null) return { inserted: 0, failures: 0, poison: 0, deadLetters: 0 };
      const [produced, consumed] = [feed.stats(), consumer.stats()];
      return {
        inserted: consumed.inserted,
        failures: produced.failures + consumed.failures,
        poison: produced.refused + consumed.dead,
        deadLetters: consumed.dead,
      };
    },
    kafka: () => {
      if (feed === null || consumer === null) return null;
      const { producing, lagMessages } = feed.stats();
      return { lagMessages: producing ? lagMessages : null, partitions: consumer.stats().partitions };
    },
    stop: async () => {
      await Promise.all([feed?.stop(), consumer?.stop()]);
    },
  };
}

/** Whether the group has confirmed everything up to these ends. */
function isPast(position: TopicPosition, ends: TopicPosition): boolean {
  return [...ends].every(([partition, { end }]) => (position.get(partition)?.confirmed ?? 0n) >= end);
}
