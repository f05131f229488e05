import { available, type Entry, type Kv, scanAll } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";

/** Results counted by each shard of each node, by local day (`YYYY-MM-DD`); kept for a few days. */
export interface ResultCountStore {
  /** What this counter had counted of the day; empty for nothing. */
  load(day: string, counter: string): Promise<ResultCounts>;
  save(day: string, counter: string, counts: ResultCounts): Promise<void>;
  /** Of all counters together. */
  total(day: string): Promise<ResultCounts>;
}

/** Results of one local day by method and status: `{CARD: {OK: 12, KO: 1}}`. */
export type ResultCounts = { [method: string]: { [status: string]: number } };

export function addResultCounts(sum: ResultCounts, more: ResultCounts): ResultCounts {
  for (const [method, statuses] of Object.entries(more)) {
    const counted = sum[method] ?? {};
    sum[method] = counted;
    for (const [status, count] of Object.entries(statuses)) counted[status] = (counted[status] ?? 0) + count;
  }
  return sum;
}

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
