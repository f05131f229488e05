import type { Clock } from "../../../engine/kernel/clock.ts";

/**
 * Milliseconds that every thread of a node adds to its clocks: [0] to all clocks, for tests that move time; [1] to wall time, the
 * difference between Redis's clock and this machine's, so that the nodes of a cluster store the same times.
 */
export type ClockShift = SharedArrayBuffer;

export function createClockShift(): ClockShift {
  return new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT);
}

export function shiftClock(shift: ClockShift, byMs: number): void {
  const view = new Float64Array(shift);
  view[0] = (view[0] ?? 0) + byMs;
}

export function setRedisOffset(shift: ClockShift, offsetMs: number): void {
  new Float64Array(shift)[1] = offsetMs;
}

/** The machine's clocks; the monotonic one is the same on all threads of a process. */
export function createClock(shift: ClockShift): Clock & { redisNowMs(): number } {
  const shifted = new Float64Array(shift);
  // performance.now() counts from the start of each thread; it is a fraction of the cost of hrtime.
  const threadStartedAt = Number(process.hrtime.bigint() / 1_000n) / 1_000 - performance.now();
  return {
    nowMs: () => Math.round(Date.now() + (shifted[0] ?? 0) + (shifted[1] ?? 0)),
    monotonicMs: () => performance.now() + threadStartedAt + (shifted[0] ?? 0),
    redisNowMs: () => Date.now() + (shifted[1] ?? 0),
  };
}
