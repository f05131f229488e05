/** What a peer repeats within this time is one line; the next one says how many it stands for. */
const REPEAT_MS = 60_000;

/** Lines about all peers in such a time. Beyond them, as from a thousand addresses at once, they are only counted. */
const LINES_MAX = 600;

/** Added to a line: how many of its kind were not written since the one before. */
export interface Repeated {
  readonly suppressed?: number;
}

interface Line {
  readonly atMs: number;
  suppressed: number;
  /** Writes the latest of those that were suppressed. */
  write(repeated: Repeated): void;
}

/**
 * Bounds the lines that peers cause who need no login: without it whoever can connect fills the disk. `name` is the event, the peer and the reason. A line is
 * written at once, unless the same was written within a minute. What was suppressed is written once, with its count, as soon as any peer causes a line after that
 * minute. `leftOut` is told how many lines were left out because so many peers had caused some.
 */
export function createPeerLines(
  nowMs: () => number,
  leftOut: (lines: number) => void,
): (name: string, write: (repeated: Repeated) => void) => void {
  // In the order in which they were written: the oldest is first.
  const lines = new Map<string, Line>();
  let left = 0;
  let leftSinceMs = 0;

  function writeOverdue(now: number, butFor: string): void {
    if (left > 0 && now - leftSinceMs >= REPEAT_MS) {
      leftOut(left);
      left = 0;
    }
    for (const [name, { atMs, suppressed, write }] of lines) {
      if (now - atMs < REPEAT_MS) return;
      if (name === butFor) continue;
      lines.delete(name);
      if (suppressed > 0) write({ suppressed });
    }
  }

  return (name, write) => {
    const now = nowMs();
    writeOverdue(now, name);
    const line = lines.get(name);
    if (line !== undefined && now - line.atMs < REPEAT_MS) {
      line.suppressed += 1;
      line.write = write;
      return;
    }
    if (line === undefined && lines.size >= LINES_MAX) {
      if (left === 0) leftSinceMs = now;
      left += 1;
      return;
    }
    lines.delete(name);
    lines.set(name, { atMs: now, suppressed: 0, write });
    write(line === undefined || line.suppressed === 0 ? {} : { suppressed: line.suppressed });
  };
}
