/**
 * A mark for each table that is held in memory by every shard (engine/tables/table-sync.ts). It grows in the very commit that changes the
 * table, so that a shard which nobody told of a change finds out by itself.
 */
export interface TableStamps {
  /** The marks of these tables in their order, 0 for one that was never changed. Rejects with RelayError `unavailable`. */
  load(tables: readonly string[]): Promise<number[]>;
}
