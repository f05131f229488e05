import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WAITERS_MAX } from "../../../engine/kernel/limits.ts";
import { createWaiters } from "../../../engine/terminals/waiters.ts";
import { ManualClock } from "../world.ts";

describe("waiters", () => {
  it("are woken by what happens to their terminal, all at once, and by nothing else", async () => {
    const clock = new ManualClock();
    const waiters = createWaiters(clock);
    const waiting = [waiters.next("T1", clock.monotonicMs() + 1_000), waiters.next("T1", clock.monotonicMs() + 2_000)];
    const other = waiters.next("T2", clock.monotonicMs() + 1_000);
    waiters.wake("T1");
    assert.deepEqual(await Promise.all(waiting), [true, true]);
    assert.equal(waiters.count(), 1);
    clock.advance(1_000);
    waiters.tick();
    assert.equal(await other, false);
    assert.equal(waiters.count(), 0);
  });

  it("are let go at their deadline", async () => {
    const clock = new ManualClock();
    const waiters = createWaiters(clock);
    const soon = waiters.next("T1", clock.monotonicMs() + 1_000);
    const later = waiters.next("T1", clock.monotonicMs() + 2_000);
    clock.advance(1_500);
    waiters.tick();
    assert.equal(await soon, false);
    assert.equal(waiters.count(), 1);
    waiters.wake("T1");
    assert.equal(await later, true);
  });

  it("do not wait for a deadline that has passed", async () => {
    const clock = new ManualClock();
    assert.equal(await createWaiters(clock).next("T1", clock.monotonicMs()), false);
  });

  it("are bounded: one too many is answered at once", async () => {
    const clock = new ManualClock();
    const waiters = createWaiters(clock);
    for (let index = 0; index < WAITERS_MAX; index += 1) void waiters.next(`T${index % 100}`, clock.monotonicMs() + 1_000);
    assert.equal(await waiters.next("T1", clock.monotonicMs() + 1_000), false);
    assert.equal(waiters.count(), WAITERS_MAX);
  });
});
