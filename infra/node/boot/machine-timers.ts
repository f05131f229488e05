import type { Timer, Timers } from "../../../engine/kernel/timers.ts";

/** The machine's timers. They keep the process running while one of them is set. */
export const machineTimers: Timers = {
  set: (ms, work) => once(setTimeout(work, ms)),
  every: (ms, work) => again(setInterval(work, ms)),
  soon: (work) => {
    setImmediate(work);
  },
};

/** Timers that do not keep the process running, such as the deadlines of requests. */
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
