import type { Clock } from "../ports/clock.ts";
import type { PresenceStore } from "../ports/terminals.ts";
import type { PresenceTable } from "./presence-table.ts";

/** Presence records stored in one batch, and how often a batch is stored. */
const BATCH_MAX = 5_000;
const EVERY_MS = 1_000;

/**
 * A terminal that polls or pings every second is stored this often: last-seen is this exact after a crash, and to the millisecond after an
 * orderly stop. One that is seen for the first time is stored at once.
 */
const AGAIN_MS = 10_000;

/** Stores what changed of presence, in batches; what could not be stored is tried again with what changes later. */
export interface PresenceFlush {
  /** A batch now and then. */
  tick(): void;
  /** All that has changed up to now. */
  flush(): Promise<void>;
}

export interface PresenceFlushOptions {
  table: PresenceTable;
  presences: PresenceStore;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

export function createPresenceFlush({ table, presences, clock, failed }: PresenceFlushOptions): PresenceFlush {
  let flushedAt = clock.monotonicMs();
  let flushing: Promise<void> | null = null;

  async function save(agoMs: number): Promise<void> {
    const records = table.takeDirty(BATCH_MAX, agoMs);
    if (records.length === 0) return;
    try {
      await presences.save(records);
    } catch (error) {
      for (const { terminalId } of records) table.markDirty(terminalId);
      throw error;
    }
  }

  /** One batch at a time, so that an older one never overwrites a newer. */
  function batch(agoMs: number): Promise<void> {
    flushing = save(agoMs).finally(() => {
      flushing = null;
    });
    return flushing;
  }

  return {
    tick: () => {
      if (flushing !== null || clock.monotonicMs() - flushedAt < EVERY_MS) return;
      flushedAt = clock.monotonicMs();
      batch(AGAIN_MS).catch((error: unknown) => failed("presence", error));
    },
    flush: async () => {
      // One more than there are now: a batch under way may fail, and its records are to be stored again.
      for (let left = 1 + Math.ceil(table.dirtyCount() / BATCH_MAX); left > 0; left -= 1) {
        while (flushing !== null) await flushing.catch(() => {});
        await batch(0);
      }
    },
  };
}
