import { setTimeout as delay } from "node:timers/promises";

const FIRST_MS = 250;
const LONGEST_MS = 5_000;

/**
 * How long to wait before a request is repeated: what the relay asked for, else half to all of an interval that doubles with each attempt, so that clients do not
 * come back at the same moment.
 */
export function pauseMs(attempt: number, askedMs: number | null, random: () => number = Math.random): number {
  const intervalMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round((askedMs ?? intervalMs / 2) + (intervalMs / 2) * random());
}

/** Resolves when it is over, or at once when the signal aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}
