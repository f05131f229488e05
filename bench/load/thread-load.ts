import { readdirSync, readFileSync } from "node:fs";

/** How busy a process was. A share of 1 is one core. */
export interface ThreadLoad {
  /** Of its busiest thread, which is the one that serves: time on a core. */
  busiestShare: number;
  /** Of the same thread: time in which it wanted a core and had none, because others used them. */
  waitingShare: number;
  /** Of all its threads. */
  processShare: number;
}

interface ThreadTimes {
  runMs: number;
  waitMs: number;
}

/** Starts to watch the threads of a process; the answer tells how busy they were since. Null where there is no Linux scheduler to ask. */
export function watchThreads(pid: number): () => ThreadLoad | null {
  const startedMs = performance.now();
  const before = threadTimes(pid);
  return () => {
    const after = threadTimes(pid);
    const elapsedMs = performance.now() - startedMs;
    if (before === null || after === null) return null;
    let busiest: ThreadTimes = { runMs: 0, waitMs: 0 };
    let totalMs = 0;
    for (const [thread, times] of after) {
      const earlier = before.get(thread) ?? { runMs: 0, waitMs: 0 };
      const since = { runMs: times.runMs - earlier.runMs, waitMs: times.waitMs - earlier.waitMs };
      totalMs += since.runMs;
      if (since.runMs > busiest.runMs) busiest = since;
    }
    return { busiestShare: busiest.runMs / elapsedMs, waitingShare: busiest.waitMs / elapsedMs, processShare: totalMs / elapsedMs };
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
