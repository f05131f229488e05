import { available, type Entry, type Kv, scanAll } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import { addResultCounts, type ResultCounts } from "./result-count.ts";
import type { ResultCountStore } from "./result-count-store-port.ts";

const COUNTS = "y/";
const KEPT_MS = 8 * 86_400_000;

/** Counted results on the key-value store: `y/<day>/<counter>`. Each counter writes its own alone. */
export function createResultCountStore(kv: Kv, nowMs: () => number): ResultCountStore {
  const keyOf = (day: string, counter: string) => `${COUNTS}${day}/${counter}`;
  return {
    load: (day, counter) =>
      available(async () => {
        const entry = await kv.get(keyOf(day, counter));
        return entry === null ? {} : countsIn(entry);
      }),
    save: (day, counter, counts) =>
      available(async () => {
        const operation = {
          type: "put",
          key: keyOf(day, counter),
          value: recordText("resultCount", counts),
          expiresAtMs: nowMs() + KEPT_MS,
        } as const;
        await kv.commit({ checks: [], operations: [operation] });
      }),
    total: (day) =>
      available(async () => {
        const entries = await scanAll(kv, `${COUNTS}${day}/`);
        return entries.reduce<ResultCounts>((sum, entry) => addResultCounts(sum, countsIn(entry)), {});
      }),
  };
}

function countsIn({ key, value }: Entry): ResultCounts {
  const { schema: _, ...counts } = readRecord<ResultCounts>("resultCount", key, value);
  return counts;
}
