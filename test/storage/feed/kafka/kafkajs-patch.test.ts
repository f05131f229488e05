import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, it, type TestContext } from "node:test";
import RequestQueue from "kafkajs/src/network/requestQueue/index.js";
import "../../../../storage/feed/kafka/kafkajs-patch.ts";

function queueOf(test: TestContext): RequestQueue {
  const queue = new RequestQueue({ enforceRequestTimeout: false, maxInFlightRequests: null, requestTimeout: 1_000 });
  test.after(() => {
    if (queue.throttleCheckTimeoutId !== null) clearTimeout(queue.throttleCheckTimeoutId);
  });
  return queue;
}

describe("a connection of kafkajs", () => {
  it("is of the version that the patch is for: who upgrades looks whether it is needed still", () => {
    assert.equal(createRequire(import.meta.url)("kafkajs/package.json").version, "2.2.4");
  });

  it("does not look for requests that wait where there is none", (test) => {
    const queue = queueOf(test);
    queue.scheduleCheckPendingRequests();
    assert.equal(queue.throttleCheckTimeoutId, null);
  });

  it("looks for them where there is one", (test) => {
    const queue = queueOf(test);
    queue.pending.push({});
    queue.scheduleCheckPendingRequests();
    assert.notEqual(queue.throttleCheckTimeoutId, null);
  });
});
