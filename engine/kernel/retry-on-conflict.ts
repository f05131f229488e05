import { RelayError } from "./errors.ts";

/** An attempt answers this when something that it had read was changed before its commit. */
export const CONFLICT: unique symbol = Symbol("conflict");

/**
 * Reads, decides and commits again until nothing came between. `attemptsMax` is how many changes by others may come first before the caller is told that
 * something is wrong: each lost attempt means that another one was stored.
 * @throws what `exhausted` makes after that; RelayError `unavailable` where it is left out
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
  return new RelayError("unavailable", "Too many concurrent changes; try again", { retryAfterSeconds: 1 });
}
