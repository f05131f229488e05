import type { EachBatchPayload, KafkaMessage } from "kafkajs";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";
import { attentionOperation } from "../../../engine/payments/attention.ts";
import type { FeedRow } from "../../../engine/payments/feed-row.ts";
import { bisectBatch, type Refused } from "../bisect-batch.ts";
import { deliver, type FeedInsert, type FeedSink, RowsRefused } from "../feed-sink.ts";
import { confirmOutbox, readRow, writtenAtMsOf } from "../outbox.ts";
import { pause } from "../pause.ts";
import { type RowSubject, setAsideByKey, strangerItem, subjectOf } from "../set-aside.ts";
import { decodeFeedMessage, rowTextOf } from "./kafka-message.ts";
import type { KafkaSink, TopicMessage } from "./kafka-sink.ts";
import type { FeedTopics } from "./kafka-topics.ts";

/** The interval of the session's heartbeats, since kafkajs skips heartbeats that come too early. */
const HEARTBEAT_EVERY_MS = 2_000;

const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5_000;

/** A batch of one partition, as kafkajs provides it. */
export type ConsumedBatch = Pick<
  EachBatchPayload,
  "batch" | "heartbeat" | "isRunning" | "isStale" | "resolveOffset" | "uncommittedOffsets" | "commitOffsetsIfNecessary"
>;

export type TransferEvent =
  | { type: "insert_away"; error: unknown; retryInMs: number }
  | { type: "insert_back"; afterMs: number }
  /**
   * The message is among the dead letters and was reported to operators. A row of the relay was set
   * aside too.
   */
  | ({ type: "dead_letter"; reason: string; partition: number; offset: string } & RowSubject);

export interface TransferStats {
  lagMessages: number;
  oldestAgeMs: number;
  newestDelayMs: number;
  inserted: number;
  failures: number;
  dead: number;
}

export interface RowTransferOptions {
  kv: Kv;
  sink: FeedSink;
  deadLetters: KafkaSink;
  clock: Clock;
  timers: Timers;
  topics: FeedTopics;
  stopping: AbortSignal;
  onEvent: (event: TransferEvent) => void;
}

/** A message and its position. */
interface Located {
  message: KafkaMessage;
  partition: number;
  outboxKey: string | null;
}

interface Dead extends Located {
  reason: string;
}

/**
 * Transfers batches of messages to ClickHouse in this order: synced insert, dead letters, deletion
 * of outbox entries, commit of offsets. Each step may be repeated. After a crash, the member that
 * gets the batch repeats all of them.
 */
export class RowTransfer {
  readonly #options: RowTransferOptions;
  /** Unconfirmed messages of each partition at the last fetch. */
  readonly #lags = new Map<number, bigint>();
  #oldestMs: number | null = null;
  #newestDelayMs = 0;
  #inserted = 0;
  #failures = 0;
  #dead = 0;

  constructor(options: RowTransferOptions) {
    this.#options = options;
  }

  stats(): TransferStats {
    let lag = 0n;
    for (const messages of this.#lags.values()) lag += messages;
    return {
      lagMessages: Number(lag),
      oldestAgeMs: this.#oldestMs === null ? 0 : Math.max(0, this.#options.clock.nowMs() - this.#oldestMs),
      newestDelayMs: this.#newestDelayMs,
      inserted: this.#inserted,
      failures: this.#failures,
      dead: this.#dead,
    };
  }

  /** Sets the partitions that are assigned to this node from now on. */
  assigned(partitions: readonly number[]): void {
    for (const partition of this.#lags.keys()) if (!partitions.includes(partition)) this.#lags.delete(partition);
  }

  close(): Promise<void> {
    return this.#options.deadLetters.close();
  }

  /**
   * Resolves when the batches are confirmed. Retries while ClickHouse is down, or the store, or
   * Kafka for a dead letter; this prevents the next fetch. Rejects if the group rebalances or the
   * consumer ends. Then nothing was confirmed to Kafka.
   */
  async take(all: readonly ConsumedBatch[]): Promise<void> {
    const batches = all.filter((batch) => batch.isRunning() && !batch.isStale());
    const [first] = batches;
    if (first === undefined) return;
    for (const { batch } of batches) this.#lags.set(batch.partition, BigInt(batch.highWatermark) - BigInt(batch.firstOffset() ?? 0));
    const beats = new Heartbeats(this.#options.timers, first);
    try {
      await this.#transfer(batches, beats);
      for (const { batch, resolveOffset } of batches) {
        const last = batch.messages.at(-1);
        if (last !== undefined) resolveOffset(last.offset);
      }
      await first.commitOffsetsIfNecessary(first.uncommittedOffsets());
      for (const { batch } of batches) this.#lags.set(batch.partition, BigInt(batch.offsetLag()));
    } finally {
      this.#oldestMs = null;
      beats.stop();
    }
  }

  async #transfer(batches: readonly ConsumedBatch[], beats: Heartbeats): Promise<void> {
    const { sink, timers } = this.#options;
    const { insert, readable, dead } = await readAll(timers, batches, sink);
    const keys: string[] = [];
    for (const located of [readable, dead]) for (const { outboxKey } of located) if (outboxKey !== null) keys.push(outboxKey);
    const times = keys.map(writtenAtMsOf);
    this.#oldestMs = times.length === 0 ? null : times.reduce((one, other) => Math.min(one, other));
    await this.#persist(beats, async () => {
      for (const { item, reason } of await insertApart(insert, readable, sink)) dead.push({ ...item, reason });
    });
    if (dead.length > 0) await this.#persist(beats, () => this.#bury(dead));
    await this.#persist(beats, () => confirmOutbox(this.#options.kv, keys));
    this.#inserted += readable.length;
    if (times.length > 0)
      this.#newestDelayMs = Math.max(0, this.#options.clock.nowMs() - times.reduce((one, other) => Math.max(one, other)));
  }

