import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SharedResults } from "../../../storage/feed/shared-results.ts";

function world(max = 10) {
  const state = { nowMs: 0, asked: 0 };
  const results = new SharedResults<number>({ clock: { nowMs: () => 0, monotonicMs: () => state.nowMs }, keepMs: 100, max });
  const of = (key: string) =>
    results.of(key, async () => {
      state.asked += 1;
      return state.asked;
    });
  return { state, results, of };
}

describe("shared results", () => {
  it("are asked for once within their time, by key", async () => {
    const { state, of } = world();
    assert.deepEqual(await Promise.all([of("a"), of("a"), of("b")]), [1, 1, 2]);
    state.nowMs = 99;
    assert.equal(await of("a"), 1);
    state.nowMs = 100;
    assert.equal(await of("a"), 3);
    assert.equal(await of("a"), 3);
  });

  it("are asked for again after a failure", async () => {
    const { results, of } = world();
    await assert.rejects(
      results.of("a", () => Promise.reject(new Error("away"))),
      /away/,
    );
    assert.equal(await of("a"), 1);
  });

  it("are bounded: the oldest is forgotten", async () => {
    const { results, of } = world(3);
    for (const key of ["a", "b", "c", "d"]) await of(key);
    assert.equal(results.size, 3);
    assert.equal(await of("d"), 4);
    assert.equal(await of("b"), 2);
    assert.equal(await of("a"), 5);
    assert.equal(results.size, 3);
  });
});
