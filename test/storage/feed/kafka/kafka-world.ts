import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { KafkaMessage } from "kafkajs";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import { machineTimers } from "../../../../infra/node/boot/machine-timers.ts";
import type { FeedSink } from "../../../../storage/feed/feed-sink.ts";
import { kafkaClient } from "../../../../storage/feed/kafka/kafka-client.ts";
import { type KafkaConsumer, type KafkaConsumerEvent, startKafkaConsumer } from "../../../../storage/feed/kafka/kafka-consumer.ts";
import { createKafkaFeed, type KafkaFeed, type KafkaFeedEvent } from "../../../../storage/feed/kafka/kafka-feed.ts";
import { kafkaSink } from "../../../../storage/feed/kafka/kafka-sink.ts";
import type { FeedTopics } from "../../../../storage/feed/kafka/kafka-topics.ts";
import type { EmbeddedKv } from "../../../../storage/kv/embedded.ts";
import { openKv, realClock } from "../feed-world.ts";

let worlds = 0;

/** Topics and a group of a test's own. */
export function topicsOf(name: string): FeedTopics {
  worlds += 1;
  const rows = `${name}-${process.pid}-${worlds}`;
  return { rows, dead: `${rows}.dead`, group: `${rows}-group` };
}

/** A store in a folder of its own; closed and removed when the test ends. */
export async function kvOf(test: TestContext): Promise<EmbeddedKv> {
  const directory = await mkdtemp(join(tmpdir(), "relay-kafka-feed-"));
  const kv = await openKv(directory);
  test.after(async () => {
    await kv.close();
    await rm(directory, { recursive: true, force: true });
  });
  return kv;
}

export interface Pipeline {
  feed: KafkaFeed;
  consumer: KafkaConsumer;
  events: (KafkaFeedEvent | KafkaConsumerEvent)[];
}

/** Both ends of the feed, as a node has them; ended when the test ends. */
export function pipelineOf(test: TestContext, brokers: readonly string[], topics: FeedTopics, kv: Kv, sink: FeedSink): Pipeline {
  const events: (KafkaFeedEvent | KafkaConsumerEvent)[] = [];
  const onEvent = (event: KafkaFeedEvent | KafkaConsumerEvent): void => {
    events.push(event);
  };
  const address = { brokers, clientId: "test" };
  const feed = createKafkaFeed({
    kv,
    sink: kafkaSink({ ...address, timers: machineTimers, topics }),
    clock: realClock,
    timers: machineTimers,
    topics,
    onEvent,
  });
  const consumer = startKafkaConsumer({ ...address, kv, sink, clock: realClock, timers: machineTimers, topics, onEvent });
  test.after(() => Promise.all([feed.stop(), consumer.stop()]));
  return { feed, consumer, events };
}

/** Asks until the answer is true; what is awaited happens in another process, which tells nobody. */
export async function until(what: string, timeoutMs: number, holds: () => Promise<boolean> | boolean): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(50);
  }
}

/** The first `count` messages of a topic. */
export async function messagesOf(brokers: readonly string[], topic: string, count: number): Promise<KafkaMessage[]> {
  const consumer = kafkaClient({ brokers, clientId: "test-reader" }).consumer({ groupId: `reader-${topic}`, maxWaitTimeInMs: 100 });
  const messages: KafkaMessage[] = [];
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => {
      messages.push(message);
    },
  });
  await until(`${count} messages of ${topic}`, 15_000, () => messages.length >= count);
  await consumer.disconnect();
  return messages;
}
