import type { Timers } from "../../engine/kernel/timers.ts";
import { atMost, pause } from "./pause.ts";

/** How often a node checks whether the node with the lease has finished or is down. */
const LEASE_PAUSE_MS = 5_000;

/**
 * Pauses after a failure. ClickHouse or the store may be down, or busy with more important work.
 */
const BACKOFF_MIN_MS = 1_000;
const BACKOFF_MAX_MS = 60_000;

const STOP_TIMEOUT_MS = 5_000;

/**
 * `waits` means that the work is not possible yet, that another node does it or has taken over, or
 * that it was stopped.
 */
export type Attempted = "done" | "waits";

/** Work that one of an installation's nodes does once, in the background. */
export interface OnceInBackground {
  /** Resolves when the work is done or was stopped. */
  readonly ended: Promise<void>;
  /** Ends after the step in progress, and waits a few seconds at most. */
  stop(): Promise<void>;
}

/**
 * Tries the work until it is done, and never fails. It calls `away` for the first failure in a row.
 */
export function onceInBackground(
  timers: Timers,
  attempt: (signal: AbortSignal) => Promise<Attempted>,
  away: (error: unknown) => void,
): OnceInBackground {
  const stopping = new AbortController();
  const ended = run(timers, attempt, away, stopping.signal);
  return {
    ended,
    stop: async () => {
      stopping.abort();
      await atMost(timers, STOP_TIMEOUT_MS, ended);
    },
  };
}

async function run(
  timers: Timers,
  attempt: (signal: AbortSignal) => Promise<Attempted>,
  away: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  let pauseMs = BACKOFF_MIN_MS;
  let isAway = false;
  while (!signal.aborted) {
    try {
      if ((await attempt(signal)) === "done") return;
      isAway = false;
      pauseMs = BACKOFF_MIN_MS;
      await pause(timers, LEASE_PAUSE_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!isAway) away(error);
      isAway = true;
      await pause(timers, pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, BACKOFF_MAX_MS);
    }
  }
}
