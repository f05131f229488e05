import { readdirSync, readFileSync } from "node:fs";

/** How busy a process was. A share of 1 is one core. */
export interface ThreadLoad {
  /** The thread that is meant by `serving`. */
  thread: string;
  /** Of the serving thread: time on a core. */
  servingShare: number;
  /** Of the same thread: time in which it wanted a core and had none, because others used them. */
  waitingShare: number;
  /** Of all threads: the store's own are in it. */
  processShare: number;
}

interface ThreadTimes {
  runMs: number;
  waitMs: number;
}

/**
 * Starts to watch the threads of a process; the answer tells how busy they were since. The serving thread is the named one or, where it is not
 * known yet, the busiest. Null where there is no Linux scheduler to ask.
 */
export function watchThreads(pid: number, serving: string | null): () => ThreadLoad | null {
  const startedMs = performance.now();
  const before = threadTimes(pid);
  return () => {
    const after = threadTimes(pid);
    const elapsedMs = performance.now() - startedMs;
    if (before === null || after === null) return null;
    let thread = "";
    let times: ThreadTimes = { runMs: 0, waitMs: 0 };
    let totalMs = 0;
    for (const [candidate, { runMs, waitMs }] of after) {
      const earlier = before.get(candidate) ?? { runMs: 0, waitMs: 0 };
      const since = { runMs: runMs - earlier.runMs, waitMs: waitMs - earlier.waitMs };
      totalMs += since.runMs;
      if (serving === null ? since.runMs < times.runMs : candidate !== serving) continue;
      thread = candidate;
      times = since;
    }
    return {
      thread,
      servingShare: times.runMs / elapsedMs,
      waitingShare: times.waitMs / elapsedMs,
      processShare: totalMs / elapsedMs,
    };
  };
}

function threadTimes(pid: number): Map<string, ThreadTimes> | null {
  try {
    const times = new Map<string, ThreadTimes>();
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const [run = "0", wait = "0"] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
      times.set(thread, { runMs: Number(run) / 1e6, waitMs: Number(wait) / 1e6 });
    }
    return times;
  } catch {
    // Not Linux, or a thread ended in between: the measurement is good without it.
    return null;
  }
}
