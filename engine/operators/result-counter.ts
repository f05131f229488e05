import type { Clock } from "../kernel/clock.ts";
import { addResultCounts, type ResultCountStore, type ResultCounts } from "./result-count-store.ts";

/** How often counts are stored: so much of them a crash may lose. They are for a dashboard, not for money. */
const FLUSH_MS = 5_000;

/** Methods and statuses that are told apart; what comes beyond them is counted as one. Both are words of our own, so this never happens. */
const PAIRS_MAX = 256;

/** Counts the results that this shard stores, for today; nothing is read or written when one is counted. */
export interface ResultCounter {
  count(method: string, status: string, atMs: number): void;
  /** Stores what has changed. */
  flush(): Promise<void>;
  tick(): void;
}

export interface ResultCounterOptions {
  store: ResultCountStore;
  clock: Clock;
  /** The local day of a time, `YYYY-MM-DD`. */
  dayOf(atMs: number): string;
  /** Names this shard among all shards of all nodes, the same after a restart. */
  counter: string;
  failed(what: string, error: unknown): void;
}

export function createResultCounter({ store, clock, dayOf, counter, failed }: ResultCounterOptions): ResultCounter {
  /** What came since it was last stored, by day: at midnight there are two for a moment. */
  let fresh = new Map<string, ResultCounts>();
  let flushing: Promise<void> = Promise.resolve();
  let flushedAt = clock.monotonicMs();
  let pairs = 0;

  async function save(): Promise<void> {
    const taken = fresh;
    fresh = new Map();
    pairs = 0;
    for (const [day, counts] of taken) {
      try {
        await store.save(day, counter, addResultCounts(await store.load(day, counter), counts));
      } catch (error) {
        fresh.set(day, addResultCounts(fresh.get(day) ?? {}, counts));
        throw error;
      }
    }
  }

  /** One after the other: each reads what the one before has stored. */
  function flush(): Promise<void> {
    if (fresh.size === 0) return flushing;
    flushing = flushing.catch(() => {}).then(save);
    return flushing;
  }

  return {
    count: (method, status, atMs) => {
      const day = dayOf(atMs);
      let counts = fresh.get(day);
      if (counts === undefined) {
        counts = {};
        fresh.set(day, counts);
      }
      const known = counts[method]?.[status];
      if (known === undefined) pairs += 1;
      if (pairs > PAIRS_MAX) return;
      const statuses = counts[method] ?? {};
      statuses[status] = (known ?? 0) + 1;
      counts[method] = statuses;
    },
    flush,
    tick: () => {
      if (clock.monotonicMs() - flushedAt < FLUSH_MS) return;
      flushedAt = clock.monotonicMs();
      flush().catch((error: unknown) => failed("result counts", error));
    },
  };
}
