import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";

/** When requests leave, whatever the relay does. */
export interface Arrivals {
  readonly count: number;
  /** When the request of this index is due, in milliseconds from the start. */
  dueMs(index: number): number;
}

/** At a rate, after a ramp that rises to it evenly from zero. `forMs` is all of it, with the ramp. */
export function arrivalsAt({ ratePerSecond, forMs, rampMs }: { ratePerSecond: number; forMs: number; rampMs: number }): Arrivals {
  const perMs = ratePerSecond / 1_000;
  const inRamp = (perMs * rampMs) / 2;
  return {
    count: Math.max(1, Math.floor(inRamp + perMs * (forMs - rampMs))),
    // Through the ramp perMs / rampMs * t² / 2 requests have left until t.
    dueMs: (index) => (index < inRamp ? Math.sqrt((2 * index * rampMs) / perMs) : rampMs + (index - inRamp) / perMs),
  };
}

/** The clock of Node's timers ticks once a millisecond. */
const TICK_MS = 1;

/** Requests that leave in one turn where the generator is late; then answers are read. */
const BURST_MAX = 64;

/**
 * Calls `send` for each request when it is due, and never waits for what it does: what the relay is slow with counts from when it was due (no coordinated
 * omission). Resolves when the last one has been sent, or the signal aborts. `startedMs` is of `performance.now`.
 */
export async function sendOnSchedule(
  { count, dueMs }: Arrivals,
  { startedMs, signal, send }: { startedMs: number; signal: AbortSignal; send: (index: number, dueAtMs: number) => void },
): Promise<void> {
  let index = 0;
  while (index < count && !signal.aborted) {
    const earlyMs = startedMs + dueMs(index) - performance.now();
    if (earlyMs > 0) await delay(Math.max(TICK_MS, earlyMs), undefined, { signal }).catch(() => undefined);
    else await nextTurn();
    for (let sent = 0; sent < BURST_MAX && index < count && !signal.aborted; sent += 1, index += 1) {
      const dueAtMs = startedMs + dueMs(index);
      if (dueAtMs > performance.now()) break;
      send(index, dueAtMs);
    }
  }
}
