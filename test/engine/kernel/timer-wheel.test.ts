import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createTimerWheel, type Timed } from "../../../engine/kernel/timer-wheel.ts";

const START_MS = 1_700_000_000_000;

interface Named extends Timed {
  readonly name: string;
}

/** A wheel whose items go by their names. */
function namedWheel() {
  const wheel = createTimerWheel<Named>();
  const items = new Map<string, Named>();
  return {
    arm: (name: string, atMs: number | null) => {
      const item = items.get(name) ?? { name, slot: null };
      items.set(name, item);
      wheel.arm(item, atMs);
    },
    due: (nowMs: number) => wheel.due(nowMs).map(({ name }) => name),
    size: wheel.size,
  };
}

describe("the timer wheel", () => {
  it("fires a deadline once, when it has passed and not before", () => {
    const wheel = namedWheel();
    wheel.arm("a", START_MS + 1_000);
    assert.deepEqual(wheel.due(START_MS), []);
    assert.deepEqual(wheel.due(START_MS + 999), []);
    assert.deepEqual(wheel.due(START_MS + 1_000), ["a"]);
    assert.deepEqual(wheel.due(START_MS + 2_000), []);
    assert.equal(wheel.size(), 0);
  });

  it("goes by the last deadline of a key", () => {
    const wheel = namedWheel();
    wheel.due(START_MS);
    wheel.arm("a", START_MS + 1_000);
    wheel.arm("a", START_MS + 5_000);
    assert.deepEqual(wheel.due(START_MS + 1_000), []);
    wheel.arm("a", START_MS + 3_000);
    assert.deepEqual(wheel.due(START_MS + 3_000), ["a"]);
    wheel.arm("a", START_MS + 4_000);
    wheel.arm("a", null);
    assert.deepEqual(wheel.due(START_MS + 10_000), []);
  });

  it("fires a deadline that was past when it was armed at the next look", () => {
    const wheel = namedWheel();
    wheel.due(START_MS);
    wheel.arm("a", START_MS - 60_000);
    assert.deepEqual(wheel.due(START_MS + 100), ["a"]);
  });

  it("fires everything overdue after a jump of the clock, in order", () => {
    const wheel = namedWheel();
    wheel.due(START_MS);
    wheel.arm("late", START_MS + 3_600_000);
    wheel.arm("early", START_MS + 200);
    wheel.arm("never", START_MS + 90_000_000);
    assert.deepEqual(wheel.due(START_MS + 86_400_000), ["early", "late"]);
    assert.equal(wheel.size(), 1);
  });

  it("keeps its deadlines when wall time is set back", () => {
    const wheel = namedWheel();
    wheel.due(START_MS);
    wheel.arm("before", START_MS + 60_000);
    const backMs = START_MS - 3_600_000;
    assert.deepEqual(wheel.due(backMs), []);
    wheel.arm("after", backMs + 60_000);
    assert.deepEqual(wheel.due(backMs + 60_000), ["after"]);
    assert.deepEqual(wheel.due(START_MS + 60_000), ["before"]);
  });

  it("fires what was overdue when wall time was set back, once its time comes again", () => {
    const wheel = namedWheel();
    wheel.due(START_MS);
    wheel.arm("overdue", START_MS - 1_000);
    assert.deepEqual(wheel.due(START_MS - 5_000), []);
    assert.deepEqual(wheel.due(START_MS - 1_000), ["overdue"]);
  });

  it("fires a deadline once that was moved to and fro thousands of times", () => {
    const wheel = namedWheel();
    wheel.due(START_MS);
    wheel.arm("still", START_MS + 2_000);
    for (let move = 0; move < 10_000; move += 1) wheel.arm("moved", START_MS + 1_000 + (move % 50) * 100);
    wheel.arm("moved", START_MS + 2_000);
    assert.deepEqual(wheel.due(START_MS + 1_999), []);
    assert.deepEqual(wheel.due(START_MS + 2_000).sort(), ["moved", "still"]);
    assert.deepEqual(wheel.due(START_MS + 60_000), []);
  });

  it("agrees with a plain list of deadlines, whatever is armed and however time goes", () => {
    const key = fc.constantFrom("a", "b", "c", "d");
    const doing = fc.oneof(
      fc.record({ key, inMs: fc.oneof(fc.constant(null), fc.integer({ min: -500, max: 400_000 })) }),
      fc.record({ passMs: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: -100_000, max: 1_000_000 })) }),
    );
    fc.assert(
      fc.property(fc.array(doing, { maxLength: 60, size: "max" }), (doings) => {
        const wheel = namedWheel();
        const model = new Map<string, number>();
        let nowMs = START_MS;
        wheel.due(nowMs);
        for (const what of doings) {
          if ("key" in what) {
            const atMs = what.inMs === null ? null : nowMs + what.inMs;
            wheel.arm(what.key, atMs);
            if (atMs === null) model.delete(what.key);
            else model.set(what.key, atMs);
          } else {
            nowMs += what.passMs;
            for (const fired of wheel.due(nowMs)) {
              assert.ok((model.get(fired) ?? Number.POSITIVE_INFINITY) <= nowMs, `${fired} fired early`);
              model.delete(fired);
            }
            // What was armed overdue fires at the next slot, which a short step does not reach.
            if (Math.abs(what.passMs) < 200) continue;
            for (const [left, atMs] of model) assert.ok(atMs > nowMs - 200, `${left} did not fire`);
          }
          assert.equal(wheel.size(), model.size);
        }
      }),
    );
  });
});
