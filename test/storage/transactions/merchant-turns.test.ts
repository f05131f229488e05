import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Timers } from "../../../engine/kernel/timers.ts";
import { MerchantTurns } from "../../../storage/transactions/merchant-turns.ts";

/** Creates timers that fire on request. */
function world() {
  const set = new Set<() => void>();
  const timers: Timers = {
    set: (_, work) => {
      set.add(work);
      return { clear: () => void set.delete(work) };
    },
    every: () => ({ clear: () => {} }),
    soon: (work) => work(),
  };
  const turns = new MerchantTurns(timers);
  const running: string[] = [];
  const ends: (() => void)[] = [];
  const run = (merchantId: string, gone?: AbortSignal) =>
    turns.run(
      merchantId,
      1_000,
      () => {
        running.push(merchantId);
        return new Promise<void>((resolve) => ends.push(resolve));
      },
      gone,
    );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    turns,
    run,
    running,
    settled,
    endOne: async () => {
      ends.shift()?.();
      await settled();
    },
    passTime: () => {
      for (const work of [...set]) {
        set.delete(work);
        work();
      }
    },
    timersSet: () => set.size,
  };
}

const busy = { code: "unavailable", retryAfterSeconds: 2 };

describe("the turns of merchants", () => {
  it("drops callers that have gone while waiting", async () => {
    const { turns, run, running, settled, endOne, timersSet } = world();
    const leaving = new AbortController();
    const all = [run("a"), run("a")];
    const leaves = run("a", leaving.signal);
    const stays = run("a");
    leaving.abort(new Error("gone"));
    await assert.rejects(leaves, /gone/);
    await settled();
    assert.equal(running.length, 2);
    await endOne();
    assert.equal(running.length, 3);
    for (let left = 0; left < 2; left += 1) await endOne();
    await Promise.all([...all, stays]);
    await assert.rejects(run("a", leaving.signal), /gone/);
    assert.deepEqual([turns.merchants, timersSet()], [0, 0]);
  });

  it("allows two at once for each merchant, and four in total", async () => {
    const { turns, run, running, settled, endOne } = world();
    const all = ["a", "a", "a", "b", "b", "c"].map((merchantId) => run(merchantId));
    await settled();
    assert.deepEqual(running, ["a", "a", "b", "b"]);
    await endOne();
    // The third of `a` has a place of its merchant now, and waits behind `c` for a common place.
    assert.deepEqual(running, ["a", "a", "b", "b", "c"]);
    for (let index = 0; index < 5; index += 1) await endOne();
    await Promise.all(all);
    assert.deepEqual(running, ["a", "a", "b", "b", "c", "a"]);
    assert.equal(turns.merchants, 0);
  });

  it("rejects callers if too many wait, or for too long, and works again after a failure", async () => {
    const { turns, run, settled, endOne, passTime, timersSet } = world();
    const held = [run("a"), run("a")];
    const waiting = Array.from({ length: 8 }, () => assert.rejects(run("a"), busy));
    await settled();
    await assert.rejects(run("a"), busy);
    passTime();
    await Promise.all(waiting);
    assert.equal(timersSet(), 0);
    await endOne();
    await endOne();
    await Promise.all(held);
    for (let index = 0; index < 5; index += 1) {
      await assert.rejects(
        turns.run("a", 1_000, () => Promise.reject(new Error("away"))),
        /away/,
      );
    }
    assert.equal(turns.merchants, 0);
  });

  it("limits files to two for each merchant, keeps the last places for merchants without one, and releases each once", () => {
    const { turns } = world();
    const [giveBack, ...others] = ["a", "a", "b", "b", "c", "c"].map((merchantId) => turns.stream(merchantId));
    assert.ok(giveBack !== undefined);
    assert.throws(() => turns.stream("a"), { code: "unavailable", retryAfterSeconds: 10 });
    others.push(turns.stream("d"));
    assert.throws(() => turns.stream("d"), { code: "unavailable", retryAfterSeconds: 10 });
    others.push(turns.stream("e"));
    assert.throws(() => turns.stream("f"), { code: "unavailable", retryAfterSeconds: 10 });
    giveBack();
    giveBack();
    others.push(turns.stream("f"));
    assert.throws(() => turns.stream("g"), { code: "unavailable" });
    for (const end of others) end();
    assert.equal(turns.merchants, 0);
  });
});
