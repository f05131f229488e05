import type { Timer, Timers } from "../../engine/kernel/timers.ts";
import { RowsRefused } from "../feed/feed-sink.ts";
import type { ActivityBatch } from "./activity-batches.ts";
import { ACTIVITY_TABLES, type ActivityTable } from "./activity-rows.ts";

/** Inserts lines of JSONEachRow. Rejects where it is not known whether it did, and with RowsRefused where ClickHouse will never take them. */
export type InsertLines = (table: ActivityTable, lines: readonly string[], signal: AbortSignal) => Promise<void>;

export interface ActivityStats {
  readonly written: number;
  readonly dropped: number;
  readonly waiting: number;
}

/** Writes the activity log of a node into ClickHouse. Nobody waits for it, and it holds only so much: what has no room is dropped and counted. */
export interface ActivityWriter {
  add(batch: ActivityBatch): void;
  /** ClickHouse can be reached, and has the tables: what waits is written. */
  connect(insert: InsertLines): void;
  /** Since the start. */
  stats(): ActivityStats;
  /** Writes what waits, in STOP_MS at the most. */
  stop(): Promise<void>;
}

export type ActivityWriterEvent = { readonly type: "away"; readonly error: unknown } | { readonly type: "back" };

export interface ActivityWriterOptions {
  timers: Timers;
  onEvent(event: ActivityWriterEvent): void;
  limits?: ActivityLimits;
}

export interface ActivityLimits {
  /** Entries that wait, and the length of their lines. */
  readonly entriesMax: number;
  readonly charsMax: number;
  /** Entries of one insert. */
  readonly batchMax: number;
  /** How long one insert may take; a ClickHouse that is slower counts as away. */
  readonly insertMs: number;
  readonly stopMs: number;
}

/** Minutes of a busy installation, while ClickHouse starts again. */
const LIMITS: ActivityLimits = { entriesMax: 20_000, charsMax: 8_388_608, batchMax: 5_000, insertMs: 10_000, stopMs: 2_000 };

const FLUSH_MS = 1_000;
/** After a failure it is tried again after this many flushes, twice as many each time. */
const PAUSE_FLUSHES_MAX = 16;

export function createActivityWriter({ timers, onEvent, limits = LIMITS }: ActivityWriterOptions): ActivityWriter {
  const waiting: { [Table in ActivityTable]: string[] } = { workflow_log: [], call_log: [] };
  let insert: InsertLines | null = null;
  let underWay: Promise<void> | null = null;
  let [entries, chars] = [0, 0];
  let [written, dropped] = [0, 0];
  /** Flushes that are left out, and as many as the next failure leaves out. */
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

  /** False where it failed: the same entries are inserted again, under the same ids. */
  async function write(into: InsertLines, table: ActivityTable): Promise<boolean> {
    const lines = waiting[table].slice(0, limits.batchMax);
    // AbortSignal.any() on a long-lived signal leaks in Node 20, hence one controller an insert.
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
      // They would be refused again.
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
      // What came while an insert was under way is written after it.
      await flush();
      await flush();
      late.clear();
      stopped = true;
      dropped += entries;
      entries = 0;
    },
  };
}

/** An insert that goes on after its signal is nobody's any more. */
function settled(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
