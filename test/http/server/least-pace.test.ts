import assert from "node:assert/strict";
import { test } from "node:test";
import { LeastPace } from "../../../http/server/least-pace.ts";

function paceOf(bytesPerSecond: number, graceMs: number) {
  const state = { nowMs: 1_000 };
  const pace = new LeastPace(bytesPerSecond, graceMs, () => state.nowMs);
  /** The client moves so many bytes every so often; answers with the time until it is given up, null where it is not. */
  const lasts = (bytes: number, everyMs: number): number | null => {
    const sinceMs = state.nowMs;
    for (let turns = 0; turns < 1_000; turns += 1) {
      const untilMs = pace.awaitClient();
      if (untilMs < state.nowMs + everyMs) return untilMs - sinceMs;
      state.nowMs += everyMs;
      pace.moved(bytes);
    }
    return null;
  };
  return { state, pace, lasts };
}

test("a client that keeps to the pace is never given up, in small pieces or in large ones", () => {
  assert.equal(paceOf(1_000, 10_000).lasts(1_000, 1_000), null);
  assert.equal(paceOf(1_000, 10_000).lasts(9_000, 9_000), null);
});

test("one that moves a byte now and then is given up soon after the grace", () => {
  const lastsMs = paceOf(1_000, 10_000).lasts(1, 500);
  assert.ok(lastsMs !== null && lastsMs >= 10_000 && lastsMs < 10_500, String(lastsMs));
});

test("what it moved fast before earns it no more than the grace", () => {
  const { pace, lasts } = paceOf(1_000, 10_000);
  pace.moved(50_000_000);
  const lastsMs = lasts(1, 500);
  assert.ok(lastsMs !== null && lastsMs < 10_500, String(lastsMs));
});

test("time in which the client is not waited for costs it nothing", () => {
  const { state, pace } = paceOf(1_000, 10_000);
  pace.awaitClient();
  state.nowMs += 9_000;
  pace.moved(0);
  state.nowMs += 60_000;
  assert.equal(pace.awaitClient(), state.nowMs + 1_000);
});
