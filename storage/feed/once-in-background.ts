import type { Timers } from "../../engine/kernel/timers.ts";
import { atMost, pause } from "./pause.ts";

/** How often a node looks whether the one that has the lease is ready, or gone. */
const LEASE_PAUSE_MS = 5_000;

/** After a failure: ClickHouse or the store is away, or busy with what goes before this. */
const BACKOFF_MIN_MS = 1_000;
const BACKOFF_MAX_MS = 60_000;

const STOP_TIMEOUT_MS = 5_000;

/** `waits`: it cannot be done yet, or another node is at it, or has taken over; or it was stopped. */
export type Attempted = "done" | "waits";

/** Work that is done once for an installation while its nodes run, by one of them. */
export interface OnceInBackground {
  /** Resolves when there is no more to do, or it was stopped. */
  readonly ended: Promise<void>;
  /** Ends after what it is at; waits a few seconds at most. */
  stop(): Promise<void>;
}

/** Tries it until it is done; fails never. `away` is told of a failure once, until it goes on again. */
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
