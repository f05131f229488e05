import { keptCall, keptWorkflow } from "../../engine/kernel/activity-entry.ts";
import type { ActivityLog } from "../../engine/kernel/activity-log.ts";
import { timeDigits } from "../../engine/kernel/time-digits.ts";
import { type ActivityLines, type ActivityTable, callLine, workflowLine } from "./activity-rows.ts";

/** The entries that a thread hands over at once. */
export interface ActivityBatch {
  readonly lines: ActivityLines;
  /** Entries that were not stored, because there was no room or they were not valid. */
  readonly dropped: number;
}

export interface ActivityBatches {
  /** Accepts entries without waiting for anything. */
  log: ActivityLog;
  /** Returns the entries since the last call, or null if there are none. */
  take(): ActivityBatch | null;
}

/**
 * Limits for the entries of a thread between two calls of `take`, about a second apart. An entry
 * has about 400 bytes. More entries come only when something repeats itself, and the first ones
 * show that.
 */
const ENTRIES_MAX = 5_000;
const CHARS_MAX = 2_097_152;

export interface ActivityBatchesOptions {
  /**
   * Unique among all writers (shards of all nodes and restarts). It is part of the ids of entries.
   */
  writer: string;
  limits?: { readonly entriesMax: number; readonly charsMax: number };
}

/** Creates the activity log of a thread. It stores entries as lines until they are handed over. */
export function createActivityBatches({ writer, limits }: ActivityBatchesOptions): ActivityBatches {
  const { entriesMax, charsMax } = limits ?? { entriesMax: ENTRIES_MAX, charsMax: CHARS_MAX };
  let lines: { [Table in ActivityTable]: string[] } = { workflow_log: [], call_log: [] };
  let chars = 0;
  let dropped = 0;
  let count = 0;

  function add<Entry extends { readonly atMs: number }>(
    table: ActivityTable,
    entry: Entry | null,
    lineOf: (entry: Entry, id: string) => string,
  ): void {
    if (entry === null || lines.workflow_log.length + lines.call_log.length >= entriesMax) {
      dropped += 1;
      return;
    }
    count += 1;
    const line = lineOf(entry, `${timeDigits(entry.atMs)}-${writer}-${String(count).padStart(9, "0")}`);
    if (chars + line.length > charsMax) {
      dropped += 1;
      return;
    }
    chars += line.length;
    lines[table].push(line);
  }

  return {
    log: {
      workflow: (entry) => add("workflow_log", keptWorkflow(entry), workflowLine),
      call: (entry) => add("call_log", keptCall(entry), callLine),
    },
    take: () => {
      if (lines.workflow_log.length === 0 && lines.call_log.length === 0 && dropped === 0) return null;
      const batch = { lines, dropped };
      lines = { workflow_log: [], call_log: [] };
      [chars, dropped] = [0, 0];
      return batch;
    },
  };
}
