import { available, type Entry, type Kv, prefixRange } from "../kernel/kv.ts";
import { withoutPayload } from "../payments/command.ts";
import type { CommandRecord } from "./terminal-record.ts";
import { writeCommand } from "./terminal-records.ts";
import { COMMANDS, readCommandEntry } from "./terminal-store.ts";

/** Removes old bodies from the hot store (`/admin/receipts/clean`). Rejects with RelayError `unavailable` when the store cannot answer. */
export interface ReceiptCleaner {
  /**
   * Removes what terminals posted of commands that ended before this time: the result as it came. Also the request, of those that ended when it was
   * still kept.
   * What stays is what nobody may lose: the uuid (which is still refused), the command's life, its normalized result, rows that the feed
   * has not delivered, and everything that has not ended. Works for at most `budgetMs`; `complete` is false when more is left, and the next call goes on there.
   */
  clean(beforeMs: number, budgetMs: number): Promise<{ deleted: number; complete: boolean }>;
}

const PAGE = 500;

/** Where the pass that ran out of time goes on. */
const POSITION = "g/receipt-cleaner";

export interface ReceiptCleanerOptions {
  kv: Kv;
  monotonicMs(): number;
  /** How long an ended command is kept: as it was stored with, so that cleaning does not make it live longer. */
  retentionMs: number;
  /** A record could not be read (of a later version, or damaged); it is left as it is. */
  failed(what: string, error: unknown): void;
}

/** Cleans commands, and results that nobody asked for, in passes over all of them, a page at a time; a record that changes meanwhile is left for the next pass. */
export function createReceiptCleaner({ kv, monotonicMs, retentionMs, failed }: ReceiptCleanerOptions): ReceiptCleaner {
  function recordOf({ key, value }: Entry): CommandRecord | null {
    try {
      return readCommandEntry({ key, value });
    } catch {
      // What says why may quote the record, which is not for a log.
      failed("receipts/clean", new Error(`${key} cannot be read`));
      return null;
    }
  }

  async function clean(entry: Entry, beforeMs: number): Promise<boolean> {
    const record = recordOf(entry);
    const cleaned = record === null ? null : cleanedOf(record, beforeMs);
    if (cleaned === null || cleaned.life === null) return false;
    const expiresAtMs = cleaned.life.finishedAtMs + retentionMs;
    const result = await kv.commit({
      checks: [{ key: entry.key, version: entry.version }],
      operations: [{ type: "put", key: entry.key, value: writeCommand(cleaned), expiresAtMs }],
    });
    return result.type === "committed";
  }

  return {
    clean: (beforeMs, budgetMs) =>
      available(async () => {
        const giveUpAt = monotonicMs() + budgetMs;
        const stored = await kv.get(POSITION);
        let { from, to } = prefixRange(COMMANDS);
        if (stored !== null) from = JSON.parse(stored.value);
        let deleted = 0;
        for (;;) {
          const page = await kv.scan({ from, to, limit: PAGE });
          const outcomes = await Promise.all(page.map((entry) => clean(entry, beforeMs)));
          deleted += outcomes.filter((done) => done).length;
          const last = page.at(-1);
          if (last === undefined || page.length < PAGE) {
            if (stored !== null) await kv.commit({ checks: [], operations: [{ type: "delete", key: POSITION }] });
            return { deleted, complete: true };
          }
          from = `${last.key}\u0001`;
          if (monotonicMs() < giveUpAt) continue;
          await kv.commit({ checks: [], operations: [{ type: "put", key: POSITION, value: JSON.stringify(from) }] });
          return { deleted, complete: false };
        }
      }),
  };
}

/** The record without its bodies; null where it is to stay as it is. */
function cleanedOf(record: CommandRecord, beforeMs: number): CommandRecord | null {
  const { command, life, result } = record;
  if (life === null || life.finishedAtMs >= beforeMs) return null;
  if ((command === null || command.payload === "") && (result === null || result.raw === null)) return null;
  return {
    ...record,
    command: withoutPayload(command),
    result: result === null ? null : { ...result, raw: null },
  };
}
