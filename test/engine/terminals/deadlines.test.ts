import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDeadlines } from "../../../engine/terminals/deadlines.ts";
import { ManualClock, settle } from "../world.ts";

/** Deadlines of so many terminals that have passed together, `T0` first; each is carried out when the test says so. */
function world(terminals: number) {
  const clock = new ManualClock();
  const due = Array.from({ length: terminals }, (_, index) => `T${index}`);
  const begun: { terminalId: string; end(): void; fail(): void }[] = [];
  const armed: [string, number][] = [];
  const failures: unknown[] = [];
  const deadlines = createDeadlines({
    actors: { due: () => due.splice(0), arm: (terminalId, atMs) => armed.push([terminalId, atMs - clock.nowMs()]) },
    clock,
    passed: (terminalId) => new Promise((end, reject) => begun.push({ terminalId, end, fail: () => reject(new Error("away")) })),
    failed: (_what, error) => failures.push(error),
  });
  return { deadlines, due, begun, armed, failures };
}

describe("deadlines that have passed together", () => {
  it("are carried out a few at a time, the longest overdue first, whatever comes meanwhile", async () => {
    const { deadlines, due, begun } = world(1_000);
    deadlines.tick();
    assert.equal(begun.length, 32);
    due.push("later");
    deadlines.tick();
    assert.equal(begun.length, 32);
    for (let ended = 0; ended < begun.length; ended += 1) {
      begun[ended]?.end();
      await settle();
      assert.ok(begun.length <= ended + 1 + 32, "more than 32 at once");
    }
    assert.deepEqual(
      begun.map(({ terminalId }) => terminalId),
      [...Array.from({ length: 1_000 }, (_, index) => `T${index}`), "later"],
    );
  });

  it("are tried again a second later where that failed, and hold no other up", async () => {
    const { deadlines, begun, armed, failures } = world(33);
    deadlines.tick();
    begun[0]?.fail();
    await settle();
    assert.deepEqual(armed, [["T0", 1_000]]);
    assert.deepEqual(failures, [new Error("away")]);
    assert.equal(begun[32]?.terminalId, "T32");
  });
});
