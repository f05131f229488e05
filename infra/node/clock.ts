import type { Clock } from "../../engine/ports/clock.ts";

/** Milliseconds that every thread of a node adds to its clocks, readable by all; for tests, which move it. */
export type ClockShift = SharedArrayBuffer;

export function createClockShift(): ClockShift {
  return new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
}

export function shiftClock(shift: ClockShift, byMs: number): void {
  const view = new Float64Array(shift);
  view[0] = (view[0] ?? 0) + byMs;
}

/** The machine's clocks; the monotonic one is the same on all threads of a process. */
export function createClock(shift: ClockShift): Clock {
  const shifted = new Float64Array(shift);
  return {
    nowMs: () => Date.now() + (shifted[0] ?? 0),
    monotonicMs: () => Number(process.hrtime.bigint() / 1_000n) / 1_000 + (shifted[0] ?? 0),
  };
}
