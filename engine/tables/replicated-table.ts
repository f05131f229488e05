import { hashOf } from "../kernel/hash.ts";
import type { TableSync } from "./table-sync.ts";

/**
 * Records of one kind, all of them in the memory of each shard. A change loads again the part that it is in, so a table that may be large has
 * many parts: entering a fleet's terminals one by one would otherwise read all of them each time.
 */
export interface Table<R> {
  /** The same on every node and in every version; so is the number of parts. */
  name: string;
  parts: number;
  /** The records of a part as they stand in the store, each with its version. */
  load(part: number): Promise<ReadonlyMap<string, { record: R; version: number }>>;
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

/** The part of a table that a record is in. */
export function partOf(key: string, parts: number): number {
  return parts === 1 ? 0 : (hashOf(key) >>> 0) % parts;
}

/** The name that a part is propagated by, and that has its version: a commit that changes a record has `tableVersionOperation` of it among its operations. */
export function partName(table: string, part: number): string {
  return `${table}/${part}`;
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
    add: <R>({ name, parts, load, changed }: Table<R>) => {
      const records = new Map<string, R>();
      const held = Array.from({ length: parts }, (_, part) => {
        let versions: ReadonlyMap<string, number> = new Map();
        const table = tableSync.table({
          name: partName(name, part),
          load: async () => {
            const loaded = await load(part);
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
          await held[partOf(key, parts)]?.propagate();
        },
      };
    },
    load: async () => {
      await Promise.all(loads.map((load) => load()));
    },
  };
}
