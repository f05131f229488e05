import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SharedResults } from "../../../storage/transactions/shared-results.ts";

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

describe("the shared results", () => {
  it("runs the work once per key and time", async () => {
    const { state, of } = world();
    assert.deepEqual(await Promise.all([of("a"), of("a"), of("b")]), [1, 1, 2]);
    state.nowMs = 99;
    assert.equal(await of("a"), 1);
    state.nowMs = 100;
    assert.equal(await of("a"), 3);
    assert.equal(await of("a"), 3);
  });

  it("runs the work again after a failure", async () => {
    const { results, of } = world();
    await assert.rejects(
      results.of("a", () => Promise.reject(new Error("away"))),
      /away/,
    );
    assert.equal(await of("a"), 1);
  });

  it("ends the work when all waiting callers have gone, and not earlier", async () => {
    const { results, of } = world();
    const [one, other] = [new AbortController(), new AbortController()];
    let over: AbortSignal | undefined;
    const slow = (gone: AbortSignal) => {
      over = gone;
      return new Promise<number>((_, reject) => gone.addEventListener("abort", () => reject(gone.reason)));
    };
    const waiting = [results.of("a", slow, one.signal), results.of("a", slow, other.signal)];
    one.abort(new Error("one has gone"));
    await assert.rejects(Promise.resolve(waiting[0]), /one has gone/);
    assert.equal(over?.aborted, false);
    other.abort(new Error("the other has gone"));
    await assert.rejects(Promise.resolve(waiting[1]), /the other has gone/);
    assert.equal(over?.aborted, true);
    assert.equal(await of("a"), 1, "who asks next has it asked anew");
  });

  it("continues the work for a caller that stays", async () => {
    const { results } = world();
    const leaving = new AbortController();
    let answer = (_: number): void => {};
    const slow = () => new Promise<number>((resolve) => (answer = resolve));
    const stays = results.of("a", slow);
    const leaves = results.of("a", slow, leaving.signal);
    leaving.abort(new Error("gone"));
    await assert.rejects(leaves, /gone/);
    answer(7);
    assert.equal(await stays, 7);
  });

  it("limits its size by dropping the oldest", async () => {
    const { results, of } = world(3);
    for (const key of ["a", "b", "c", "d"]) await of(key);
    assert.equal(results.size, 3);
    assert.equal(await of("d"), 4);
    assert.equal(await of("b"), 2);
    assert.equal(await of("a"), 5);
    assert.equal(results.size, 3);
  });
});
