import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import { bisectBatch } from "../bisect-batch.ts";
import { LeaderLease } from "../leader-lease.ts";
import { type OutboxText, pageOutbox, readRow } from "../outbox.ts";
import { atMost, pause } from "../pause.ts";
import { type RowSubject, setAsideOperations, subjectOf } from "../set-aside.ts";
import { Cursor } from "./kafka-cursor.ts";
import { encodeFeedMessage, keyInRow } from "./kafka-message.ts";
import type { KafkaSink, TopicMessage, TopicPosition } from "./kafka-sink.ts";
import { FEED_TOPICS, type FeedTopics } from "./kafka-topics.ts";

/**
 * Rows of one batch. Two batches are in memory at once. A row has about a kilobyte, and a few
 * hundred at worst.
 */
const BATCH_ROWS = 2_500;

/** Pauses after a window with rows, and in an idle feed that is not woken. */
const BUSY_PAUSE_MS = 200;
const IDLE_PAUSE_MS = 250;

/** How often a node without the lease tries to acquire it. */
const LEASE_PAUSE_MS = 1_000;

const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5_000;

/**
 * How often the progress of the consumers is measured, and how often rows that they have left are
 * produced again.
 */
const MEASURE_EVERY_MS = 2_000;
const SWEEP_EVERY_MS = 30_000;

const STOP_TIMEOUT_MS = 5_000;

export interface KafkaFeedOptions {
  kv: Kv;
  /** The feed closes it when it is stopped. */
  sink: KafkaSink;
  clock: Clock;
  timers: Timers;
  topics?: FeedTopics;
  onEvent?: (event: KafkaFeedEvent) => void;
}

export type KafkaFeedEvent =
  | { type: "turn_taken" }
  | { type: "turn_lost" }
  | { type: "away"; error: unknown; retryInMs: number }
  | { type: "back"; afterMs: number }
  | { type: "swept"; rows: number }
  /** The row is set aside and reported to operators. */
  | ({ type: "row_refused"; reason: string } & RowSubject);

export interface KafkaFeedStats {
  /** Whether this node produces. If it does not, `lagMessages` and `oldestAgeMs` are 0. */
  producing: boolean;
  /** Messages in the topic that the consumer group has not confirmed. */
  lagMessages: number;
  /** Age of the oldest row in the outbox, which ClickHouse has not confirmed; milliseconds. */
  oldestAgeMs: number;
  /** Rows produced since the start, and the ones among them that a sweep produced again. */
  produced: number;
  repeated: number;
  /** Attempts that failed since the start. */
  failures: number;
  /** Rows set aside since the start. */
  refused: number;
}

/**
 * Delivers the outbox to Kafka. A row stays in the outbox until the consumer has synced it to
 * ClickHouse (kafka-consumer.ts). The feed only remembers what it has produced. See
 * infra/docs/feed.md.
 */
export interface KafkaFeed {
  /** Announces a write to the outbox. It is cheap and may be called for each commit. */
  wake(): void;
  stats(): KafkaFeedStats;
  /** Releases the lease and ends; waits a few seconds at most for work in progress. */
  stop(): Promise<void>;
}

/** Starts the feed. Each node starts one, and one node at a time has the lease. */
export function createKafkaFeed(options: KafkaFeedOptions): KafkaFeed {
  return new OutboxProducer(options);
}

class OutboxProducer implements KafkaFeed {
  readonly #options: KafkaFeedOptions;
  readonly #topic: string;
  readonly #lease: LeaderLease;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #sleeping: AbortController | null = null;
  #woken = false;
  #stats: KafkaFeedStats = { producing: false, lagMessages: 0, oldestAgeMs: 0, produced: 0, repeated: 0, failures: 0, refused: 0 };

  constructor(options: KafkaFeedOptions) {
    this.#options = options;
    this.#topic = (options.topics ?? FEED_TOPICS).rows;
    this.#lease = new LeaderLease(options.kv, options.clock);
    this.#running = this.#run();
  }

  wake(): void {
    this.#woken = true;
    this.#sleeping?.abort();
  }

