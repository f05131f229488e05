import type { Clock } from "../kernel/clock.ts";
import type { PresenceStore } from "./presence-store.ts";
import type { PresenceTable } from "./presence-table.ts";

/**
 * Presence records stored in one tick, 5,000 a second: a commit of each some 5 microseconds in which nothing else is served. All of a second in one
 * commit kept payments waiting for 15 to 28 ms.
 */
const TICK_BATCH_MAX = 250;

/** The same where somebody waits for all of them. */
const FLUSH_BATCH_MAX = 1_000;

/** A store that could not take a batch is left alone for this long. */
const RETRY_MS = 1_000;

/** Stores what changed of presence, in batches; what could not be stored is tried again with what changes later. */
export interface PresenceFlush {
  /** A batch, unless one is under way or has just failed. */
  tick(): void;
  /** All that has changed up to now. */
  flush(): Promise<void>;
  /** Resolves when nothing is on its way to the store any more. */
  settled(): Promise<void>;
}

export interface PresenceFlushOptions {
  table: PresenceTable;
  presences: PresenceStore;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

export function createPresenceFlush({ table, presences, clock, failed }: PresenceFlushOptions): PresenceFlush {
  let flushing: Promise<void> | null = null;
  let notBefore = Number.NEGATIVE_INFINITY;

  async function save(limit: number): Promise<void> {
    const records = table.takeDirty(limit);
    if (records.length === 0) return;
    try {
      await presences.save(records);
    } catch (error) {
      for (const { terminalId } of records) table.markDirty(terminalId);
      notBefore = clock.monotonicMs() + RETRY_MS;
      throw error;
    }
  }

  /** One batch at a time, so that an older one never overwrites a newer. */
  function batch(limit: number): Promise<void> {
    flushing = save(limit).finally(() => {
      flushing = null;
    });
    return flushing;
  }

  return {
    settled: async () => {
      if (flushing !== null) await flushing.catch(() => {});
    },
    tick: () => {
      if (flushing !== null || clock.monotonicMs() < notBefore) return;
      batch(TICK_BATCH_MAX).catch((error: unknown) => failed("presence", error));
    },
    flush: async () => {
      table.hurry();
      // One more than there are now: a batch under way may fail, and its records are to be stored again.
      for (let left = 1 + Math.ceil(table.dirtyCount() / FLUSH_BATCH_MAX); left > 0; left -= 1) {
        while (flushing !== null) await flushing.catch(() => {});
        await batch(FLUSH_BATCH_MAX);
      }
    },
  };
}
