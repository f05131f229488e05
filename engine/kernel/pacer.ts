const SECOND_MS = 1_000;

/**
 * Spreads work over seconds, so that what became due together is not done together. It counts what it has given to each second, and puts what comes
 * into the first second with room, else into the one with the least, within the slack.
 */
export interface Pacer {
  /** A time from `wantedMs` on, at most `slackMs` after it. */
  place(wantedMs: number, slackMs: number, nowMs: number): number;
}

/**
 * A second with fewer than `freePerSecond` has room: below that everything is done just when it is due. Where more comes than has room within the
 * slack, each has to look at all seconds of it, so it is chosen to have room for what its owner holds.
 */
export function createPacer(freePerSecond: number): Pacer {
  const given = new Map<number, number>();
  let prunedAt = 0;
  /** The seconds from the first on, and before the second of these, have no room. */
  let full: readonly [from: number, to: number] = [0, 0];

  /** What lies behind is forgotten, so that the table holds the seconds ahead that were asked for. */
  function prune(now: number): void {
    if (now === prunedAt) return;
    prunedAt = now;
    for (const second of given.keys()) if (second < now) given.delete(second);
    full = [Math.max(full[0], now), full[1]];
  }

  /** The first second with room; null where there is none. */
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
      // Within a second one after the other, not all at its start.
      return best === first ? wantedMs : Math.min(best * SECOND_MS + ((before * 617) % SECOND_MS), wantedMs + slackMs);
    },
  };
}
