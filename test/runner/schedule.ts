/** In which order jobs run, and which run at the same time. */
import { type Cost, costOf, type Job } from "./jobs.ts";

/** Servers and browsers of more jobs than this want more memory than a small machine has. */
const JOBS_AT_ONCE_MAX = 3;

/** A job that mostly waits still takes a part of a core when it starts. */
const LEAST_SHARE = 0.2;

/** How many cores a job keeps busy while it runs. */
function shareOf(cost: Cost): number {
  return Math.max(LEAST_SHARE, cost.processorSeconds / Math.max(cost.seconds, 0.1));
}

/** With less of the cores free than this, another job would only slow the others down. */
const LEAST_ROOM = 0.3;

/**
 * Runs all jobs, the longest first, until `signal` aborts. The next one starts when the cores have some room, so that jobs run beside those that
 * wait; its own share may be larger than the room, since the shares are averages.
 */
export async function runInOrder(
  jobs: readonly Job[],
  costs: ReadonlyMap<string, Cost>,
  cores: number,
  signal: AbortSignal,
  run: (job: Job) => Promise<void>,
): Promise<void> {
  const waiting = [...jobs].sort((one, other) => costOf(costs, other).seconds - costOf(costs, one).seconds);
  const running = new Map<Job, { readonly share: number; readonly ended: Promise<void> }>();
  const next = (): Job | undefined => {
    const used = [...running.values()].reduce((sum, { share }) => sum + share, 0);
    const hasRoom = running.size === 0 || (running.size < JOBS_AT_ONCE_MAX && used + LEAST_ROOM <= cores);
    return hasRoom && !signal.aborted ? waiting.shift() : undefined;
  };
  for (;;) {
    const job = next();
    if (job !== undefined) {
      running.set(job, { share: shareOf(costOf(costs, job)), ended: run(job).finally(() => running.delete(job)) });
    } else if (running.size > 0) {
      await Promise.race([...running.values()].map(({ ended }) => ended));
    } else {
      return;
    }
  }
}
