import { hashOf } from "../kernel/hash.ts";
import { available, type Kv, type Operation } from "../kernel/kv.ts";

/**
 * A version of each table that is held in memory by every shard (engine/tables/replicated-table.ts). It grows in the very commit that changes the
 * table, so that a shard which nobody told of a change finds out by itself.
 */
export interface TableVersions {
  /** The versions of these tables in their order, 0 for one that was never changed. Rejects with RelayError `unavailable`. */
  load(tables: readonly string[]): Promise<number[]>;
}

const TABLE_VERSIONS = "stamp/";

/** The partition of a table that a record is in. */
export function partitionOf(key: string, partitions: number): number {
  return partitions === 1 ? 0 : (hashOf(key) >>> 0) % partitions;
}

/** The name that a partition is propagated by, and that has its version. */
export function partitionName(table: string, partition: number): string {
  return `${table}/${partition}`;
}

/** To be among the operations of every commit that changes the table, or the partition: its version is that of this entry. */
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
