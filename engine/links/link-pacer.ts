/** Verifies that a second takes without being thought full: below it everything is done just when it is due. */
const FREE_PER_SECOND = 20;

const SECOND_MS = 1_000;

/**
 * Spreads verifies over seconds, so that links that were created together are not verified together for an hour. It counts what it
 * has given to each second, and puts what comes into the first second with room, else into the one with the least, within the slack.
 */
export interface LinkPacer {
  /** A time from `wantedMs` on, at most `slackMs` after it. */
  place(wantedMs: number, slackMs: number, nowMs: number): number;
}

export function createLinkPacer(freePerSecond = FREE_PER_SECOND): LinkPacer {
  const given = new Map<number, number>();
  let prunedAt = 0;

  /** What lies behind is forgotten, so that the table holds the seconds ahead that were asked for. */
  function prune(now: number): void {
    if (now === prunedAt) return;
    prunedAt = now;
    for (const second of given.keys()) if (second < now) given.delete(second);
  }

  return {
    place: (wantedMs, slackMs, nowMs) => {
      prune(Math.floor(nowMs / SECOND_MS));
      const first = Math.floor(wantedMs / SECOND_MS);
      const last = Math.floor((wantedMs + slackMs) / SECOND_MS);
      let best = first;
      let least = Number.POSITIVE_INFINITY;
      for (let second = first; second <= last; second += 1) {
        const count = given.get(second) ?? 0;
        if (count < least) {
          best = second;
          least = count;
        }
        if (count < freePerSecond) break;
      }
      given.set(best, least + 1);
      // Within a second one after the other, not all at its start.
      return best === first ? wantedMs : Math.min(best * SECOND_MS + ((least * 617) % SECOND_MS), wantedMs + slackMs);
    },
  };
}
