import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hashOf } from "../../../engine/kernel/hash.ts";
import { createWaitingCounters, waitingCountersBuffer } from "../../../engine/terminals/waiting-counters.ts";

describe("the counters of what waits", () => {
  it("are seen by every shard that has the buffer", () => {
    const buffer = waitingCountersBuffer();
    const home = createWaitingCounters(buffer);
    const other = createWaitingCounters(buffer);
    assert.equal(other.mayWait("T1"), false);
    home.add("T1", 2);
    assert.equal(other.mayWait("T1"), true);
    home.add("T1", -1);
    assert.equal(other.mayWait("T1"), true);
    home.add("T1", -1);
    assert.equal(other.mayWait("T1"), false);
  });
});

describe("the hash of a terminal id", () => {
  it("is the same for ever: it decides where a terminal is at home", () => {
    assert.equal(hashOf("SIM00001"), 1_468_413_748);
  });

  it("spreads ids that differ in one digit over shards and counters", () => {
    for (const shards of [2, 3, 4, 8]) {
      const counts = new Array<number>(shards).fill(0);
      for (let index = 0; index < 8_000; index += 1) {
        const shard = hashOf(`0${90_000_000 + index}`) % shards;
        counts[shard] = (counts[shard] ?? 0) + 1;
      }
      for (const count of counts) assert.ok(Math.abs(count / (8_000 / shards) - 1) < 0.1, `${shards} shards: ${counts}`);
    }
    const slots = new Set(Array.from({ length: 10_000 }, (_, index) => hashOf(`POS${index}`) & 65_535));
    // 10,000 balls into 65,536 boxes fill about 9,274 of them.
    assert.ok(slots.size > 9_100, String(slots.size));
  });
});
