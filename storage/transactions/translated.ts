import { RelayError } from "../../engine/kernel/errors.ts";

/** The messages for a late response of ClickHouse, or none. */
export interface AwayTexts {
  late: string;
  away: string;
}

/**
 * Runs `work` until it ends, or until `signal` reports that it is late or its caller has gone.
 * Converts errors to those that a caller may see.
 */
export async function translated<T>(signal: AbortSignal, { late, away }: AwayTexts, work: () => Promise<T>): Promise<T> {
  let end = (): void => {};
  // A search of the outbox continues and keeps its turn, but its caller gets a response.
  const ended = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason);
  });
  signal.addEventListener("abort", end);
  try {
    return await Promise.race([work(), ended]);
  } catch (error) {
    // Nothing has failed if the caller has gone.
    if (signal.reason instanceof RelayError) throw signal.reason;
    if (error instanceof RelayError) throw error;
    const isLate = signal.aborted || (error instanceof Error && "code" in error && LATE_CODES.has(String(error.code)));
    throw new RelayError("unavailable", isLate ? late : away, { cause: error, retryAfterSeconds: 5 });
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/**
 * The codes with which ClickHouse itself ends a query: over its time, over its memory, or behind
 * others.
 */
const LATE_CODES = new Set(["159", "160", "202", "241"]);

/** Returns a signal that aborts with either of the two. */
export function either(signal: AbortSignal, gone: AbortSignal | undefined): AbortSignal {
  return gone === undefined ? signal : AbortSignal.any([signal, gone]);
}
