import type { Timer, Timers } from "../../engine/kernel/timers.ts";
import { RowsRefused } from "../feed/feed-sink.ts";
import type { ActivityBatch } from "./activity-batches.ts";
import { ACTIVITY_TABLES, type ActivityTable } from "./activity-rows.ts";

/**
 * Inserts lines of JSONEachRow. Rejects if the outcome is unknown, and with RowsRefused if
 * ClickHouse will never accept them.
 */
export type InsertLines = (table: ActivityTable, lines: readonly string[], signal: AbortSignal) => Promise<void>;

export interface ActivityStats {
  readonly written: number;
  readonly dropped: number;
  readonly waiting: number;
}

/**
 * Writes the activity log of a node into ClickHouse. No caller waits for it. Its memory is limited:
 * it drops and counts entries beyond the limit.
 */
export interface ActivityWriter {
  add(batch: ActivityBatch): void;
  /**
   * Announces that ClickHouse is available and has the tables. Waiting entries are then written.
   */
  connect(insert: InsertLines): void;
  /** Counts since the start. */
  stats(): ActivityStats;
  /** Writes the waiting entries, for `stopMs` at most. */
  stop(): Promise<void>;
}

export type ActivityWriterEvent = { readonly type: "away"; readonly error: unknown } | { readonly type: "back" };

export interface ActivityWriterOptions {
  timers: Timers;
  onEvent(event: ActivityWriterEvent): void;
  limits?: ActivityLimits;
}

export interface ActivityLimits {
  /** Waiting entries, and the length of their lines. */
  readonly entriesMax: number;
  readonly charsMax: number;
  /** Entries in one insert. */
  readonly batchMax: number;
  /** Limit for one insert. A slower ClickHouse counts as unavailable. */
  readonly insertMs: number;
  readonly stopMs: number;
}

/** The limits cover minutes of a busy installation, while ClickHouse restarts. */
const LIMITS: ActivityLimits = { entriesMax: 20_000, charsMax: 8_388_608, batchMax: 5_000, insertMs: 10_000, stopMs: 2_000 };

const FLUSH_MS = 1_000;
/**
 * After a failure the writer skips flushes before it tries again, twice as many each time, up to
 * this number.
 */
const PAUSE_FLUSHES_MAX = 16;

export function createActivityWriter({ timers, onEvent, limits = LIMITS }: ActivityWriterOptions): ActivityWriter {
  const waiting: { [Table in ActivityTable]: string[] } = { workflow_log: [], call_log: [] };
  let insert: InsertLines | null = null;
  let underWay: Promise<void> | null = null;
  let [entries, chars] = [0, 0];
  let [written, dropped] = [0, 0];
  /** Flushes still to be skipped, and the number that the next failure skips. */
  let [pause, nextPause] = [0, 1];
  let isAway = false;
  let stopped = false;
  const ending = new AbortController();

  function add(batch: ActivityBatch): void {
    dropped += batch.dropped;
    for (const table of ACTIVITY_TABLES) {
      for (const line of batch.lines[table]) {
        if (stopped || entries >= limits.entriesMax || chars + line.length > limits.charsMax) {
          dropped += 1;
          continue;
        }
        entries += 1;
        chars += line.length;
        waiting[table].push(line);
      }
    }
  }

  /** Returns false if it failed. The same entries are then inserted again with the same ids. */
  async function write(into: InsertLines, table: ActivityTable): Promise<boolean> {
    const lines = waiting[table].slice(0, limits.batchMax);
    // AbortSignal.any() on a long-lived signal leaks in Node 20, hence one controller for each
    // insert.
    const over = new AbortController();
    const end = () => over.abort();
    const timer = timers.set(limits.insertMs, end);
    ending.signal.addEventListener("abort", end);
    if (ending.signal.aborted) end();
    try {
      await settled(into(table, lines, over.signal), over.signal);
      written += lines.length;
    } catch (error) {
      if (!(error instanceof RowsRefused)) {
        if (!isAway) onEvent({ type: "away", error });
        isAway = true;
        return false;
      }
      // ClickHouse would refuse them again.
      dropped += lines.length;
    } finally {
      timer.clear();
      ending.signal.removeEventListener("abort", end);
    }
    waiting[table].splice(0, lines.length);
    entries -= lines.length;
    for (const line of lines) chars -= line.length;
    return true;
  }

  async function writeAll(into: InsertLines): Promise<void> {
    for (const table of ACTIVITY_TABLES) {
      while (waiting[table].length > 0 && !ending.signal.aborted) {
        if (!(await write(into, table))) {
          pause = nextPause;
          nextPause = Math.min(PAUSE_FLUSHES_MAX, nextPause * 2);
          return;
        }
        if (isAway) onEvent({ type: "back" });
        [isAway, nextPause] = [false, 1];
      }
    }
  }

  function flush(): Promise<void> {
    if (insert === null || entries === 0) return underWay ?? Promise.resolve();
    underWay ??= writeAll(insert).finally(() => {
      underWay = null;
    });
    return underWay;
  }

  const ticking: Timer = timers.every(FLUSH_MS, () => {
    if (pause > 0) pause -= 1;
    else void flush();
  });

  return {
    add,
    connect: (into) => {
      insert = into;
    },
    stats: () => ({ written, dropped, waiting: entries }),
    stop: async () => {
      ticking.clear();
      const late = timers.set(limits.stopMs, () => ending.abort());
      // The second flush writes entries that came during the insert in progress.
      await flush();
      await flush();
      late.clear();
      stopped = true;
      dropped += entries;
      entries = 0;
    },
  };
}

/**
 * Settles like the work, but rejects on the signal. Nothing waits for an insert that continues
 * after it.
 */
function settled(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
