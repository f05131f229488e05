import type { PresenceRecord } from "../../engine/domain/presence.ts";
import type { PresenceStore } from "../../engine/ports/terminals.ts";
import { type Kv, prefixRange } from "../kv/kv.ts";
import { available } from "./terminal-store.ts";

const PRESENCES = "p/";

/** Presence on the key-value store: `p/<terminalId>`. The latest write wins; only a terminal's home writes. */
export function createPresenceStore(kv: Kv): PresenceStore {
  return {
    load: (terminalId) =>
      available(async () => {
        const entry = await kv.get(PRESENCES + terminalId);
        return entry === null ? null : JSON.parse(entry.value);
      }),
    save: (records) =>
      available(async () => {
        const operations = records.map((record) => ({
          type: "put" as const,
          key: PRESENCES + record.terminalId,
          value: JSON.stringify(record),
        }));
        await kv.commit({ checks: [], operations });
      }),
    page: (after, limit) =>
      available(async () => {
        const { to } = prefixRange(PRESENCES);
        const entries = await kv.scan({ from: after === "" ? PRESENCES : `${PRESENCES}${after}\u0001`, to, limit });
        return entries.map(({ value }): PresenceRecord => JSON.parse(value));
      }),
  };
}
