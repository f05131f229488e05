import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Kafka, logLevel } from "kafkajs";
import { kafkaMissing, startTestKafka, type TestKafka } from "../../support/node/kafka.ts";

describe("a broker of a test's own", { skip: await kafkaMissing() }, () => {
  let broker: TestKafka;
  before(async () => {
    broker = await startTestKafka();
  });
  after(() => broker.stop());

  it("keeps what it acknowledged over kill -9, on the same port", async () => {
    const kafka = new Kafka({ brokers: [...broker.brokers], logLevel: logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: "kept", numPartitions: 1 }] });
    const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    await producer.send({ topic: "kept", acks: -1, messages: [{ key: "T1", value: "one" }] });
    await broker.process.kill();
    await broker.restart();
    await producer.send({ topic: "kept", acks: -1, messages: [{ key: "T1", value: "two" }] });
    assert.deepEqual(
      (await admin.fetchTopicOffsets("kept")).map(({ high }) => high),
      ["2"],
    );
    await producer.disconnect();
    await admin.disconnect();
  });
});
