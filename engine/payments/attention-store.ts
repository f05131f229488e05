import { available, type Kv, prefixRange } from "../kernel/kv.ts";
import { readBareRecord } from "../kernel/schemas.ts";
import { ATTENTION, type AttentionItem, attentionKey } from "./attention.ts";
import { ATTENTION_KINDS, type AttentionKind } from "./attention-kinds.ts";

/** What has to be looked at. Rejects with RelayError `unavailable` when the store cannot answer. */
export interface AttentionStore {
  ofTerminal(kind: AttentionKind, terminalId: string, limit: number): Promise<AttentionItem[]>;
  /** Of which kinds there is an item about one of these uuids. */
  kindsOf(terminalId: string, uuids: readonly string[]): Promise<AttentionKind[]>;
  /** Takes an item away, by its id in the list; false where there is none. The same thing happening again makes it anew. */
  remove(id: string): Promise<boolean>;
}

export function createAttentionStore(kv: Kv): AttentionStore {
  return {
    ofTerminal: (kind, terminalId, limit) =>
      available(async () => {
        const entries = await kv.scan({ ...prefixRange(attentionKey(kind, terminalId, "")), limit });
        return entries.map(({ key, value }) => readBareRecord<AttentionItem>("attention", key, value));
      }),
    kindsOf: (terminalId, uuids) =>
      available(async () => {
        const places = [...new Set(uuids)];
        const asked = ATTENTION_KINDS.flatMap((kind) => places.map((place) => ({ kind, key: attentionKey(kind, terminalId, place) })));
        if (asked.length === 0) return [];
        const entries = await kv.getMany(asked.map(({ key }) => key));
        return [...new Set(asked.filter((_, index) => entries[index] !== null).map(({ kind }) => kind))];
      }),
    remove: (id) =>
      available(async () => {
        const entry = await kv.get(ATTENTION + id);
        if (entry === null) return false;
        // One that was told again meanwhile is not the one that somebody has looked at.
        const { type } = await kv.commit({
          checks: [{ key: entry.key, version: entry.version }],
          operations: [{ type: "delete", key: entry.key }],
        });
        return type === "committed";
      }),
  };
}
