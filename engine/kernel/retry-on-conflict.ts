import { RelayError } from "./errors.ts";

/** The result of an attempt if another commit changed something that it had read. */
export const CONFLICT: unique symbol = Symbol("conflict");

/**
 * Repeats an attempt (read, decide, commit) until there is no conflict, `attemptsMax` times at
 * most. Each conflict means that another change was stored, so more of them indicate a bug. Then it
 * throws the error of `exhausted`, by default RelayError `unavailable`.
 */
export async function retryOnConflict<T>(
  attemptsMax: number,
  attempt: () => Promise<T | typeof CONFLICT>,
  exhausted: () => unknown = contended,
): Promise<T> {
  for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
    const outcome = await attempt();
    if (outcome !== CONFLICT) return outcome;
  }
  throw exhausted();
}

function contended(): RelayError {
  return new RelayError("unavailable", "Too many concurrent changes; retry shortly", { retryAfterSeconds: 1 });
}
