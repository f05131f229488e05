import { hashOf } from "../kernel/hash.ts";
import type { TableSync } from "./table-sync.ts";

/**
 * Records of one kind, all of them in the memory of each shard. A change loads again the partition that it is in, so a table that may be large has
 * many partitions: entering a fleet's terminals one by one would otherwise read all of them each time.
 */
export interface Table<R> {
  /** The same on every node and in every version; so is the number of partitions. */
  name: string;
  partitions: number;
  /** The records of a partition as they stand in the store, each with its version. */
  load(partition: number): Promise<ReadonlyMap<string, { record: R; version: number }>>;
  /** Called with each record that came, changed (both) or went (null), in this shard. */
  changed(key: string, after: R | null, before: R | null): void;
}

export interface Replica<R> {
  get(key: string): R | undefined;
  values(): IterableIterator<R>;
  readonly size: number;
  /** To be called after the commit that stored or removed a record: resolves when every shard of every live node has it (see `Spread`). */
  propagate(key: string): Promise<void>;
}

/** The partition of a table that a record is in. */
export function partitionOf(key: string, partitions: number): number {
  return partitions === 1 ? 0 : (hashOf(key) >>> 0) % partitions;
}

/**
 * The name that a partition is propagated by, and that has its version: a commit that changes a record has `tableVersionOperation` of it
 * among its operations.
 */
export function partitionName(table: string, partition: number): string {
  return `${table}/${partition}`;
}

/** The tables of a shard. */
export interface Tables {
  add<R>(table: Table<R>): Replica<R>;
  /** Reads all of them; for the start. */
  load(): Promise<void>;
}

export function createTables(tableSync: TableSync): Tables {
  const loads: (() => Promise<void>)[] = [];

  return {
    add: <R>({ name, partitions, load, changed }: Table<R>) => {
      const records = new Map<string, R>();
      const held = Array.from({ length: partitions }, (_, partition) => {
        let versions: ReadonlyMap<string, number> = new Map();
        const table = tableSync.table({
          name: partitionName(name, partition),
          load: async () => {
            const loaded = await load(partition);
            const before = versions;
            versions = new Map([...loaded].map(([key, { version }]) => [key, version]));
            for (const key of before.keys()) if (!loaded.has(key)) take(key, null);
            for (const [key, { record, version }] of loaded) if (before.get(key) !== version) take(key, record);
          },
          changed: () => {},
        });
        loads.push(table.load);
        return table;
      });

      function take(key: string, after: R | null): void {
        const before = records.get(key) ?? null;
        if (after === null) records.delete(key);
        else records.set(key, after);
        changed(key, after, before);
      }

      return {
        get: (key) => records.get(key),
        values: () => records.values(),
        get size() {
          return records.size;
        },
        propagate: async (key) => {
          await held[partitionOf(key, partitions)]?.propagate();
        },
      };
    },
    load: async () => {
      await Promise.all(loads.map((load) => load()));
    },
  };
}
