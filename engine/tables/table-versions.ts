import { available, type Kv, type Operation } from "../kernel/kv.ts";

/**
 * A version of each table that is held in memory by every shard (engine/tables/table-sync.ts). It grows in the very commit that changes the
 * table, so that a shard which nobody told of a change finds out by itself.
 */
export interface TableVersions {
  /** The versions of these tables in their order, 0 for one that was never changed. Rejects with RelayError `unavailable`. */
  load(tables: readonly string[]): Promise<number[]>;
}

const TABLE_VERSIONS = "stamp/";

/** To be among the operations of every commit that changes the table: its version is that of this entry. */
export function tableVersionOperation(table: string): Operation {
  return { type: "put", key: TABLE_VERSIONS + table, value: "1" };
}

/** `stamp/<table>`: an entry whose version tells when the table was last changed. */
export function createTableVersions(kv: Kv): TableVersions {
  return {
    load: (tables) =>
      available(async () => {
        const entries = await kv.getMany(tables.map((table) => TABLE_VERSIONS + table));
        return entries.map((entry) => entry?.version ?? 0);
      }),
  };
}
