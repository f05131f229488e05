import { available, type Entry, type Kv, prefixRange } from "../kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { PresenceRecord } from "./presence.ts";

/** The stored part of presence, flushed in batches. */
export interface PresenceStore {
  load(terminalId: string): Promise<PresenceRecord | null>;
  save(records: readonly PresenceRecord[]): Promise<void>;
  page(after: string, limit: number): Promise<PresenceRecord[]>;
  /** How many terminals were ever seen; reads all of them. */
  count(): Promise<number>;
  /** Forgets what terminals told about their devices, but not when each was last seen; answers with how many terminals there are. */
  forgetDevices(): Promise<number>;
}

const PRESENCES = "p/";
const PAGE = 1_000;
/** Records that one commit rewrites: with more of them payments would wait. */
const REWRITTEN_MAX = 250;
/** Times that a page is read again because one of its terminals was stored meanwhile. */
const CONFLICTS_MAX = 16;

/** Presence on the key-value store: `p/<terminalId>`. The latest write wins; only a terminal's home writes. */
export function createPresenceStore(kv: Kv): PresenceStore {
  /** Looks at all records, a page at a time. */
  async function inPages(limit: number, look: (page: readonly Entry[]) => Promise<typeof CONFLICT | undefined>): Promise<number> {
    let count = 0;
    let { from, to } = prefixRange(PRESENCES);
    for (;;) {
      const page = await retryOnConflict(CONFLICTS_MAX, async () => {
        const entries = await kv.scan({ from, to, limit });
        return (await look(entries)) ?? entries;
      });
      const last = page.at(-1);
      if (last === undefined) return count;
      count += page.length;
      from = `${last.key}\u0001`;
    }
  }

  async function forgetDevicesOf(page: readonly Entry[]): Promise<typeof CONFLICT | undefined> {
    const known = page
      .map(({ key, value, version }) => ({ key, version, record: readRecord<PresenceRecord>("presence", key, value) }))
      .filter(({ record }) => Object.keys(record.device).length > 0);
    if (known.length === 0) return undefined;
    const outcome = await kv.commit({
      checks: known.map(({ key, version }) => ({ key, version })),
      operations: known.map(({ key, record }) => ({ type: "put", key, value: recordText("presence", { ...record, device: {} }) })),
    });
    return outcome.type === "conflict" ? CONFLICT : undefined;
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
    count: () => available(() => inPages(PAGE, async () => undefined)),
    forgetDevices: () => available(() => inPages(REWRITTEN_MAX, forgetDevicesOf)),
    page: (after, limit) =>
      available(async () => {
        const { to } = prefixRange(PRESENCES);
        const entries = await kv.scan({ from: after === "" ? PRESENCES : `${PRESENCES}${after}\u0001`, to, limit });
        return entries.map(({ key, value }) => readRecord<PresenceRecord>("presence", key, value));
      }),
  };
}
