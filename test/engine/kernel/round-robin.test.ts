import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRoundRobin } from "../../../engine/kernel/round-robin.ts";

describe("a round", () => {
  it("names each entry in turn, and then the first again", () => {
    const set = new Set(["a", "b"]);
    const roundRobin = createRoundRobin(() => set.values());
    assert.deepEqual([roundRobin.next(), roundRobin.next(), roundRobin.next()], ["a", "b", "a"]);
  });

  it("has nothing to name while the map is empty, and goes on once it is not", () => {
    const map = new Map<string, number>();
    const roundRobin = createRoundRobin(() => map.keys());
    assert.equal(roundRobin.next(), undefined);
    map.set("a", 1);
    assert.equal(roundRobin.next(), "a");
    map.clear();
    assert.equal(roundRobin.next(), undefined);
  });

  it("passes over what was deleted, and comes to what was added meanwhile", () => {
    const map = new Map([
      ["a", 1],
      ["b", 2],
      ["c", 3],
    ]);
    const roundRobin = createRoundRobin(() => map.keys());
    roundRobin.next();
    map.delete("b");
    map.set("d", 4);
    assert.deepEqual([roundRobin.next(), roundRobin.next(), roundRobin.next()], ["c", "d", "a"]);
  });

  it("takes the oldest each time where it deletes what it names, over more than the table ever held at once", () => {
    const map = new Map<number, number>();
    const roundRobin = createRoundRobin(() => map.values());
    for (let added = 0; added < 100; added += 1) map.set(added, added);
    for (let added = 100; added < 5_000; added += 1) {
      const oldest = roundRobin.next();
      assert.equal(oldest, added - 100);
      map.delete(added - 100);
      map.set(added, added);
    }
  });
});
