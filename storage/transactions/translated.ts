import { RelayError } from "../../engine/kernel/errors.ts";

/** What a caller is told where ClickHouse did not answer in time, or not at all. */
export interface AwayTexts {
  late: string;
  away: string;
}

/** Runs `work` until it ends or `signal` says that it is late, or that its asker has gone; what went wrong, as a caller may know it. */
export async function translated<T>(signal: AbortSignal, { late, away }: AwayTexts, work: () => Promise<T>): Promise<T> {
  let end = (): void => {};
  // A search of the outbox goes on and keeps its turn, but its caller is answered.
  const ended = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason);
  });
  signal.addEventListener("abort", end);
  try {
    return await Promise.race([work(), ended]);
  } catch (error) {
    // Nothing has failed where the asker has gone.
    if (signal.reason instanceof RelayError) throw signal.reason;
    if (error instanceof RelayError) throw error;
    const isLate = signal.aborted || (error instanceof Error && "code" in error && LATE_CODES.has(String(error.code)));
    throw new RelayError("unavailable", isLate ? late : away, { cause: error, retryAfterSeconds: 5 });
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** ClickHouse ended the query by itself: its time, its memory, or its place behind others. */
const LATE_CODES = new Set(["159", "160", "202", "241"]);

/** Aborted when either is. */
export function either(signal: AbortSignal, gone: AbortSignal | undefined): AbortSignal {
  return gone === undefined ? signal : AbortSignal.any([signal, gone]);
}
