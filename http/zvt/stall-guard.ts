import * as limits from "./limits.ts";

/**
 * Says whether this process has just slept longer than a register waits for an acknowledgement. A 06-01 that it reads then may be one whose register has gone to
 * another node meanwhile, and has been told there: taken for a sale of its own it would be charged twice.
 */
export interface StallGuard {
  /** To be called every `limits.STALL_TICK_MS`. */
  tick(): void;
  hasJustSlept(): boolean;
}

export function createStallGuard(monotonicMs: () => number): StallGuard {
  let tickedAtMs = monotonicMs();
  let untilMs = Number.NEGATIVE_INFINITY;

  function look(): number {
    const nowMs = monotonicMs();
    if (nowMs - tickedAtMs > limits.STALL_MS) untilMs = nowMs + limits.AFTER_STALL_MS;
    return nowMs;
  }

  return {
    tick: () => {
      tickedAtMs = look();
    },
    hasJustSlept: () => look() < untilMs,
  };
}
