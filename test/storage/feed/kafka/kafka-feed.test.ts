import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { ClickHouseClient } from "@clickhouse/client";
import { machineTimers } from "../../../../infra/node/boot/machine-timers.ts";
import { connectClickHouse } from "../../../../storage/clickhouse/client.ts";
import { migrate } from "../../../../storage/clickhouse/migrate.ts";
import { clickHouseSink } from "../../../../storage/feed/clickhouse-sink.ts";
import type { FeedSink } from "../../../../storage/feed/feed-sink.ts";
import { deliver, RowsRefused } from "../../../../storage/feed/feed-sink.ts";
import { kafkaClient } from "../../../../storage/feed/kafka/kafka-client.ts";
import { startKafkaConsumer } from "../../../../storage/feed/kafka/kafka-consumer.ts";
import { createKafkaFeed } from "../../../../storage/feed/kafka/kafka-feed.ts";
import { encodeFeedMessage } from "../../../../storage/feed/kafka/kafka-message.ts";
import { kafkaSink } from "../../../../storage/feed/kafka/kafka-sink.ts";
import { rebuildAnalytics } from "../../../../storage/feed/rebuild.ts";
import { createTransactionList } from "../../../../storage/transactions/transaction-list.ts";
import { kafkaMissing, startTestKafka, type TestKafka } from "../../../support/node/kafka.ts";
import { ADMIN, ask, type ClickHouseWorld, startClickHouse } from "../../clickhouse/clickhouse-world.ts";
import { endedRow, keysUnder, realClock, refuseTransactions, sinkOf, transactionRow, write } from "../feed-world.ts";
import { kvOf, messagesOf, pipelineOf, topicsOf, until } from "./kafka-world.ts";

/** Longer than a busy machine takes for what is promised in no time. */
const COMES_WITHIN_MS = 60_000;

