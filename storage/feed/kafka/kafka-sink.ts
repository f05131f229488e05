import { type Admin, type Kafka, type Message, Partitioners, type Producer } from "kafkajs";
import type { Timers } from "../../../engine/kernel/timers.ts";
import { RowsRefused } from "../feed-sink.ts";
import { brokerErrorOf, disconnect, type KafkaAddress, kafkaClient, withDeadline } from "./kafka-client.ts";
import { ensureTopics, type FeedTopics } from "./kafka-topics.ts";

/**
 * Bytes per request. They stay below a broker's limit for one batch of a partition, even if all
 * rows belong to one terminal.
 */
const SEND_BYTES_MAX = 786_432;

const CONNECT_TIMEOUT_MS = 10_000;
const SEND_TIMEOUT_MS = 15_000;
const BROKER_TIMEOUT_MS = 10_000;
const QUESTION_TIMEOUT_MS = 10_000;

/** The broker can never store such a message, alone or with others. */
const TOO_LARGE = new Set(["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_RECORD"]);

/**
 * The coordinator of a group is not available yet, or not any longer. The topics are not affected.
 */
const NO_COORDINATOR = new Set(["GROUP_LOAD_IN_PROGRESS", "GROUP_COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR_FOR_GROUP"]);

export interface TopicMessage {
  key: Buffer | string | null;
  value: Buffer | null;
  headers?: Record<string, string>;
}

/**
 * For each partition of the topic of rows: its end, and the offset that the group has confirmed.
 */
export type TopicPosition = ReadonlyMap<number, { end: bigint; confirmed: bigint }>;

/** Produces messages in the feed's topics, one call at a time. */
export interface KafkaSink {
  /**
   * Resolves when all in-sync replicas have all messages. Rejects with RowsRefused if the topic can
   * never accept one of them, and with another error if the call may be repeated; then any part of
   * them may have arrived.
   */
  deliver(topic: string, messages: readonly TopicMessage[]): Promise<void>;
  /**
   * Resolves with null while the group's coordinator cannot answer because it has just been
   * elected, or is being elected.
   */
  position(): Promise<TopicPosition | null>;
  close(): Promise<void>;
}

export interface KafkaSinkOptions extends KafkaAddress {
  topics: FeedTopics;
  timers: Timers;
}

/** A sink that connects when it is first used, and again after each failure. */
export function kafkaSink(options: KafkaSinkOptions): KafkaSink {
  return new ReconnectingSink(options);
}

interface Connection {
  producer: Producer;
  admin: Admin;
}

class ReconnectingSink implements KafkaSink {
  readonly #topics: FeedTopics;
  readonly #timers: Timers;
  readonly #kafka: Kafka;
  #connection: Connection | null = null;

  constructor(options: KafkaSinkOptions) {
    this.#topics = options.topics;
    this.#timers = options.timers;
    this.#kafka = kafkaClient(options);
  }

  deliver(topic: string, messages: readonly TopicMessage[]): Promise<void> {
    return this.#connected(async ({ producer }) => {
      for (const piece of piecesOf(messages)) await send(this.#timers, producer, topic, piece);
    });
  }

  position(): Promise<TopicPosition | null> {
    const { group, rows: topic } = this.#topics;
    return this.#connected(async ({ admin }) => {
      const confirmed = admin.fetchOffsets({ groupId: group, topics: [topic] }).catch(nullWithoutCoordinator);
      const asked = Promise.all([admin.fetchTopicOffsets(topic), confirmed]);
      const [bounds, committed] = await withDeadline(this.#timers, "offsets", QUESTION_TIMEOUT_MS, asked);
      if (committed === null) return null;
      const offsets = new Map(committed[0]?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
      return new Map(
        bounds.map(({ partition, low, high }) => {
          // Retention has removed some messages, which will never be confirmed. A partition that
          // was never read has the committed offset -1.
          const offset = offsets.get(partition) ?? -1n;
          return [partition, { end: BigInt(high), confirmed: offset > BigInt(low) ? offset : BigInt(low) }];
        }),
      );
    });
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    if (connection !== null) await disconnectAll(this.#timers, connection);
  }

  /**
   * An idempotent producer that failed may disagree with the broker about sequence numbers, so a
   * failure ends the connection.
   */
  async #connected<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#connection ?? (await this.#connect());
    this.#connection = connection;
    try {
      return await work(connection);
    } catch (error) {
      if (this.#connection === connection) this.#connection = null;
      void disconnectAll(this.#timers, connection);
      throw error;
    }
  }

  async #connect(): Promise<Connection> {
    const producer = this.#kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      // The partition follows from the hash of the key that Kafka's own clients use. The rows of a
      // terminal stay in one partition for all writers.
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    const connection = { producer, admin: this.#kafka.admin() };
    try {
      await withDeadline(this.#timers, "connect", CONNECT_TIMEOUT_MS, Promise.all([producer.connect(), connection.admin.connect()]));
      await ensureTopics(this.#timers, connection.admin, this.#topics);
      return connection;
    } catch (error) {
      void disconnectAll(this.#timers, connection);
      throw error;
    }
  }
}

async function disconnectAll(timers: Timers, { producer, admin }: Connection): Promise<void> {
  await Promise.all([disconnect(timers, producer), disconnect(timers, admin)]);
}

async function send(timers: Timers, producer: Producer, topic: string, messages: Message[]): Promise<void> {
  try {
    const sending = producer.send({ topic, messages, acks: -1, timeout: BROKER_TIMEOUT_MS });
    await withDeadline(timers, "produce", SEND_TIMEOUT_MS, sending);
  } catch (error) {
    const name = brokerErrorOf(error);
    if (name === null || !TOO_LARGE.has(name)) throw error;
    throw new RowsRefused(`Kafka refused the message for ${topic}: ${name}`, { cause: error });
  }
}

function nullWithoutCoordinator(error: unknown): null {
  const name = brokerErrorOf(error);
  if (name === null || !NO_COORDINATOR.has(name)) throw error;
  return null;
}

/**
 * Divides messages into one part for each request. A part exceeds the limit only if it is a single
 * message.
 */
function* piecesOf(messages: readonly TopicMessage[]): Generator<Message[]> {
  let piece: Message[] = [];
  let bytes = 0;
  for (const message of messages) {
    const length = message.value?.length ?? 0;
    if (piece.length > 0 && bytes + length > SEND_BYTES_MAX) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(message);
    bytes += length;
  }
  if (piece.length > 0) yield piece;
}
