import { createRoundRobin } from "./round-robin.ts";

/** Limits of so many calls in any minute, by a key. */
export interface MinuteCounts {
  /** Counts a call and answers 0, or answers with the time in ms until one is admitted; such a call is not counted. */
  take(key: string, max: number): Promise<number>;
}

/**
 * A minute is counted in parts of a second, so that a key needs no more memory for 10,000 calls than for 60. The part in which the window began counts
 * as a whole: no minute ever has more than the limit, and a call may have to wait for up to a second longer than it would have to.
 */
export const PART_MS = 1_000;
export const WINDOW_PARTS = 61;

/** How many keys one thread counts at once: 25 MB. Of more, one that was there for longest makes room. */
const KEYS_MAX = 50_000;

interface Counted {
  /** By the part modulo WINDOW_PARTS. */
  readonly parts: Uint16Array;
  /** The latest part that has a count. */
  latest: number;
}

/** Counts in the memory of one thread. */
export function createMinuteCounts(monotonicMs: () => number, keysMax = KEYS_MAX): MinuteCounts & { readonly size: number } {
  const keys = new Map<string, Counted>();
  const roundRobin = createRoundRobin(() => keys.keys());

  function countedAt(key: string, part: number): Counted {
    let counted = keys.get(key);
    if (counted === undefined) {
      if (keys.size >= keysMax) makeRoom(part);
      counted = { parts: new Uint16Array(WINDOW_PARTS), latest: part };
      keys.set(key, counted);
    }
    // Parts since the last call that have no call.
    const silent = Math.min(part - counted.latest, WINDOW_PARTS);
    for (let ago = 0; ago < silent; ago += 1) counted.parts[(part - ago) % WINDOW_PARTS] = 0;
    counted.latest = part;
    return counted;
  }

  function makeRoom(part: number): void {
    for (let looked = 0; looked < LOOKED_AT; looked += 1) {
      const key = roundRobin.next();
      if (key === undefined) return;
      const counted = keys.get(key);
      if (looked === LOOKED_AT - 1 || counted === undefined || part - counted.latest >= WINDOW_PARTS) {
        keys.delete(key);
        return;
      }
    }
  }

  return {
    get size() {
      return keys.size;
    },
    take: async (key, max) => {
      const nowMs = monotonicMs();
      const part = Math.floor(nowMs / PART_MS);
      const { parts } = countedAt(key, part);
      const used = parts.reduce((sum, count) => sum + count, 0);
      if (used < max) {
        parts[part % WINDOW_PARTS] = (parts[part % WINDOW_PARTS] ?? 0) + 1;
        return 0;
      }
      // The oldest parts leave the window first, until there is room for one.
      let left = used;
      for (let age = WINDOW_PARTS - 1; age >= 0; age -= 1) {
        left -= parts[(part - age + WINDOW_PARTS) % WINDOW_PARTS] ?? 0;
        if (left < max) return (part - age + WINDOW_PARTS) * PART_MS - nowMs;
      }
      return WINDOW_PARTS * PART_MS;
    },
  };
}

/** Keys that are looked at for one whose minute is over, before one makes room that is still counted. */
const LOOKED_AT = 8;

/** Without an answer nothing is asked for so long. */
const AWAY_MS = 1_000;

/** Counts that others keep, and while they cannot be asked those of `own`. */
export function createFallbackCounts(others: MinuteCounts, own: MinuteCounts, monotonicMs: () => number): MinuteCounts {
  let awayUntilMs = Number.NEGATIVE_INFINITY;
  return {
    take: async (key, max) => {
      if (monotonicMs() < awayUntilMs) return own.take(key, max);
      try {
        return await others.take(key, max);
      } catch {
        awayUntilMs = monotonicMs() + AWAY_MS;
        return own.take(key, max);
      }
    },
  };
}
