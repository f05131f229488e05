import type { Timers } from "../../../../engine/kernel/timers.ts";
import { machineTimers } from "../../../../infra/node/boot/machine-timers.ts";

/** So often as long: where Redis is there, nobody is told that it is not because a busy machine stood still. */
const PATIENCE = 60;

/** For what is not about a wait that ends. */
export const patientTimers: Timers = { ...machineTimers, set: (ms, work) => machineTimers.set(PATIENCE * ms, work) };

/** For what is: a wait ends at once, and how long it would have lasted is noted. */
export function impatientTimers(): { timers: Timers; limitsMs: number[] } {
  const limitsMs: number[] = [];
  const set: Timers["set"] = (ms, work) => {
    limitsMs.push(ms);
    return machineTimers.set(0, work);
  };
  return { timers: { ...machineTimers, set }, limitsMs };
}
