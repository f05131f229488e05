import type { Timer, Timers } from "../../../engine/kernel/timers.ts";

/** The machine's timers. They keep the process running while one of them is set. */
export const machineTimers: Timers = {
  set: (ms, work) => afterReading(work, (due) => setTimeout(due, ms)),
  every: (ms, work) => afterReading(work, (due) => setInterval(due, ms)),
  soon: (work) => {
    setImmediate(work);
  },
};

/** Timers that do not keep the process running, such as the deadlines of requests. */
export const backgroundTimers: Timers = {
  set: (ms, work) => afterReading(work, (due) => setTimeout(due, ms).unref()),
  every: (ms, work) => afterReading(work, (due) => setInterval(due, ms).unref()),
  soon: machineTimers.soon,
};

/**
 * Does the work once what has arrived was read. After a thread has stood still, Node runs the timers that are due before it looks at its sockets and ports: an
 * answer that has been there for long would find its request given up.
 */
function afterReading(work: () => void, start: (due: () => void) => NodeJS.Timeout): Timer {
  let waiting: NodeJS.Immediate | undefined;
  const timer = start(() => {
    waiting = setImmediate(work);
  });
  return {
    clear: () => {
      // Of intervals, too.
      clearTimeout(timer);
      clearImmediate(waiting);
    },
  };
}
