import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { StorageUnavailable } from "../../../../engine/kernel/kv.ts";
import { failureFacts } from "../../../../infra/node/observability/failure-facts.ts";
import { createFailureLog } from "../../../../infra/node/observability/failure-log.ts";
import { withoutMessage } from "../../../../infra/node/process/analytics.ts";

function world() {
  let nowMs = 0;
  const lines: { fields: object; text: string | undefined }[] = [];
  const failed = createFailureLog({
    logger: { error: (fields: unknown, text?: string) => void lines.push({ fields: Object(fields), text }) },
    addresses: { store: "redis-1:6379", clickhouse: "analytics:8123", kafka: "kafka-1:9092" },
    nowMs: () => nowMs,
  });
  return { lines, failed, after: (ms: number) => (nowMs += ms) };
}

const refused = () =>
  Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:8123"), { code: "ECONNREFUSED", address: "10.0.0.7", port: 8123 });
const away = () =>
  new RelayError("unavailable", "The store could not confirm this", { cause: new StorageUnavailable("Redis cannot be reached") });

describe("the log of failures", () => {
  it("says of an outage what is away, where and why, in one line without a stack", () => {
    const { lines, failed } = world();
    failed({ event: "clickhouse", key: "not started", error: refused(), facts: { what: "not started" }, service: "clickhouse" });
    assert.deepEqual(lines, [
      {
        fields: {
          event: "clickhouse",
          ...{ service: "clickhouse", address: "10.0.0.7:8123", code: "ECONNREFUSED", reason: "connect ECONNREFUSED 10.0.0.7:8123" },
          what: "not started",
        },
        text: "clickhouse: connect ECONNREFUSED 10.0.0.7:8123",
      },
    ]);
  });

  it("has one line a minute for one cause, wherever it is noticed, and says how many it stands for", () => {
    const { lines, failed, after } = world();
    for (let second = 0; second < 60; second += 1) {
      for (const key of ["presence", "sweep", "links"]) failed({ event: "engine failed", key, error: away() });
      after(1_000);
    }
    assert.equal(lines.length, 1);
    failed({ event: "engine failed", key: "presence", error: away() });
    assert.equal(lines.length, 2);
    assert.deepEqual(lines[1]?.fields, {
      ...{ event: "engine failed", service: "store", address: "redis-1:6379" },
      ...{ reason: "The store could not confirm this: Redis cannot be reached", suppressed: 179 },
    });
  });

  it("takes what is wrapped, told by text alone or by another thread for the same cause", () => {
    const { lines, failed } = world();
    failed({ event: "engine failed", key: "presence", error: away() });
    failed({ event: "store failed", key: "", error: new StorageUnavailable("Redis cannot be reached"), service: "store" });
    const text = "connect ECONNREFUSED 10.0.0.7:6379";
    failed({ event: "cluster", key: "redis", error: Object.assign(new Error(text), { code: "ECONNREFUSED" }), service: "store" });
    failed({ event: "witness failed", key: "", error: new StorageUnavailable("Redis did not answer", { cause: new Error(text) }) });
    failed({ event: "engine failed", key: "ask", error: new RelayError("unavailable", "shard-1 did not answer in time") });
    assert.deepEqual(
      lines.map(({ text: told }) => told),
      [
        "engine failed: The store could not confirm this: Redis cannot be reached",
        `cluster: ${text}`,
        "engine failed: shard-1 did not answer in time",
      ],
    );
  });

  it("has a line for each of two causes", () => {
    const { lines, failed } = world();
    failed({ event: "engine failed", key: "presence", error: away() });
    failed({
      event: "feed",
      key: "away",
      error: Object.assign(new Error("Connection timeout"), { name: "KafkaJSConnectionError", broker: "kafka-2:9092" }),
    });
    assert.deepEqual(
      lines.map(({ fields }) => Object.entries(fields).find(([name]) => name === "address")?.[1]),
      ["redis-1:6379", "kafka-2:9092"],
    );
  });

  it("shows the stack of a fault of the program, also where it met a service, once a minute", () => {
    const { lines, failed, after } = world();
    const fault = new TypeError("x is not a function");
    for (let second = 0; second < 30; second += 1) {
      failed({
        event: "clickhouse",
        key: "list failed",
        error: new StorageUnavailable("the store failed", { cause: fault }),
        service: "clickhouse",
      });
      after(2_000);
    }
    assert.equal(lines.length, 1);
    assert.ok(lines[0] !== undefined && "err" in lines[0].fields);
  });

  it("has a line for a fault that comes in the same second as an outage", () => {
    const { lines, failed } = world();
    failed({ event: "request failed", key: "sendPayment", error: away() });
    failed({ event: "request failed", key: "sendPayment", error: new TypeError("x is undefined") });
    assert.deepEqual(
      lines.map(({ fields }) => "err" in fields),
      [false, true],
    );
  });

  it("tells faults of the same words at two places of the program apart, and repeats neither", () => {
    const { lines, failed, after } = world();
    const one = () => new TypeError("x is undefined");
    const other = () => new TypeError("x is undefined");
    for (const made of [one, other, one, other]) {
      failed({ event: "engine failed", key: "links", error: made() });
      after(1_000);
    }
    assert.equal(lines.length, 2);
  });

  it("takes a fault for one, with its place, where its message was kept out; but not a network that fails", () => {
    const { lines, failed } = world();
    failed({ event: "feed", key: "away", error: withoutMessage(new TypeError("4111111111111111\n    at a row")), service: "clickhouse" });
    const [{ fields } = { fields: {} }] = lines;
    assert.ok("err" in fields && fields.err instanceof Error, JSON.stringify(fields));
    assert.match(fields.err.stack ?? "", /^TypeError: TypeError, code none\n {4}at .*failure-log\.test\.ts/);
    assert.doesNotMatch(String(fields.err.stack), /4111|a row/);
    failed({ event: "engine failed", key: "charge", error: new TypeError("fetch failed", { cause: refused() }) });
    assert.ok(!("err" in (lines[1]?.fields ?? {})), "an outage");
  });

  it("remembers of a cause no more than its beginning", () => {
    assert.ok(failureFacts(new Error("x".repeat(1_000_000))).cause.length <= 300);
  });

  it("keeps what an error says of a row out, and its code and address in", () => {
    const shown = withoutMessage(Object.assign(refused(), { message: "row with 4111111111111111" }));
    assert.equal(shown.message, "Error, code ECONNREFUSED");
    const { lines, failed } = world();
    failed({ event: "feed", key: "away", error: shown, service: "clickhouse" });
    assert.doesNotMatch(JSON.stringify(lines), /4111/);
    assert.match(JSON.stringify(lines), /"address":"10\.0\.0\.7:8123"/);
  });
});
