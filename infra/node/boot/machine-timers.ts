import type { Timer, Timers } from "../../../engine/kernel/timers.ts";

/** The machine's timers. The process goes on for as long as one of them is set. */
export const machineTimers: Timers = {
  set: (ms, work) => once(setTimeout(work, ms)),
  every: (ms, work) => again(setInterval(work, ms)),
  soon: (work) => {
    setImmediate(work);
  },
};

/** The same for what is of no use by itself, such as the deadlines of questions: the process does not go on for their sake. */
export const backgroundTimers: Timers = {
  set: (ms, work) => once(setTimeout(work, ms).unref()),
  every: (ms, work) => again(setInterval(work, ms).unref()),
  soon: machineTimers.soon,
};

function once(timer: NodeJS.Timeout): Timer {
  return { clear: () => clearTimeout(timer) };
}

function again(timer: NodeJS.Timeout): Timer {
  return { clear: () => clearInterval(timer) };
}
