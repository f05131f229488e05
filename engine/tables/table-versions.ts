import { available, type Kv, type Operation } from "../kernel/kv.ts";

/**
 * A mark for each table that is held in memory by every shard (engine/tables/table-sync.ts). It grows in the very commit that changes the
 * table, so that a shard which nobody told of a change finds out by itself.
 */
export interface TableStamps {
  /** The marks of these tables in their order, 0 for one that was never changed. Rejects with RelayError `unavailable`. */
  load(tables: readonly string[]): Promise<number[]>;
}

const STAMPS = "stamp/";

/** To be among the operations of every commit that changes the table: its mark is the version of this entry. */
export function stampOperation(table: string): Operation {
  return { type: "put", key: STAMPS + table, value: "1" };
}

/** `stamp/<table>`: an entry whose version tells when the table was last changed. */
export function createTableStamps(kv: Kv): TableStamps {
  return {
    load: (tables) =>
      available(async () => {
        const entries = await kv.getMany(tables.map((table) => STAMPS + table));
        return entries.map((entry) => entry?.version ?? 0);
      }),
  };
}