  /**
   * Copies unreadable or refused messages unchanged to the dead letters. Sets their outbox entries
   * aside, where the list and the next rebuild find them. A message that names no outbox entry is
   * not a row of the relay: it is only copied to the dead letters and reported to operators.
   */
  async #bury(dead: readonly Dead[]): Promise<void> {
    const { deadLetters, topics, kv, clock, onEvent } = this.#options;
    await deadLetters.deliver(
      topics.dead,
      dead.map((letter) => deadLetter(letter, topics.rows)),
    );
    const told: TransferEvent[] = [];
    for (const { outboxKey, reason, message, partition } of dead) {
      const text = rowTextOf(message.value);
      const subject = subjectOf(text === null ? null : readRow(text));
      if (outboxKey !== null) await setAsideByKey(kv, outboxKey, text, reason, clock.nowMs());
      else await kv.commit({ checks: [], operations: [attentionOperation(strangerItem(subject, topics, reason, clock.nowMs()))] });
      told.push({ type: "dead_letter", reason, partition, offset: message.offset, ...subject });
    }
    this.#dead += dead.length;
    for (const event of told) onEvent(event);
  }

  /**
   * Retries with growing pauses until the work succeeds. Throws if the consumer loses its batches.
   */
  async #persist(beats: Heartbeats, work: () => Promise<void>): Promise<void> {
    const { clock, timers, stopping, onEvent } = this.#options;
    let pauseMs = BACKOFF_MIN_MS;
    let failedAtMs: number | null = null;
    for (;;) {
      try {
        await work();
        if (failedAtMs !== null) onEvent({ type: "insert_back", afterMs: clock.monotonicMs() - failedAtMs });
        return;
      } catch (error) {
        failedAtMs ??= clock.monotonicMs();
        this.#failures += 1;
        onEvent({ type: "insert_away", error, retryInMs: pauseMs });
      }
      await pause(timers, pauseMs, stopping);
      if (stopping.aborted) throw new Error("the consumer was stopped");
      beats.check();
      pauseMs = Math.min(2 * pauseMs, BACKOFF_MAX_MS);
    }
  }
}

/** Keeps the session alive during long inserts, and remembers that the group is rebalancing. */
class Heartbeats {
  readonly #timer: Timer;
  #failure: { error: unknown } | null = null;

  constructor(timers: Timers, { heartbeat }: ConsumedBatch) {
    this.#timer = timers.every(HEARTBEAT_EVERY_MS, () => {
      heartbeat().catch((error: unknown) => {
        this.#failure = { error };
      });
    });
  }

  /** Throws the error of a failed heartbeat; kafkajs then joins the group again. */
  check(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  stop(): void {
    this.#timer.clear();
  }
}

/**
 * Contents of batches: rows to be inserted, which are already in `insert`, and messages that can
 * never be inserted.
 */
interface Read {
  insert: FeedInsert;
  readable: Located[];
  dead: Dead[];
}

/**
 * Reads one partition after another, so that other work on this thread is not delayed. Releases
 * each row as soon as it is in the insert.
 */
async function readAll(timers: Timers, batches: readonly ConsumedBatch[], sink: FeedSink): Promise<Read> {
  const read: Read = { insert: sink.begin(), readable: [], dead: [] };
  for (const { batch } of batches) {
    await new Promise<void>((resolve) => timers.soon(resolve));
    const { partition } = batch;
    for (const message of batch.messages) {
      const decoded = decodeFeedMessage(message.value);
      const located = { message, partition, outboxKey: decoded.outboxKey };
      const reason = decoded.type === "row" ? refusalOf(read.insert, decoded.row) : decoded.reason;
      if (reason === null) read.readable.push(located);
      else read.dead.push({ ...located, reason });
    }
  }
  return read;
}

/** Returns why the row cannot be added; null if it was added. */
function refusalOf(insert: FeedInsert, row: FeedRow): string | null {
  try {
    insert.add(row);
    return null;
  } catch (error) {
    if (error instanceof RowsRefused) return error.message;
    throw error;
  }
}

/** Sends the insert. If one of its rows is refused, sends the others in smaller inserts. */
async function insertApart(insert: FeedInsert, readable: readonly Located[], sink: FeedSink): Promise<Refused<Located>[]> {
  try {
    await insert.send();
    return [];
  } catch (error) {
    if (!(error instanceof RowsRefused)) throw error;
  }
  return bisectBatch(readable, (items) => deliver(sink, items.flatMap(rowAgain)));
}

function rowAgain({ message }: Located): FeedRow[] {
  const decoded = decodeFeedMessage(message.value);
  return decoded.type === "row" ? [decoded.row] : [];
}

function deadLetter({ message, partition, reason }: Dead, topic: string): TopicMessage {
  return {
    key: message.key,
    value: message.value,
    headers: {
      reason,
      topic,
      partition: String(partition),
      offset: message.offset,
      timestamp: message.timestamp,
    },
  };
}
