import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openSharedCounts, sharedCountsMemory } from "../../../engine/kernel/shared-counts.ts";

const SEED = 0x5eed_1234;

describe("counts that threads share", () => {
  it("take as many of a key as may be, in whichever thread, and one more for each that is given back", () => {
    const memory = sharedCountsMemory(SEED);
    const [one, other] = [openSharedCounts(memory), openSharedCounts(memory)];
    assert.deepEqual([one.take(1, 2, 3), other.take(1, 2, 3), one.take(1, 2, 3), other.take(1, 2, 3)], [true, true, true, false]);
    assert.equal(one.take(1, 3, 3), true, "another key has its own");
    one.giveBack(1, 2);
    assert.deepEqual([other.take(1, 2, 3), one.take(1, 2, 3)], [true, false]);
    for (let count = 0; count < 3; count += 1) other.giveBack(1, 2);
    assert.equal(one.take(1, 2, 1), true, "a refusal leaves nothing behind");
  });

  it("put keys that are alike on counters of their own, others with each seed", () => {
    const taken = (seed: number) => {
      const counts = openSharedCounts(sharedCountsMemory(seed));
      return Array.from({ length: 10_000 }, (_, index) => index).filter((index) => !counts.take(-1, 0x0a00_0000 + index, 1));
    };
    // Of ten thousand on a million counters some fifty meet another.
    const [one, other] = [taken(SEED), taken(SEED + 1)];
    for (const met of [one, other]) assert.ok(met.length < 100, `${met.length} of 10,000 meet another`);
    assert.ok(one.filter((index) => other.includes(index)).length < 10, "the same keys meet under another seed");
  });
});
