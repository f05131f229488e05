import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Scheduler } from "./scheduler.ts";

/** The clocks of one machine: its wall clock is off, and may be set. */
export class SimMachine {
  readonly #scheduler: Scheduler;
  readonly #bootedAtMs: number;
  /** Its wall clock less true time, milliseconds. */
  skewMs: number;

  constructor(scheduler: Scheduler, skewMs: number) {
    this.#scheduler = scheduler;
    this.#bootedAtMs = scheduler.nowMs - 5_000_000;
    this.skewMs = skewMs;
  }

  /** As the machine itself tells it. */
  readonly clock: Clock = {
    nowMs: () => this.#scheduler.nowMs + this.skewMs,
    monotonicMs: () => this.#scheduler.nowMs - this.#bootedAtMs,
  };
}

/** The clock of one node: wall time is the machine's and what was measured of Redis's (infra/node/boot/clock.ts). */
export interface NodeClock extends Clock {
  redisNowMs(): number;
  /** Redis's clock less the machine's, as it was measured last. */
  setOffset(offsetMs: number): void;
}

export function createNodeClock(machine: SimMachine): NodeClock {
  let offsetMs = 0;
  return {
    nowMs: () => Math.round(machine.clock.nowMs() + offsetMs),
    monotonicMs: machine.clock.monotonicMs,
    redisNowMs: () => machine.clock.nowMs() + offsetMs,
    setOffset: (measuredMs) => {
      offsetMs = measuredMs;
    },
  };
}