describe("the feed through Kafka into ClickHouse", { skip: await kafkaMissing(), timeout: 600_000 }, () => {
  let kafka: TestKafka;
  let world: ClickHouseWorld;
  let client: ClickHouseClient;

  before(async () => {
    [kafka, world] = await Promise.all([startTestKafka(), startClickHouse()]);
    client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
    await migrate(client);
  });
  after(async () => {
    await client.close();
    await Promise.all([kafka.stop(), world.stop()]);
  });

  async function countOf(terminalId: string): Promise<string> {
    return (await ask(world, `SELECT count(), uniqExact(uuid) FROM transactions_final WHERE terminal_id LIKE '${terminalId}%'`)).text;
  }

  it("brings rows of all types there once, keyed by terminal, and empties the outbox only then", async (test) => {
    const kv = await kvOf(test);
    const topics = topicsOf("all");
    const { feed, consumer } = pipelineOf(test, kafka.brokers, topics, kv, clickHouseSink(client));
    const rows = Array.from({ length: 3_000 }, (_, index) => transactionRow({ uuid: `a${index}`, terminalId: `ALL-${index % 50}` }));
    await write(kv, rows);
    await write(kv, [transactionRow({ uuid: "a0", terminalId: "ALL-0", revision: 2, amountCents: 7 })]);
    const life = { uuid: "a0", terminalId: "ALL-0", kind: "payment", service: "PAYCC", amountCents: 7, sender: "partner:1" } as const;
    const times = { acceptedAtMs: 1_000, sentAtMs: null, finishedAtMs: 2_000, channel: null, attempt: 0 };
    await write(kv, [{ type: "life", version: 1, state: "expired", ...life, ...times }]);
    await write(kv, [endedRow({ uuid: "ended", terminalId: "ALL-ENDED" })]);
    feed.wake();
    await until("an empty outbox", COMES_WITHIN_MS, async () => (await keysUnder(kv, "o/")).length === 0);
    assert.equal(await countOf("ALL-"), "3001\t3001\n");
    const newest = await ask(world, "SELECT amount_cents FROM transactions_final WHERE uuid = 'a0' AND terminal_id = 'ALL-0'");
    assert.equal(newest.text, "7\n");
    assert.equal((await ask(world, "SELECT state FROM command_lives_final WHERE terminal_id = 'ALL-0'")).text, "expired\n");
    assert.equal((await ask(world, "SELECT state FROM command_lives_final WHERE terminal_id = 'ALL-ENDED'")).text, "done\n");
    assert.equal(consumer.stats().inserted, 3_003);
    assert.equal(consumer.stats().oldestAgeMs, 0);
    // All rows of one terminal are in one partition, in the order of the outbox.
    const messages = await messagesOf(kafka.brokers, topics.rows, 3_003);
    const ofOne = messages.filter(({ key }) => key?.toString() === "ALL-0");
    assert.equal(ofOne.length, 62);
    const offsets = ofOne.map(({ offset }) => Number(offset));
    assert.deepEqual(
      offsets,
      [...offsets].sort((one, other) => one - other),
    );
    assert.equal(ofOne.at(-1)?.value?.toString().includes('"row":{"type":"life"'), true);
  });

  it("lists a stored result at once: before Kafka has it, while ClickHouse does not have it, and after", async (test) => {
    const kv = await kvOf(test);
    const topics = topicsOf("list");
    const list = createTransactionList({ kv, client });
    const listed = async (): Promise<string[]> => {
      const query = { terminalId: "LIST", methods: ["CARD"], status: "OK", limit: 10, offset: 0 } as const;
      return (await list.page(query)).map(({ uuid, amountCents }) => `${uuid} ${amountCents}`);
    };
    await write(kv, [transactionRow({ uuid: "one", terminalId: "LIST", amountCents: 5 })]);
    assert.deepEqual(await listed(), ["one 5"]);

    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    let reached: () => void = () => undefined;
    const atTheDoor = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const inner = clickHouseSink(client);
    const slow = sinkOf(async (rows) => {
      reached();
      await opened;
      await deliver(inner, rows);
    });
    pipelineOf(test, kafka.brokers, topics, kv, slow);
    await atTheDoor;
    // Kafka has confirmed it, and it is on its way into ClickHouse.
    assert.deepEqual(await listed(), ["one 5"]);
    open();
    await until("an empty outbox", COMES_WITHIN_MS, async () => (await keysUnder(kv, "o/")).length === 0);
    assert.deepEqual(await listed(), ["one 5"]);
    await write(kv, [transactionRow({ uuid: "one", terminalId: "LIST", amountCents: 6, revision: 2 })]);
    assert.deepEqual(await listed(), ["one 6"]);
  });

  it("sends what cannot be inserted to the dead letters with the reason and where it was, and goes on with the rest", async (test) => {
    const kv = await kvOf(test);
    await refuseTransactions(client);
    const topics = topicsOf("poison");
    const sink = kafkaSink({ brokers: kafka.brokers, clientId: "stranger", timers: machineTimers, topics });
    test.after(() => sink.close());
    const good = JSON.stringify(transactionRow({ uuid: "between", terminalId: "POISON" }));
    await sink.deliver(topics.rows, [
      { key: "POISON", value: Buffer.from("{not JSON") },
      { key: "POISON", value: encodeFeedMessage("c/not-of-the-outbox", good, 1) },
      { key: "POISON", value: Buffer.from('{"schema":9,"row":{}}') },
      { key: "POISON", value: encodeFeedMessage("o/", '{"type":"transaction","version":1}', 1) },
      { key: "POISON", value: null },
    ]);
    await kv.commit({ checks: [], operations: [{ type: "put", key: "c/not-of-the-outbox", value: "{}" }] });
    await write(kv, [
      transactionRow({ uuid: "before", terminalId: "POISON" }),
      transactionRow({ uuid: "not-parsed", terminalId: "POISON", sender: "refused" }),
      transactionRow({ uuid: "after", terminalId: "POISON" }),
    ]);
    const { consumer, events } = pipelineOf(test, kafka.brokers, topics, kv, clickHouseSink(client));
    await until("an empty outbox", COMES_WITHIN_MS, async () => (await keysUnder(kv, "o/")).length === 0);
    // More than five where a slow start of Kafka made the producer send the refused row again.
    await until("the dead letters", COMES_WITHIN_MS, () => consumer.stats().dead >= 5);
    const uuids = await ask(world, "SELECT uuid FROM transactions_final WHERE terminal_id = 'POISON' ORDER BY uuid");
    assert.equal(uuids.text, "after\nbefore\nbetween\n");

    const letters = await messagesOf(kafka.brokers, topics.dead, 5);
    const told = letters.map(({ headers }) => ({ reason: headers?.["reason"]?.toString(), offset: headers?.["offset"]?.toString() }));
    const reasons = new Set(told.map(({ reason }) => reason?.replace(/code \d+.*/, "code N")));
    assert.deepEqual([...reasons].sort(), [
      "ClickHouse refused the row for transactions: code N",
      "the message does not match the schema at /row",
      "the message has no value",
      "the message has schema 9; this version reads schema 1 to 2",
      "the message is not JSON",
    ]);
    assert.equal(
      letters.find(({ headers }) => headers?.["reason"]?.toString() === "the message is not JSON")?.value?.toString(),
      "{not JSON",
    );
    assert.ok(letters.every(({ headers }) => headers?.["topic"]?.toString() === topics.rows));
    assert.deepEqual(
      told
        .map(({ offset }) => Number(offset))
        .filter((offset) => offset < 5)
        .sort(),
      [0, 2, 3, 4],
    );
    // The relay's own row is kept for operators, and a stranger's message deletes nothing.
    assert.equal((await keysUnder(kv, "op/")).length, 1);
    assert.deepEqual(await keysUnder(kv, "a/"), ["a/feed_refused//", "a/feed_refused/POISON/not-parsed"]);
    const buried = events.flatMap((event) => (event.type === "dead_letter" ? [`${event.terminalId} ${event.uuid}`] : []));
    assert.deepEqual([...new Set(buried)].sort(), [" null", "POISON not-parsed"]);
    assert.equal((await keysUnder(kv, "c/")).length, 1);
  });

  it("sets aside a refused row of which the store has lost the outbox entry, and sends it again once it can", async (test) => {
    const kv = await kvOf(test);
    const topics = topicsOf("lost");
    const sink = kafkaSink({ brokers: kafka.brokers, clientId: "relay", timers: machineTimers, topics });
    test.after(() => sink.close());
    const row = transactionRow({ uuid: "lost", terminalId: "LOST" });
    await sink.deliver(topics.rows, [{ key: "LOST", value: encodeFeedMessage("o/1778050000000-w1-1", JSON.stringify(row), 7) }]);
    const refusing = sinkOf(() => Promise.reject(new RowsRefused("too odd")));
    const { consumer } = pipelineOf(test, kafka.brokers, topics, kv, refusing);
    await until("the dead letter", COMES_WITHIN_MS, () => consumer.stats().dead === 1);
    assert.deepEqual(await keysUnder(kv, "op/"), ["op/1778050000000-w1-1"]);
    assert.deepEqual(await keysUnder(kv, "a/"), ["a/feed_refused/LOST/lost"]);
    const progress = await rebuildAnalytics({ kv, sink: clickHouseSink(client) });
    assert.deepEqual([progress.setAside, progress.refused], [1, 0]);
    assert.equal(await countOf("LOST"), "1\t1\n");
    assert.deepEqual([...(await keysUnder(kv, "op/")), ...(await keysUnder(kv, "a/"))], []);
  });

  it("holds rows back while ClickHouse is away, and loses and doubles none", async (test) => {
    const kv = await kvOf(test);
    const inner = clickHouseSink(client);
    let sent = 0;
    const counting: FeedSink = {
      begin: () => {
        const insert = inner.begin();
        return {
          add: (row) => insert.add(row),
          send: () => {
            sent += 1;
            return insert.send();
          },
        };
      },
    };
    const { feed, consumer, events } = pipelineOf(test, kafka.brokers, topicsOf("away"), kv, counting);
    let written = 0;
    const writeSome = async (count: number): Promise<void> => {
      await write(
        kv,
        Array.from({ length: count }, () => transactionRow({ uuid: `w${written++}`, terminalId: `AWAY-${written % 9}` })),
      );
      feed.wake();
    };
    await writeSome(1_000);
    await until("the first rows", COMES_WITHIN_MS, () => consumer.stats().inserted >= 1_000);
    const pid = world.clickhouse.pid();
    assert.ok(pid !== null);
    process.kill(pid, "SIGSTOP");
    const sentBefore = sent;
    await writeSome(2_000);
    await until("production", COMES_WITHIN_MS, () => feed.stats().produced >= 3_000);
    // One that is under way when ClickHouse dies; a later one may find it started again.
    await until("an insert", COMES_WITHIN_MS, () => sent > sentBefore);
    // Of these it has inserted none, and inserts none before it is started again.
    assert.ok((await keysUnder(kv, "o/")).length >= 2_000);
    assert.ok(consumer.stats().oldestAgeMs > 0);
    const started = world.next("started");
    process.kill(pid, "SIGKILL");
    await until("a failed insert", COMES_WITHIN_MS, () => events.some(({ type }) => type === "insert_away"));
    await writeSome(1_000);
    await started;
    await until("an empty outbox", COMES_WITHIN_MS, async () => (await keysUnder(kv, "o/")).length === 0);
    assert.equal(await countOf("AWAY-"), `${written}\t${written}\n`);
  });

  it("goes on after Kafka was killed in the middle and started again", async (test) => {
    const kv = await kvOf(test);
    const { feed, consumer } = pipelineOf(test, kafka.brokers, topicsOf("killed"), kv, clickHouseSink(client));
    let written = 0;
    const writeSome = async (count: number): Promise<void> => {
      await write(
        kv,
        Array.from({ length: count }, () => transactionRow({ uuid: `k${written++}`, terminalId: `KILLED-${written % 9}` })),
      );
      feed.wake();
    };
    await writeSome(3_000);
    await until("the first rows", COMES_WITHIN_MS, () => consumer.stats().inserted > 0);
    await writeSome(3_000);
    await kafka.process.kill();
    await writeSome(1_000);
    await until("a failure", COMES_WITHIN_MS, () => feed.stats().failures > 0);
    await kafka.restart();
    await writeSome(500);
    await until("an empty outbox", COMES_WITHIN_MS, async () => (await keysUnder(kv, "o/")).length === 0);
    assert.equal(await countOf("KILLED-"), `${written}\t${written}\n`);
  });

  it("repeats what a consumer had inserted and not confirmed when it was killed, and FINAL says once", async (test) => {
    const kv = await kvOf(test);
    const topics = topicsOf("repeat");
    const program = fileURLToPath(new URL("./kafka-unconfirmed.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", program], { stdio: ["pipe", "pipe", "inherit"] });
    test.after(() => child.kill("SIGKILL"));
    child.stdin.write(`${JSON.stringify({ brokers: kafka.brokers, topics, clickHouse: { url: world.clickhouse.url, ...ADMIN } })}\n`);
    const rows = Array.from({ length: 500 }, (_, index) => transactionRow({ uuid: `r${index}`, terminalId: `REPEAT-${index % 5}` }));
    await write(kv, rows);
    const feed = createKafkaFeed({
      kv,
      sink: kafkaSink({ brokers: kafka.brokers, clientId: "test", timers: machineTimers, topics }),
      clock: realClock,
      timers: machineTimers,
      topics,
    });
    test.after(() => feed.stop());
    const [line] = await once(child.stdout.setEncoding("utf8"), "data");
    assert.match(String(line), /^inserted /);
    assert.equal((await keysUnder(kv, "o/")).length, 500);
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
    const fedBefore = Number((await ask(world, "SELECT count() FROM transactions WHERE terminal_id LIKE 'REPEAT-%'")).text);
    assert.ok(fedBefore > 0);

    const address = { brokers: kafka.brokers, clientId: "test" };
    // Told apart by uuid: Kafka has some of them twice where its slow start made the producer send them again.
    const delivered = new Set<string>();
    const inner = clickHouseSink(client);
    const counting = sinkOf(async (batch) => {
      await deliver(inner, batch);
      for (const row of batch) if (row.type === "transaction") delivered.add(row.transaction.uuid);
    });
    const consumer = startKafkaConsumer({ ...address, kv, sink: counting, clock: realClock, timers: machineTimers, topics });
    test.after(() => consumer.stop());
    await until("an empty outbox", COMES_WITHIN_MS, async () => (await keysUnder(kv, "o/")).length === 0);
    assert.equal(delivered.size, 500);
    assert.equal(await countOf("REPEAT-"), "500\t500\n");
  });

  it("shares the partitions between consumers, and one takes over what another leaves", async (test) => {
    const kv = await kvOf(test);
    const topics = topicsOf("shared");
    const { feed, consumer } = pipelineOf(test, kafka.brokers, topics, kv, clickHouseSink(client));
    await until("the first member", COMES_WITHIN_MS, () => consumer.stats().partitions === 12);
    const address = { brokers: kafka.brokers, clientId: "second" };
    const second = startKafkaConsumer({ ...address, kv, sink: clickHouseSink(client), clock: realClock, timers: machineTimers, topics });
    test.after(() => second.stop());
    await until("a share each", COMES_WITHIN_MS, () => consumer.stats().partitions === 6 && second.stats().partitions === 6);
    let written = 0;
    const writeSome = async (count: number): Promise<void> => {
      await write(
        kv,
        Array.from({ length: count }, () => transactionRow({ uuid: `s${written++}`, terminalId: `SHARED-${written % 100}` })),
      );
      feed.wake();
    };
    await writeSome(4_000);
    await until("rows through both", COMES_WITHIN_MS, () => consumer.stats().inserted > 0 && second.stats().inserted > 0);
    await writeSome(4_000);
    await second.stop();
    await writeSome(2_000);
    await until("an empty outbox", COMES_WITHIN_MS, async () => (await keysUnder(kv, "o/")).length === 0);
    assert.equal(consumer.stats().partitions, 12);
    assert.equal(await countOf("SHARED-"), `${written}\t${written}\n`);
  });

  it("gives its batch up when the group rebalances while ClickHouse cannot be reached from here", async (test) => {
    const kv = await kvOf(test);
    const topics = topicsOf("given-up");
    const cutOff = sinkOf(() => Promise.reject(new Error("no route")));
    const { consumer, events } = pipelineOf(test, kafka.brokers, topics, kv, cutOff);
    const rows = Array.from({ length: 300 }, (_, index) => transactionRow({ uuid: `g${index}`, terminalId: `GIVEN-${index}` }));
    await write(kv, rows);
    await until("a failed insert", COMES_WITHIN_MS, () => events.some(({ type }) => type === "insert_away"));
    const address = { brokers: kafka.brokers, clientId: "second" };
    const second = startKafkaConsumer({ ...address, kv, sink: clickHouseSink(client), clock: realClock, timers: machineTimers, topics });
    test.after(() => second.stop());
    await until("the other's share", 20_000, () => second.stats().partitions === 6);
    await consumer.stop();
    await until("an empty outbox", COMES_WITHIN_MS, async () => (await keysUnder(kv, "o/")).length === 0);
    assert.equal(await countOf("GIVEN-"), "300\t300\n");
    assert.equal(consumer.stats().inserted, 0);
  });

  it("produces in one node at a time, and again what the topic has lost", async (test) => {
    const kv = await kvOf(test);
    const topics = topicsOf("turn");
    // A node that produced and never came back: nobody consumes, and its topic is lost.
    const sinkOf = (): ReturnType<typeof kafkaSink> =>
      kafkaSink({ brokers: kafka.brokers, clientId: "test", timers: machineTimers, topics });
    const first = createKafkaFeed({ kv, sink: sinkOf(), clock: realClock, timers: machineTimers, topics });
    test.after(() => first.stop());
    await until("the lease", COMES_WITHIN_MS, () => first.stats().producing);
    const second = createKafkaFeed({ kv, sink: sinkOf(), clock: realClock, timers: machineTimers, topics });
    test.after(() => second.stop());
    const longAgo = Date.now() - 60_000;
    await write(kv, [transactionRow({ uuid: "t1", terminalId: "TURN" })], longAgo);
    await write(kv, [transactionRow({ uuid: "t2", terminalId: "TURN" })]);
    first.wake();
    await until("production", COMES_WITHIN_MS, () => first.stats().produced === 2);
    assert.equal(second.stats().producing, false);
    assert.equal(second.stats().produced, 0);

    const admin = kafkaClient({ brokers: kafka.brokers, clientId: "test" }).admin();
    await admin.connect();
    const ends = await admin.fetchTopicOffsets(topics.rows);
    await admin.deleteTopicRecords({ topic: topics.rows, partitions: ends.map(({ partition, high }) => ({ partition, offset: high })) });
    await admin.disconnect();
    await first.stop();
    await until("the second's lease", 5_000, () => second.stats().producing);
    const consumer = startKafkaConsumer({
      brokers: kafka.brokers,
      clientId: "test",
      kv,
      sink: clickHouseSink(client),
      clock: realClock,
      timers: machineTimers,
      topics,
    });
    test.after(() => consumer.stop());
    await until("an empty outbox", COMES_WITHIN_MS, async () => (await keysUnder(kv, "o/")).length === 0);
    assert.ok(second.stats().repeated >= 1);
    assert.equal(await countOf("TURN"), "2\t2\n");
  });
});
