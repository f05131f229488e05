import assert from "node:assert/strict";
import { ranked } from "../../engine/payments/row-version.ts";
import { describe, it } from "node:test";
import { type ClusterMessage, decodeMessages, encodeMessages } from "../../storage/bus/cluster/envelope.ts";
import { createMembership, type NodeFacts } from "../../storage/bus/cluster/membership.ts";
import { failureOf } from "../../storage/bus/thread-protocol.ts";
import { decodeFeedMessage, encodeFeedMessage } from "../../storage/feed/kafka/kafka-message.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import { machineTimers } from "../../infra/node/boot/machine-timers.ts";
import { SCHEMAS } from "../../engine/kernel/schemas.ts";
import { goldenForms } from "./forms.ts";
import { MESSAGE_EXAMPLES } from "./message-examples.ts";
import { AT_MS, ROWS, type Whole } from "./stored-examples.ts";

const golden = goldenForms("message-forms.json");

/** The version of the outbox entry in a message. */
const STORE_VERSION = 1_778_051_289_123_456;

const [from, to] = ["node-1#1/shard-0", "node-2#1/shard-0"];

const FACTS: Whole<NodeFacts> = {
  nodeId: "node-1",
  incarnation: "node-1#1",
  shards: 1,
  startedAtMs: AT_MS,
  version: "0.2.0",
  schemas: { terminal: [3, 1, 3] },
  settings: { key: "k", digests: { RELAY_MODE: "d" } },
  draining: true,
};

/** Returns messages as a reader of a stream gets them. */
function told(messages: readonly ClusterMessage[]): unknown {
  const decoded = decodeMessages(encodeMessages(messages));
  assert.ok(decoded !== null, "it cannot read what it writes");
  return JSON.parse(JSON.stringify(decoded));
}

describe("what nodes tell each other", () => {
  it("has the form of its number", () => {
    const failure = failureOf(new RelayError("too_busy", "Too many", { retryAfterSeconds: 1 }));
    assert.ok(failure !== null);
    const kinds = Object.entries(MESSAGE_EXAMPLES).map(([kind, { request, responses }]) => [
      kind,
      told([
        { type: "ask", from, to, id: 1, kind, body: request, askedAtMs: AT_MS, timeoutMs: 1_000 },
        { type: "tell", from, to, kind, body: request },
        ...responses.map((body): ClusterMessage => ({ type: "answer", from: to, to: from, id: 1, body })),
      ]),
    ]);
    const failures = told([{ type: "failure", from: to, to: from, id: 1, failure }]);
    golden.assertWritten("streamMessage", SCHEMAS.streamMessage.writes, { ...Object.fromEntries(kinds), failures });
  });

  it("says of an entry of another number that it cannot be read", () => {
    const bytes = encodeMessages([{ type: "tell", from, to, kind: "terminal.work", body: { terminalId: "T1" } }]);
    assert.notEqual(decodeMessages(bytes), null);
    // The number comes first in the list of two.
    for (const number of [SCHEMAS.streamMessage.reads[0] - 1, SCHEMAS.streamMessage.reads[1] + 1]) {
      bytes[1] = number;
      assert.equal(decodeMessages(bytes), null);
    }
  });

  it("has the form of its number where a node tells of itself", async () => {
    const facts: unknown[] = [];
    const membership = createMembership({
      script: async (_, text) => {
        facts.push(JSON.parse(text));
        return [AT_MS, "1"];
      },
      self: FACTS,
      clock: { nowMs: () => AT_MS, monotonicMs: () => 0 },
      timers: machineTimers,
      changed: () => undefined,
      looked: () => undefined,
      membershipExpired: async () => undefined,
      granted: () => undefined,
      failed: () => undefined,
    });
    await membership.join();
    await membership.leave();
    golden.assertWritten("membership", SCHEMAS.membership.writes, facts[0]);
  });
});

describe("what goes to Kafka", () => {
  it("has the form of its number, and is read", () => {
    const values = ROWS.map((row, index) => encodeFeedMessage(`o/${AT_MS}-w-${index}`, JSON.stringify(row), STORE_VERSION));
    const { writes } = SCHEMAS.feedMessage;
    golden.assertWritten(
      "feedMessage",
      writes,
      values.map((value) => value.toString()),
    );
    assert.deepEqual(
      values.map(decodeFeedMessage),
      ROWS.map((row, index) => ({ type: "row", outboxKey: `o/${AT_MS}-w-${index}`, row: row.type === "conflict" ? row : { ...ranked(row), storeVersion: STORE_VERSION } })),
    );
  });

  const { reads } = SCHEMAS.feedMessage;
  for (let number = reads[0]; number <= reads[1]; number += 1) {
    it(`reads number ${number}`, () => {
      const texts = golden.written("feedMessage", number);
      assert.ok(Array.isArray(texts), `there is no example of number ${number}, which is said to be read`);
      golden.assertRead("feedMessage", number, texts.map((text) => decodeFeedMessage(Buffer.from(String(text)))));
    });
  }
});
