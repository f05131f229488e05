import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import RequestQueue from "kafkajs/src/network/requestQueue/index.js";
import "../../../storage/feed/kafkajs-mended.ts";

function queueOf(test: TestContext): RequestQueue {
  const queue = new RequestQueue({ enforceRequestTimeout: false, maxInFlightRequests: null, requestTimeout: 1_000 });
  test.after(() => {
    if (queue.throttleCheckTimeoutId !== null) clearTimeout(queue.throttleCheckTimeoutId);
  });
  return queue;
}

describe("a connection of kafkajs", () => {
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
