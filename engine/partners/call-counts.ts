import type { CallCountStore } from "./call-count-store.ts";

/** How many calls each partner has made of the Partner API: counted in memory and stored in batches, so that a call waits for nothing. */
export interface CallCounts {
  count(partnerId: number): void;
  /** What is stored and what this shard has not stored yet; calls that are being stored, and those of other shards, are missing until they are. */
  of(partnerId: number): Promise<number>;
  /** Stores what was counted. After a failure it is stored again the next time, so that a call may then count twice but is never lost. */
  flush(): Promise<void>;
}

export function createCallCounts(store: CallCountStore): CallCounts {
  const counted = new Map<number, number>();

  async function storeOne(partnerId: number, calls: number): Promise<void> {
    counted.delete(partnerId);
    try {
      await store.add(partnerId, calls);
    } catch (error) {
      counted.set(partnerId, (counted.get(partnerId) ?? 0) + calls);
      throw error;
    }
  }

  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  async function flushAll(): Promise<void> {
    const results = await Promise.allSettled([...counted].map(([partnerId, calls]) => storeOne(partnerId, calls)));
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  /** One at a time, so that a slow store is not asked ever more; who comes meanwhile waits for the next, which has what was counted since. */
  function flush(): Promise<void> {
    if (running === null) {
      running = flushAll().finally(() => {
        running = null;
      });
      return running;
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null;
        return flush();
      });
    return next;
  }

  return {
    count: (partnerId) => {
      counted.set(partnerId, (counted.get(partnerId) ?? 0) + 1);
    },
    of: async (partnerId) => {
      const stored = await store.load(partnerId);
      return stored + (counted.get(partnerId) ?? 0);
    },
    flush,
  };
}
