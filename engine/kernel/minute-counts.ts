import { createRoundRobin } from "./round-robin.ts";

/** Limits the number of calls in any minute by key. */
export interface MinuteCounts {
  /**
   * Counts a call and resolves with 0. Over the limit it resolves with the time in ms until a call
   * is admitted, and does not count the call.
   */
  take(key: string, max: number): Promise<number>;
}

/**
 * A minute is counted in parts of a second, so that a key needs the same memory for 10,000 calls as
 * for 60. The first part of the window counts as a whole. So no minute ever has more calls than the
 * limit, and a call may wait for up to a second longer than necessary.
 */
export const PART_MS = 1_000;
export const WINDOW_PARTS = 61;

/** Maximum number of keys that one thread counts, in 25 MB. Beyond it an old key is removed. */
const KEYS_MAX = 50_000;

interface Counted {
  /** Counts by the part modulo WINDOW_PARTS. */
  readonly parts: Uint16Array;
  /** The latest part with a count. */
  latest: number;
}

/** Creates counts in the memory of one thread. */
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
    // Parts since the last call without any call.
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
      // The oldest parts leave the window first, until there is room for one call.
      let left = used;
      for (let age = WINDOW_PARTS - 1; age >= 0; age -= 1) {
        left -= parts[(part - age + WINDOW_PARTS) % WINDOW_PARTS] ?? 0;
        if (left < max) return (part - age + WINDOW_PARTS) * PART_MS - nowMs;
      }
      return WINDOW_PARTS * PART_MS;
    },
  };
}

/** Keys that are checked for an expired one, before a key that still counts is removed. */
const LOOKED_AT = 8;

/** After a failure the other counts are not queried for this long. */
const AWAY_MS = 1_000;

/** Returns counts that use `others`, and `own` while `others` are unavailable. */
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
