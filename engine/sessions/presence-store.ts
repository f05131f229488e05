import { available, type Kv, prefixRange } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { PresenceRecord } from "./presence.ts";

/** The stored part of presence, flushed in batches. */
export interface PresenceStore {
  load(terminalId: string): Promise<PresenceRecord | null>;
  save(records: readonly PresenceRecord[]): Promise<void>;
  page(after: string, limit: number): Promise<PresenceRecord[]>;
  /** How many terminals were ever seen; reads all of them. */
  count(): Promise<number>;
  /** Forgets all; answers with how many there were. */
  clear(): Promise<number>;
}

const PRESENCES = "p/";
const PAGE = 1_000;

/** Presence on the key-value store: `p/<terminalId>`. The latest write wins; only a terminal's home writes. */
export function createPresenceStore(kv: Kv): PresenceStore {
  /** Keys of all records, some at a time. */
  async function* pages(): AsyncGenerator<string[]> {
    let { from, to } = prefixRange(PRESENCES);
    for (;;) {
      const keys = (await kv.scan({ from, to, limit: PAGE })).map(({ key }) => key);
      const last = keys.at(-1);
      if (last === undefined) return;
      yield keys;
      from = `${last}\u0001`;
    }
  }

  return {
    load: (terminalId) =>
      available(async () => {
        const entry = await kv.get(PRESENCES + terminalId);
        return entry === null ? null : readRecord<PresenceRecord>("presence", entry.key, entry.value);
      }),
    save: (records) =>
      available(async () => {
        const operations = records.map((record) => ({
          type: "put" as const,
          key: PRESENCES + record.terminalId,
          value: recordText("presence", record),
        }));
        await kv.commit({ checks: [], operations });
      }),
    count: () =>
      available(async () => {
        let count = 0;
        for await (const keys of pages()) count += keys.length;
        return count;
      }),
    clear: () =>
      available(async () => {
        let cleared = 0;
        for await (const keys of pages()) {
          await kv.commit({ checks: [], operations: keys.map((key) => ({ type: "delete", key })) });
          cleared += keys.length;
        }
        return cleared;
      }),
    page: (after, limit) =>
      available(async () => {
        const { to } = prefixRange(PRESENCES);
        const entries = await kv.scan({ from: after === "" ? PRESENCES : `${PRESENCES}${after}\u0001`, to, limit });
        return entries.map(({ key, value }) => readRecord<PresenceRecord>("presence", key, value));
      }),
  };
}
