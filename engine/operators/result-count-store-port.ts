import type { ResultCounts } from "./result-count.ts";

/** Results counted by each shard of each node, by local day (`YYYY-MM-DD`); kept for a few days. */
export interface ResultCountStore {
  /** What this counter had counted of the day; empty for nothing. */
  load(day: string, counter: string): Promise<ResultCounts>;
  save(day: string, counter: string, counts: ResultCounts): Promise<void>;
  /** Of all counters together. */
  total(day: string): Promise<ResultCounts>;
}
