/** A consumer in a process of its own that inserts what comes, says so, and never gets further: its parent kills it then. */
import { createInterface } from "node:readline";
import { machineTimers } from "../../../../infra/node/boot/machine-timers.ts";
import { type ClickHouseAddress, connectClickHouse } from "../../../../storage/clickhouse/client.ts";
import { clickHouseSink } from "../../../../storage/feed/clickhouse-sink.ts";
import { deliver } from "../../../../storage/feed/feed-sink.ts";
import { startKafkaConsumer } from "../../../../storage/feed/kafka/kafka-consumer.ts";
import type { FeedTopics } from "../../../../storage/feed/kafka/kafka-topics.ts";
import { realClock, sinkOf } from "../feed-world.ts";

interface Told {
  brokers: string[];
  topics: FeedTopics;
  clickHouse: ClickHouseAddress;
}

const unreachable = (): Promise<never> => Promise.reject(new Error("nothing is confirmed here"));

createInterface({ input: process.stdin }).once("line", (line) => {
  const { brokers, topics, clickHouse }: Told = JSON.parse(line);
  const inner = clickHouseSink(connectClickHouse(clickHouse));
  startKafkaConsumer({
    brokers,
    topics,
    clientId: "unconfirmed",
    clock: realClock,
    timers: machineTimers,
    kv: { get: unreachable, getMany: unreachable, scan: unreachable, count: unreachable, commit: unreachable, close: unreachable },
    sink: sinkOf(async (rows) => {
      await deliver(inner, rows);
      process.stdout.write(`inserted ${rows.length}\n`);
      await new Promise(() => undefined);
    }),
  });
});
process.stdin.on("end", () => process.exit());
