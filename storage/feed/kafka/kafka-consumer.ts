import { once } from "node:events";
import type { Consumer, EachBatchPayload } from "kafkajs";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import type { FeedSink } from "../feed-sink.ts";
import { atMost, pause } from "../pause.ts";
import { disconnect, type KafkaAddress, kafkaClient, withDeadline } from "./kafka-client.ts";
import { BatchGatherer } from "./kafka-gatherer.ts";
import { kafkaSink } from "./kafka-sink.ts";
import { ensureTopics, FEED_TOPICS, type FeedTopics } from "./kafka-topics.ts";
import { type ConsumedBatch, RowTransfer, type TransferEvent } from "./kafka-transfer.ts";

/**
 * Members of the group in one node. While one waits for its insert, the other one fetches and
 * reads.
 */
const MEMBERS = 2;

/**
 * The broker answers a fetch when it has this much data, or after this time. Inserts are therefore
 * large under load and fast without load.
 */
const FETCH_BYTES_MIN = 4_194_304;
const FETCH_WAIT_MS = 700;

/** Maximum bytes of messages in memory: for one fetch, and for one partition in it. */
const FETCH_BYTES_MAX = 6_291_456;
const PARTITION_BYTES_MAX = 1_048_576;

/** A consumer that sends no heartbeat for this long loses its partitions to the others. */
const SESSION_TIMEOUT_MS = 10_000;
const HEARTBEAT_EVERY_MS = 2_000;
const REBALANCE_TIMEOUT_MS = 60_000;

/** All partitions of a fetch are processed together. */
const PARTITIONS_AT_ONCE = 64;

const CONNECT_TIMEOUT_MS = 15_000;
const BACKOFF_MIN_MS = 200;
const BACKOFF_MAX_MS = 5_000;
const STOP_TIMEOUT_MS = 5_000;

export interface KafkaConsumerOptions extends KafkaAddress {
  /** The store with the outbox. The consumer deletes a row there when the row is in ClickHouse. */
  kv: Kv;
  /** Destination of the rows: `clickHouseSink`. */
  sink: FeedSink;
  clock: Clock;
  timers: Timers;
  topics?: FeedTopics;
  onEvent?: (event: KafkaConsumerEvent) => void;
}

export type KafkaConsumerEvent =
  | TransferEvent
  /** The connection to Kafka failed or was closed. The consumer connects again. */
  | { type: "consumer_away"; error: unknown; retryInMs: number }
  /** A member of this node has joined the group and has these partitions of the topic. */
  | { type: "consumer_joined"; partitions: number };

export interface KafkaConsumerStats {
  /** Number of partitions assigned to this node. */
  partitions: number;
  /** Messages in them that were not confirmed at the last fetch. */
  lagMessages: number;
  /**
   * Time since the oldest row in this node's memory was written to the outbox; 0 if there is none.
   * Milliseconds.
   */
  oldestAgeMs: number;
  /**
   * Time between writing and confirming the newest row that this node has confirmed; 0 before the
   * first. Milliseconds.
   */
  newestDelayMs: number;
  /** Rows confirmed since the start. */
  inserted: number;
  /** Attempts that failed since the start. */
  failures: number;
  /** Messages sent to the dead letters since the start. */
  dead: number;
}

/** This node's part of the consumer group that inserts the topic of rows into ClickHouse. */
export interface KafkaConsumer {
  stats(): KafkaConsumerStats;
  /**
   * Leaves the group; waits a few seconds at most for an insert in progress. Unconfirmed messages
   * go to another member, or are fetched again.
   */
  stop(): Promise<void>;
}

/** Starts the consumer. Each node starts one. It keeps trying while Kafka is down. */
export function startKafkaConsumer(options: KafkaConsumerOptions): KafkaConsumer {
  const members = Array.from({ length: MEMBERS }, () => new GroupMember(options));
  return {
    stats: () => members.map((member) => member.stats()).reduce(together),
    stop: async () => {
      await Promise.all(members.map((member) => member.stop()));
    },
  };
}

function together(one: KafkaConsumerStats, other: KafkaConsumerStats): KafkaConsumerStats {
  return {
    partitions: one.partitions + other.partitions,
    lagMessages: one.lagMessages + other.lagMessages,
    oldestAgeMs: Math.max(one.oldestAgeMs, other.oldestAgeMs),
    newestDelayMs: Math.max(one.newestDelayMs, other.newestDelayMs),
    inserted: one.inserted + other.inserted,
    failures: one.failures + other.failures,
    dead: one.dead + other.dead,
  };
}