  stats(): KafkaFeedStats {
    return { ...this.#stats };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#sleeping?.abort();
    await atMost(this.#options.timers, STOP_TIMEOUT_MS, this.#running);
    await this.#options.sink.close();
  }

  /**
   * Acquires the lease and produces while it has the lease. A failure ends the lease, so that a
   * node that cannot reach Kafka does not keep it.
   */
  async #run(): Promise<void> {
    const { clock, onEvent } = this.#options;
    let pauseMs = BACKOFF_MIN_MS;
    let failedAtMs: number | null = null;
    while (!this.#stopped) {
      try {
        const taken = await this.#lease.acquire();
        if (taken === null) {
          await this.#sleep(LEASE_PAUSE_MS);
          continue;
        }
        onEvent?.({ type: "turn_taken" });
        await this.#produce(new Cursor(clock, taken.cursor), () => {
          if (failedAtMs !== null) onEvent?.({ type: "back", afterMs: clock.monotonicMs() - failedAtMs });
          failedAtMs = null;
          pauseMs = BACKOFF_MIN_MS;
        });
      } catch (error) {
        if (this.#stopped) return;
        failedAtMs ??= clock.monotonicMs();
        this.#stats.failures += 1;
        onEvent?.({ type: "away", error, retryInMs: pauseMs });
        await this.#sleep(pauseMs);
        pauseMs = Math.min(2 * pauseMs, BACKOFF_MAX_MS);
      }
    }
  }

