import type { RecordStore } from "./record-store.ts";
import type { Replica, Tables } from "./replicated-table.ts";

/** Small records that administrators keep, in memory of each shard. */
export interface Administered<R> extends Pick<Replica<R>, "get" | "values" | "size"> {
  /** Creates or replaces; in force on every shard of every live node when it resolves. */
  save(key: string, record: R): Promise<void>;
  /** The same with what `work` makes of the record as it is stored, not as this shard knows it (`RecordStore`). */
  change(key: string, work: (before: R | undefined) => R): Promise<R>;
  /** Says whether there was one. */
  remove(key: string): Promise<boolean>;
}

export function createAdministered<R>(
  tables: Tables,
  store: RecordStore<R>,
  changed: (key: string, after: R | null, before: R | null) => void = () => {},
): Administered<R> {
  const replica = tables.add<R>({ name: store.table, partitions: store.partitions, load: store.load, changed });
  return {
    get: replica.get,
    values: replica.values,
    get size() {
      return replica.size;
    },
    save: async (key, record) => {
      await store.save(key, record);
      await replica.propagate(key);
    },
    change: async (key, work) => {
      const record = await store.change(key, work);
      await replica.propagate(key);
      return record;
    },
    remove: async (key) => {
      const known = replica.get(key) !== undefined;
      await store.remove(key);
      await replica.propagate(key);
      return known;
    },
  };
}
