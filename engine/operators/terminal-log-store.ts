import { available, type Kv, prefixRange } from "../kernel/kv.ts";
import { LOG_ENTRIES_PER_TERMINAL_MAX, LOG_LIFETIME_MS } from "../kernel/limits.ts";
import { readBareRecord, recordText } from "../kernel/schemas.ts";
import { timeDigits } from "../kernel/time-digits.ts";

/** Logs of terminals, kept for 30 days and to a bounded number each, the oldest go first. Rejects with RelayError `unavailable`. */
export interface TerminalLogStore {
  append(terminalId: string, log: Omit<TerminalLog, "id">): Promise<{ id: string }>;
  /** Newest first. */
  page(terminalId: string, limit: number): Promise<TerminalLog[]>;
  /** Answers with how many there were. */
  clear(terminalId: string): Promise<number>;
}

/** A log that a terminal posted (`POST /api/v1/{terminalId}/logs`): free-form, PANs masked before it is stored. */
export interface TerminalLog {
  /** Sorts by time. */
  id: string;
  receivedAtMs: number;
  /** From the optional X- headers of the posting. */
  device: { [name: string]: string };
  /** What was posted, as JSON text. */
  body: string;
}

const LOGS = "l/";

/** A terminal's oldest logs are removed at its first append here and then at each sixteenth: counting them each time costs a scan. */
const TRIM_EVERY = 16;

/** Terminals whose appends are counted; when there are more, counting starts again, which only trims more often. */
const COUNTED_MAX = 10_000;

/** Terminal logs on the key-value store: `l/<terminalId>/<13-digit ms>-<writer>-<count>`. */
export function createTerminalLogStore(kv: Kv, writer: string): TerminalLogStore {
  const appends = new Map<string, number>();
  let appended = 0;

  function isTimeToTrim(terminalId: string): boolean {
    const count = appends.get(terminalId) ?? 0;
    if (appends.size >= COUNTED_MAX) appends.clear();
    appends.set(terminalId, count + 1);
    return count % TRIM_EVERY === 0;
  }

  async function trim(terminalId: string): Promise<void> {
    const entries = await kv.scan({ ...prefixRange(`${LOGS}${terminalId}/`), limit: LOG_ENTRIES_PER_TERMINAL_MAX * 2, reverse: true });
    const operations = entries.slice(LOG_ENTRIES_PER_TERMINAL_MAX).map(({ key }) => ({ type: "delete", key }) as const);
    if (operations.length > 0) await kv.commit({ checks: [], operations });
  }

  return {
    append: (terminalId, log) =>
      available(async () => {
        appended += 1;
        const id = `${timeDigits(log.receivedAtMs)}-${writer}-${appended.toString(36)}`;
        const value = recordText("terminalLog", { ...log, id });
        const key = `${LOGS}${terminalId}/${id}`;
        await kv.commit({ checks: [], operations: [{ type: "put", key, value, expiresAtMs: log.receivedAtMs + LOG_LIFETIME_MS }] });
        if (isTimeToTrim(terminalId)) await trim(terminalId);
        return { id };
      }),
    page: (terminalId, limit) =>
      available(async () => {
        const entries = await kv.scan({ ...prefixRange(`${LOGS}${terminalId}/`), limit, reverse: true });
        return entries.map(({ key, value }) => readBareRecord<TerminalLog>("terminalLog", key, value));
      }),
    clear: (terminalId) =>
      available(async () => {
        let cleared = 0;
        for (;;) {
          const entries = await kv.scan({ ...prefixRange(`${LOGS}${terminalId}/`), limit: LOG_ENTRIES_PER_TERMINAL_MAX });
          if (entries.length === 0) return cleared;
          await kv.commit({ checks: [], operations: entries.map(({ key }) => ({ type: "delete", key })) });
          cleared += entries.length;
        }
      }),
  };
}