  /**
   * Produces until the lease is lost, the feed is stopped, or something fails. `onRound` is called
   * after each successful round.
   */
  async #produce(cursor: Cursor, onRound: () => void): Promise<void> {
    this.#stats.producing = true;
    const redeliveryScan = new RedeliveryScan(this.#options.clock);
    try {
      while (!this.#stopped) {
        if (!(await this.#lease.renew(cursor.settled()))) {
          this.#options.onEvent?.({ type: "turn_lost" });
          return;
        }
        this.#woken = false;
        const rows = await this.#produceNew(cursor);
        if (this.#stopped) break;
        if (redeliveryScan.due()) await this.#measure(redeliveryScan, cursor);
        onRound();
        if (rows > 0) await this.#sleep(BUSY_PAUSE_MS);
        else if (!this.#woken) await this.#sleep(IDLE_PAUSE_MS, "wake");
      }
    } finally {
      Object.assign(this.#stats, { producing: false, lagMessages: 0, oldestAgeMs: 0 });
      await this.#lease.release(cursor.settled()).catch(() => undefined);
    }
  }

  /** Produces new rows. Resolves with their number. */
  async #produceNew(cursor: Cursor): Promise<number> {
    let rows = 0;
    for await (const batch of this.#batches(cursor.begin(), null)) {
      const fresh = batch.filter(({ key }) => !cursor.has(key));
      await this.#deliver(fresh);
      for (const { key, writtenAtMs } of fresh) cursor.produced(key, writtenAtMs);
      cursor.tidy();
      rows += fresh.length;
      if (this.#stopped || !(await this.#lease.renew(cursor.settled()))) break;
    }
    return rows;
  }

  async #measure(redeliveryScan: RedeliveryScan, cursor: Cursor): Promise<void> {
    const { kv, sink, clock, onEvent } = this.#options;
    // This precedes the request, so rows that are settled now are before the ends that it returns.
    const settled = cursor.settled();
    const position = await sink.position();
    if (position !== null) this.#stats.lagMessages = lagIn(position);
    const [oldest] = await pageOutbox(kv, null, null, 1);
    this.#stats.oldestAgeMs = oldest === undefined ? 0 : Math.max(0, clock.nowMs() - oldest.writtenAtMs);
    const until = redeliveryScan.measured(position, settled);
    if (until === null || oldest === undefined || oldest.key >= until) return;
    let rows = 0;
    for await (const batch of this.#batches(null, until)) {
      await this.#deliver(batch);
      rows += batch.length;
      if (this.#stopped || !(await this.#lease.renew(cursor.settled()))) break;
    }
    this.#stats.repeated += rows;
    onEvent?.({ type: "swept", rows });
  }

  /**
   * Reads the outbox from one key to before another (null: to its end) in batches of limited size.
   * It reads the next batch while the caller processes one.
   */
  async *#batches(from: string | null, until: string | null): AsyncGenerator<OutboxText[]> {
    const { kv } = this.#options;
    let reading = pageOutbox(kv, from, until, BATCH_ROWS);
    for (;;) {
      const batch = await reading;
      const last = batch.at(-1);
      if (last === undefined) return;
      const more = batch.length === BATCH_ROWS;
      if (more) {
        reading = pageOutbox(kv, `${last.key}\u0001`, until, BATCH_ROWS);
        // The next round awaits it, but there may be no next round.
        reading.catch(() => undefined);
      }
      yield batch;
      if (!more) return;
    }
  }

  async #deliver(entries: readonly OutboxText[]): Promise<void> {
    const readable: { entry: OutboxText; messageKey: string }[] = [];
    for (const entry of entries) {
      const messageKey = keyInRow(entry.value);
      if (messageKey === null) await this.#setAside(entry, "the outbox entry is not JSON of a row");
      else readable.push({ entry, messageKey });
    }
    const { sink } = this.#options;
    const refused = await bisectBatch(readable, (items) =>
      sink.deliver(
        this.#topic,
        items.map(({ entry, messageKey }) => messageOf(entry, messageKey)),
      ),
    );
    for (const { item, reason } of refused) await this.#setAside(item.entry, reason);
    this.#stats.produced += readable.length - refused.length;
  }

  async #setAside(entry: OutboxText, reason: string): Promise<void> {
    await this.#options.kv.commit({ checks: [], operations: setAsideOperations(entry, reason, this.#options.clock.nowMs()) });
    this.#stats.refused += 1;
    this.#options.onEvent?.({ type: "row_refused", reason, ...subjectOf(readRow(entry.value)) });
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Sleeps. The end of the feed ends the sleep, and so does `wake` if `by` names it. */
  async #sleep(ms: number, by?: "wake"): Promise<void> {
    const wake = by === "wake" ? new AbortController() : null;
    if (wake !== null) this.#sleeping = wake;
    const signal = wake === null ? this.#stopping.signal : wake.signal;
    await pause(this.#options.timers, ms, signal);
    this.#sleeping = null;
  }
}

function messageOf({ key, value, version }: OutboxText, messageKey: string): TopicMessage {
  return { key: messageKey, value: encodeFeedMessage(key, value, version) };
}

function lagIn(position: TopicPosition): number {
  let lag = 0n;
  for (const { end, confirmed } of position.values()) lag += end > confirmed ? end - confirmed : 0n;
  return Number(lag);
}

/**
 * Determines when rows that are still in the outbox before a key have to be produced again. This is
 * when the consumers have confirmed everything that the topic contained after that part was
 * produced. Such rows were committed much later than their key says, or Kafka lost them.
 */
class RedeliveryScan {
  readonly #clock: Clock;
  #measureAtMs: number;
  #markAtMs: number;
  #mark: { position: TopicPosition; until: string } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#measureAtMs = clock.monotonicMs();
    this.#markAtMs = this.#measureAtMs;
  }

  due(): boolean {
    return this.#clock.monotonicMs() >= this.#measureAtMs;
  }

  /**
   * Returns the key up to which everything in the outbox has to be produced again, or null while
   * that is not known.
   */
  measured(position: TopicPosition | null, settled: string | null): string | null {
    const nowMs = this.#clock.monotonicMs();
    this.#measureAtMs = nowMs + MEASURE_EVERY_MS;
    if (position === null) return null;
    if (this.#mark === null) {
      if (nowMs >= this.#markAtMs && settled !== null) this.#mark = { position, until: settled };
      return null;
    }
    const { until, position: marked } = this.#mark;
    for (const [partition, { end }] of marked) if ((position.get(partition)?.confirmed ?? end) < end) return null;
    this.#mark = null;
    this.#markAtMs = nowMs + SWEEP_EVERY_MS;
    return until;
  }
}
