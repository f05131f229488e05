const SECOND_MS = 1_000;

/**
 * Spreads work over seconds, so that work that is due at once is not done at once. It counts the
 * work in each second, and chooses the first second with room within the slack, or else the one
 * with the least work.
 */
export interface Pacer {
  /** Returns a time between `wantedMs` and `slackMs` after it. */
  place(wantedMs: number, slackMs: number, nowMs: number): number;
}

/**
 * Creates a pacer. A second with less work than `freePerSecond` has room, and work in it is done
 * exactly when it is due. If the slack has no room, each call checks all its seconds. So choose a
 * slack with room for all the work of the owner.
 */
export function createPacer(freePerSecond: number): Pacer {
  const given = new Map<number, number>();
  let prunedAt = 0;
  /** The seconds from the first one to before the second one have no room. */
  let full: readonly [from: number, to: number] = [0, 0];

  /** Past seconds are forgotten, so that the table has only requested seconds in the future. */
  function prune(now: number): void {
    if (now === prunedAt) return;
    prunedAt = now;
    for (const second of given.keys()) if (second < now) given.delete(second);
    full = [Math.max(full[0], now), full[1]];
  }

  /** Returns the first second with room, or null if there is none. */
  function withRoom(first: number, last: number): number | null {
    const [from, to] = full;
    const known = first >= from && first < to;
    for (let second = known ? to : first; second <= last; second += 1) {
      if ((given.get(second) ?? 0) < freePerSecond) {
        full = [known ? from : first, second];
        return second;
      }
    }
    return null;
  }

  function withLeast(first: number, last: number): number {
    let best = first;
    for (let second = first; second <= last; second += 1) if ((given.get(second) ?? 0) < (given.get(best) ?? 0)) best = second;
    return best;
  }

  return {
    place: (wantedMs, slackMs, nowMs) => {
      prune(Math.floor(nowMs / SECOND_MS));
      const first = Math.floor(wantedMs / SECOND_MS);
      const last = Math.floor((wantedMs + slackMs) / SECOND_MS);
      const best = withRoom(first, last) ?? withLeast(first, last);
      const before = given.get(best) ?? 0;
      given.set(best, before + 1);
      // Work within a second is spread over it.
      return best === first ? wantedMs : Math.min(best * SECOND_MS + ((before * 617) % SECOND_MS), wantedMs + slackMs);
    },
  };
}
