/** In which order jobs run, and which run at the same time. */
import { type Cost, costOf, type Job } from "./jobs.ts";

/** Servers and browsers of more jobs than this want more memory than a small machine has. */
const JOBS_AT_ONCE_MAX = 6;

/** A job that mostly waits still takes a part of a core when it starts. */
const LEAST_SHARE = 0.2;

/** How many cores a job keeps busy while it runs. */
function shareOf(cost: Cost): number {
  return Math.max(LEAST_SHARE, cost.processorSeconds / Math.max(cost.seconds, 0.1));
}

/**
 * Runs all jobs, the longest first, until `signal` aborts. A job starts when the cores have room for its share, so that those that wait run beside those
 * that compute.
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
    if (running.size === JOBS_AT_ONCE_MAX || signal.aborted) return undefined;
    const used = [...running.values()].reduce((sum, { share }) => sum + share, 0);
    const index = waiting.findIndex((job) => running.size === 0 || used + shareOf(costOf(costs, job)) <= cores);
    return index < 0 ? undefined : waiting.splice(index, 1)[0];
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
