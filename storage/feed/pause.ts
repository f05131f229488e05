import type { Timers } from "../../engine/kernel/timers.ts";

/** Resolves after `ms` milliseconds, or as soon as the signal is aborted. */
export function pause(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.clear();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = timers.set(ms, end);
    signal.addEventListener("abort", end);
  });
}

/** Waits for `work`, for `ms` milliseconds at most. Rejects as the work does. */
export async function atMost(timers: Timers, ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([work, pause(timers, ms, over.signal)]);
  } finally {
    over.abort();
  }
}
