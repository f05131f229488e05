import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { machineTimers } from "../../../../infra/node/boot/machine-timers.ts";
import { RowsRefused } from "../../../../storage/feed/feed-sink.ts";
import { createKafkaFeed, type KafkaFeed, type KafkaFeedEvent } from "../../../../storage/feed/kafka/kafka-feed.ts";
import type { KafkaSink, TopicPosition } from "../../../../storage/feed/kafka/kafka-sink.ts";
import { FEED_TOPICS } from "../../../../storage/feed/kafka/kafka-topics.ts";
import { keysUnder, realClock, transactionRow, write } from "../feed-world.ts";
import { kvOf, until } from "./kafka-world.ts";

interface Produced {
  feed: KafkaFeed;
  /** Keys of the messages in the order of their arrival. */
  taken: string[];
  events: string[];
}

/** A feed with two rows in its outbox and a topic that takes everything. */
async function producing(test: TestContext, position: (time: number) => Promise<TopicPosition | null>): Promise<Produced> {
  const kv = await kvOf(test);
  await write(kv, [transactionRow({ uuid: "a", terminalId: "A" }), transactionRow({ uuid: "b", terminalId: "B" })], Date.now() - 1_000);
  const taken: string[] = [];
  const events: string[] = [];
  let asked = 0;
  const sink: KafkaSink = {
    deliver: async (topic, messages) => {
      assert.equal(topic, FEED_TOPICS.rows);
      taken.push(...messages.map(({ key }) => String(key)));
    },
    position: () => {
      asked += 1;
      return position(asked);
    },
    close: async () => undefined,
  };
  const feed = createKafkaFeed({ kv, sink, clock: realClock, timers: machineTimers, onEvent: ({ type }) => events.push(type) });
  test.after(() => feed.stop());
  return { feed, taken, events };
}

const unread: TopicPosition = new Map([[0, { end: 2n, confirmed: 0n }]]);

describe("the producing end of the feed", () => {
  it("keeps its lease and repeats nothing while the group's coordinator cannot say how far the consumers are", async (test) => {
    let answer: () => void = () => undefined;
    const looked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { feed, taken, events } = await producing(test, async (time) => {
      if (time === 1) return null;
      await looked;
      return unread;
    });
    await until("a first question", 5_000, () => feed.stats().oldestAgeMs > 0);
    assert.equal(feed.stats().lagMessages, 0);
    answer();
    await until("another question", 10_000, () => feed.stats().lagMessages === 2);
    assert.deepEqual(taken, ["A", "B"]);
    assert.deepEqual(events, ["turn_taken"]);
    assert.equal(feed.stats().failures, 0);
  });

  it("sets aside a row that Kafka refuses, tells of it with its uuid, and produces its neighbours", async (test) => {
    const kv = await kvOf(test);
    await write(
      kv,
      ["a", "large", "b"].map((uuid) => transactionRow({ uuid, terminalId: "T" })),
    );
    const taken: string[] = [];
    const sink: KafkaSink = {
      deliver: async (_, messages) => {
        const texts = messages.map(({ value }) => String(value));
        if (texts.some((text) => text.includes('"large"'))) throw new RowsRefused("Kafka refused it: MESSAGE_TOO_LARGE");
        taken.push(...texts);
      },
      position: async () => unread,
      close: async () => undefined,
    };
    const told: KafkaFeedEvent[] = [];
    const feed = createKafkaFeed({ kv, sink, clock: realClock, timers: machineTimers, onEvent: (event) => told.push(event) });
    test.after(() => feed.stop());
    await until("the refusal", 10_000, () => feed.stats().refused === 1 && taken.length === 2);
    assert.deepEqual(
      told.filter(({ type }) => type === "row_refused"),
      [{ type: "row_refused", rowType: "transaction", terminalId: "T", uuid: "large", reason: "Kafka refused it: MESSAGE_TOO_LARGE" }],
    );
    assert.deepEqual(await keysUnder(kv, "a/"), ["a/feed_refused/T/large"]);
    assert.equal((await keysUnder(kv, "op/")).length, 1);
  });

  it("gives its lease up when Kafka fails, and the next holder produces what the failed one was not sure of", async (test) => {
    const { taken, events } = await producing(test, async (time) => {
      if (time === 1) throw new Error("away");
      return unread;
    });
    await until("another lease", 10_000, () => events.includes("back"));
    assert.deepEqual(taken, ["A", "B", "A", "B"]);
    assert.deepEqual(events, ["turn_taken", "away", "turn_taken", "back"]);
  });
});
