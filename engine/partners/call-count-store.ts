import { available, type Kv } from "../kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";

/** Where it is kept how many calls of the Partner API each partner has made. Rejects with RelayError `unavailable`. */
export interface CallCountStore {
  load(partnerId: number): Promise<number>;
  /** Adds to what is stored, whoever else adds at the same time. After a rejection it is not known whether it was added. */
  add(partnerId: number, calls: number): Promise<void>;
}

const CALLS = "partner-calls/";

/** Every shard of every node adds about once a second, so a turn of one is lost to few others. */
const ATTEMPTS_MAX = 100;

/** Counts of calls on the key-value store: `partner-calls/<partnerId>`. */
export function createCallCountStore(kv: Kv): CallCountStore {
  return {
    load: (partnerId) => available(async () => callsOf(await kv.get(CALLS + partnerId))),
    add: (partnerId, calls) =>
      available(() => {
        const key = CALLS + partnerId;
        return retryOnConflict(ATTEMPTS_MAX, async () => {
          const entry = await kv.get(key);
          const value = recordText("callCount", { calls: callsOf(entry) + calls });
          const checks = [{ key, version: entry?.version ?? 0 }];
          const { type } = await kv.commit({ checks, operations: [{ type: "put", key, value }] });
          return type === "committed" ? undefined : CONFLICT;
        });
      }),
  };
}

function callsOf(entry: { value: string } | null): number {
  return entry === null ? 0 : readRecord<{ calls: number }>("callCount", "a count of calls", entry.value).calls;
}
