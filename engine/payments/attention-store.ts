import { available, type Kv, prefixRange } from "../kernel/kv.ts";
import { readBareRecord } from "../kernel/schemas.ts";
import { type AttentionItem, type AttentionKind, attentionKey } from "./attention.ts";

/** What has to be looked at of one terminal. Rejects with RelayError `unavailable` when the store cannot answer. */
export interface AttentionStore {
  ofTerminal(kind: AttentionKind, terminalId: string, limit: number): Promise<AttentionItem[]>;
}

export function createAttentionStore(kv: Kv): AttentionStore {
  return {
    ofTerminal: (kind, terminalId, limit) =>
      available(async () => {
        const entries = await kv.scan({ ...prefixRange(attentionKey(kind, terminalId, "")), limit });
        return entries.map(({ key, value }) => readBareRecord<AttentionItem>("attention", key, value));
      }),
  };
}