/** A member of the group with its own connection, partitions and inserts. */
class GroupMember implements KafkaConsumer {
  readonly #options: KafkaConsumerOptions;
  readonly #topics: FeedTopics;
  readonly #stopping = new AbortController();
  readonly #transfer: RowTransfer;
  readonly #running: Promise<void>;
  #partitions = 0;
  #failures = 0;

  constructor(options: KafkaConsumerOptions) {
    this.#options = options;
    this.#topics = options.topics ?? FEED_TOPICS;
    const { kv, sink, clock, timers, onEvent } = options;
    const deadLetters = kafkaSink({ ...options, topics: this.#topics });
    this.#transfer = new RowTransfer({
      kv,
      sink,
      clock,
      timers,
      deadLetters,
      topics: this.#topics,
      stopping: this.#stopping.signal,
      onEvent: (event) => onEvent?.(event),
    });
    this.#running = this.#run();
  }

  stats(): KafkaConsumerStats {
    const { failures, ...stats } = this.#transfer.stats();
    return { partitions: this.#partitions, ...stats, failures: failures + this.#failures };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await atMost(this.#options.timers, STOP_TIMEOUT_MS, this.#running);
    await this.#transfer.close();
  }

  async #run(): Promise<void> {
    let pauseMs = BACKOFF_MIN_MS;
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#takePart(() => {
          pauseMs = BACKOFF_MIN_MS;
        });
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#failures += 1;
        this.#options.onEvent?.({ type: "consumer_away", error, retryInMs: pauseMs });
        await pause(this.#options.timers, pauseMs, this.#stopping.signal);
        pauseMs = Math.min(2 * pauseMs, BACKOFF_MAX_MS);
      }
    }
  }

  /** Joins the group once. Returns when `stop` ends the membership, and throws when it fails. */
  async #takePart(onJoined: () => void): Promise<void> {
    const { timers } = this.#options;
    const kafka = kafkaClient(this.#options);
    const admin = kafka.admin();
    const consumer = kafka.consumer({
      groupId: this.#topics.group,
      sessionTimeout: SESSION_TIMEOUT_MS,
      heartbeatInterval: HEARTBEAT_EVERY_MS,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      minBytes: FETCH_BYTES_MIN,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      maxBytes: FETCH_BYTES_MAX,
      maxBytesPerPartition: PARTITION_BYTES_MAX,
      allowAutoTopicCreation: false,
      // This class ends a failed membership, reports it and starts it again.
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 5, restartOnFailure: () => Promise.resolve(false) },
    });
    try {
      await withDeadline(timers, "connect", CONNECT_TIMEOUT_MS, admin.connect());
      await ensureTopics(timers, admin, this.#topics);
      await withDeadline(timers, "connect", CONNECT_TIMEOUT_MS, consumer.connect());
      await consumer.subscribe({ topics: [this.#topics.rows], fromBeginning: true });
      await this.#consume(consumer, onJoined);
    } finally {
      this.#partitions = 0;
      await Promise.all([disconnect(timers, admin), disconnect(timers, consumer)]);
    }
  }

  async #consume(consumer: Consumer, onJoined: () => void): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const { GROUP_JOIN, CRASH } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload }) => {
      onJoined();
      this.#partitions = payload.memberAssignment[this.#topics.rows]?.length ?? 0;
      this.#transfer.assigned(payload.memberAssignment[this.#topics.rows] ?? []);
      this.#options.onEvent?.({ type: "consumer_joined", partitions: this.#partitions });
    });
    const crashed = new Promise<never>((_, reject) => {
      consumer.on(CRASH, ({ payload }) => reject(payload.error));
    });
    const ended = new AbortController();
    const stopped = once(this.#stopping.signal, "abort", { signal: ended.signal });
    const gatherer = new BatchGatherer<ConsumedBatch>(this.#options.timers, (batches) => this.#transfer.take(batches));
    const running = consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
      eachBatch: (payload: EachBatchPayload) => gatherer.add(payload),
    });
    try {
      await Promise.race([stopped, crashed, running.then(() => stopped)]);
    } finally {
      ended.abort();
    }
  }
}
