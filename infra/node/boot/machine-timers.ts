import type { Timer, Timers } from "../../../engine/kernel/timers.ts";

/** The machine's timers. They keep the process running while one of them is set. */
export const machineTimers: Timers = {
  set: (ms, work) => {
    const reading = afterReading(work);
    const timer = setTimeout(reading.begin, ms);
    return cleared(() => clearTimeout(timer), reading);
  },
  every: (ms, work) => {
    const reading = afterReading(work);
    const timer = setInterval(reading.begin, ms);
    return cleared(() => clearInterval(timer), reading);
  },
  soon: (work) => {
    setImmediate(work);
  },
};

/** Timers that do not keep the process running, such as the deadlines of requests. */
export const backgroundTimers: Timers = {
  set: (ms, work) => {
    const reading = afterReading(work);
    const timer = setTimeout(reading.begin, ms).unref();
    return cleared(() => clearTimeout(timer), reading);
  },
  every: (ms, work) => {
    const reading = afterReading(work);
    const timer = setInterval(reading.begin, ms).unref();
    return cleared(() => clearInterval(timer), reading);
  },
  soon: machineTimers.soon,
};

interface Reading {
  begin(): void;
  clear(): void;
}

/**
 * Does the work once what has arrived was read. After a thread has stood still, Node runs the timers that are due before it looks at its sockets and ports: an
 * answer that has been there for long would find its request given up.
 */
function afterReading(work: () => void): Reading {
  let waiting: NodeJS.Immediate | undefined;
  return {
    begin: () => {
      waiting = setImmediate(work);
    },
    clear: () => clearImmediate(waiting),
  };
}

function cleared(clear: () => void, reading: Reading): Timer {
  return {
    clear: () => {
      clear();
      reading.clear();
    },
  };
}
