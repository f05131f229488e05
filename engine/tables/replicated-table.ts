import type { Address, Bus } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { RecordStore } from "./record-store.ts";
import { partitionName, partitionOf, type TableVersions } from "./table-versions.ts";

/** How long one shard has to confirm a change before it is asked again. */
const REQUEST_TIMEOUT_MS = 1_000;
const PAUSE_MS = 200;

/**
 * A change waits so long for all shards: a membership expires after 6 s, so what is left then is a node that lives and cannot load. An
 * endpoint that changes a table needs a deadline above it, which its surface has (`PROPAGATION_DEADLINE_MS`).
 */
const PROPAGATION_MAX_MS = 15_000;
export const PROPAGATION_DEADLINE_MS = 20_000;

/** A change that nobody told this shard of is found within this time. */
const SWEEP_MS = 500;

export interface TableProtocol {
  /** A table, or a partition of one, has changed: answered once this shard has it as it is now. */
  "table.changed": { request: { table: string }; response: undefined };
}

/**
 * The tables of a shard: what administrators keep (settings, partners, keys), in the memory of every shard of every node, so that no request waits for it.
 *
 * To add one: call `administered`, `records` or `whole` where the shard is composed, and put `tableVersionOperation` (engine/tables/table-versions.ts) among
 * the operations of each commit that changes it; a `RecordStore` does. A change is then: commit, `await propagate`, answer; `administered` does. The
 * endpoint's surface has `changeDeadlineMs: PROPAGATION_DEADLINE_MS`.
 *
 * `propagate` resolves when every shard of every live node has the change. A node that does not answer is asked again until it does or its membership has
 * expired; a node whose membership expired knows nobody until it has loaded everything again. It rejects with RelayError `unavailable` when that takes too long:
 * the change is stored, every shard finds it by itself, and propagating again is right.
 */
export interface Tables {
  /** Records that are stored by a record store and changed nowhere else. */
  administered<R>(store: RecordStore<R>, changed?: RecordChanged<R>): AdministeredRecords<R>;
  /** Records that others store. */
  records<R>(source: RecordSource<R>, changed?: RecordChanged<R>): ReplicatedRecords<R>;
  /** What is not records by key, or belongs together: each change loads all of it. */
  whole(table: WholeTable): Propagated;
  /** Loads all of them: at the start, once this node is a member, and again whenever its membership had expired. */
  load(): Promise<void>;
  /** Called by the owner every 50 ms or so. */
  tick(): void;
}

export interface ReplicatedRecords<R> {
  get(key: string): R | undefined;
  values(): IterableIterator<R>;
  readonly size: number;
  /** To be called after the commit that stored or removed a record (see `Tables`). */
  propagate(key: string): Promise<void>;
}

/** In force on every shard of every live node when a change resolves. */
export interface AdministeredRecords<R> extends Omit<ReplicatedRecords<R>, "propagate"> {
  /** Creates or replaces. */
  save(key: string, record: R): Promise<void>;
  /** The same with what `work` makes of the record as it is stored, not as this shard knows it (`RecordStore`). */
  change(key: string, work: (before: R | undefined) => R): Promise<R>;
  /** Says whether there was one. */
  remove(key: string): Promise<boolean>;
}

export interface Propagated {
  /** To be called once a change is stored (see `Tables`). */
  propagate(): Promise<void>;
}

/**
 * Where the records of a table are read from. A change loads again the partition that it is in, so a table that may be large has many partitions: entering a
 * fleet's terminals one by one would otherwise read all of them each time. Its name and the number of partitions are the same on every node and in every version.
 */
export type RecordSource<R> = Pick<RecordStore<R>, "table" | "partitions" | "load">;

/** Called with each record that came, changed (both) or went (null), in this shard. */
export type RecordChanged<R> = (key: string, after: R | null, before: R | null) => void;

export interface WholeTable {
  /** The same on every node and in every version. */
  name: string;
  /** Reads the table from the store and puts it in place of what was there. Never called twice at once. */
  load(): Promise<void>;
  /** Called after each load: what lost a right is to be ended. */
  changed?(): void;
}

export interface TablesOptions {
  bus: Bus<TableProtocol>;
  tableVersions: TableVersions;
  clock: Clock;
  /** The shards of all nodes that are live now, asked anew: one that joins later loads what is stored by then. */
  liveShards(): Promise<readonly Address[]>;
  failed(what: string, error: unknown): void;
}

/** A whole table, or a partition of one with records. */
interface Held extends WholeTable {
  /** The version that is in memory at least. */
  version: number;
  running: Promise<void> | null;
  next: Promise<void> | null;
}

export function createTables({ bus, tableVersions, clock, liveShards, failed }: TablesOptions): Tables {
  const tables = new Map<string, Held>();
  let resting: { until: number; wake: () => void }[] = [];
  let sweptAt = clock.monotonicMs();
  let sweeping = false;

  function whole(table: WholeTable): Propagated {
    const { name } = table;
    if (tables.has(name)) throw new Error(`there are two tables named ${name}`);
    tables.set(name, { ...table, version: 0, running: null, next: null });
    return { propagate: () => propagate(name) };
  }

  function records<R>({ table, partitions, load }: RecordSource<R>, changed: RecordChanged<R> = () => {}): ReplicatedRecords<R> {
    const inMemory = new Map<string, R>();

    function take(key: string, after: R | null): void {
      const before = inMemory.get(key) ?? null;
      if (after === null) inMemory.delete(key);
      else inMemory.set(key, after);
      changed(key, after, before);
    }

    for (let partition = 0; partition < partitions; partition += 1) {
      let versions: ReadonlyMap<string, number> = new Map();
      whole({
        name: partitionName(table, partition),
        load: async () => {
          const loaded = await load(partition);
          const before = versions;
          versions = new Map([...loaded].map(([key, { version }]) => [key, version]));
          for (const key of before.keys()) if (!loaded.has(key)) take(key, null);
          for (const [key, { record, version }] of loaded) if (before.get(key) !== version) take(key, record);
        },
      });
    }
    return {
      get: (key) => inMemory.get(key),
      values: () => inMemory.values(),
      get size() {
        return inMemory.size;
      },
      propagate: (key) => propagate(partitionName(table, partitionOf(key, partitions))),
    };
  }

  function administered<R>(store: RecordStore<R>, changed?: RecordChanged<R>): AdministeredRecords<R> {
    const held = records(store, changed);
    return {
      get: held.get,
      values: held.values,
      get size() {
        return held.size;
      },
      save: async (key, record) => {
        await store.save(key, record);
        await held.propagate(key);
      },
      change: async (key, work) => {
        const record = await store.change(key, work);
        await held.propagate(key);
        return record;
      },
      remove: async (key) => {
        const known = held.get(key) !== undefined;
        await store.remove(key);
        await held.propagate(key);
        return known;
      },
    };
  }

  async function read(table: Held): Promise<void> {
    try {
      // The version first: a change between the two is loaded and found once more, never missed.
      const [version = 0] = await tableVersions.load([table.name]);
      await table.load();
      table.version = version;
    } finally {
      table.running = null;
    }
  }

  /** A load that begins after this call. One that runs may have read before the change, so all who come meanwhile share the next. */
  function readAnew(table: Held): Promise<void> {
    if (table.next !== null) return table.next;
    if (table.running === null) {
      table.running = read(table);
      return table.running;
    }
    table.next = table.running
      .catch(() => {})
      .then(() => {
        table.next = null;
        table.running = read(table);
        return table.running;
      });
    return table.next;
  }

  async function takeIn(table: Held): Promise<void> {
    await readAnew(table);
    table.changed?.();
  }

  function rest(): Promise<void> {
    return new Promise((wake) => resting.push({ until: clock.monotonicMs() + PAUSE_MS, wake }));
  }

  async function confirmedBy(address: Address, table: string): Promise<boolean> {
    try {
      await bus.request(address, "table.changed", { table }, REQUEST_TIMEOUT_MS);
      return true;
    } catch (error) {
      failed(`table.changed at ${address}`, error);
      return false;
    }
  }

  /** Null where it cannot be told now. */
  async function live(): Promise<readonly Address[] | null> {
    try {
      return await liveShards();
    } catch (error) {
      failed("live shards", error);
      return null;
    }
  }

  async function propagate(table: string): Promise<void> {
    const giveUpAt = clock.monotonicMs() + PROPAGATION_MAX_MS;
    let missing = await live();
    while (clock.monotonicMs() < giveUpAt) {
      if (missing !== null) {
        const confirmed = await Promise.all(missing.map((address) => confirmedBy(address, table)));
        missing = missing.filter((_, index) => confirmed[index] !== true);
        if (missing.length === 0) return;
      }
      await rest();
      const now = await live();
      if (now !== null) missing = missing?.filter((address) => now.includes(address)) ?? now;
    }
    throw new RelayError("unavailable", "The change is stored. Some nodes have not confirmed it yet; retry to check.", {
      retryAfterSeconds: 5,
    });
  }

  async function sweep(): Promise<void> {
    const held = [...tables.values()];
    const now = await tableVersions.load(held.map(({ name }) => name));
    await Promise.all(held.filter((table, index) => table.version !== now[index]).map(takeIn));
  }

  bus.handle("table.changed", async ({ table }) => {
    const held = tables.get(table);
    // Another version of this program may hold more tables.
    if (held !== undefined) await takeIn(held);
    return undefined;
  });

  return {
    administered,
    records,
    whole,
    load: async () => {
      await Promise.all([...tables.values()].map(takeIn));
    },
    tick: () => {
      const now = clock.monotonicMs();
      const rested = resting.filter(({ until }) => until <= now);
      if (rested.length > 0) resting = resting.filter(({ until }) => until > now);
      for (const { wake } of rested) wake();
      if (sweeping || tables.size === 0 || now - sweptAt < SWEEP_MS) return;
      sweptAt = now;
      sweeping = true;
      sweep()
        .catch((error: unknown) => failed("table sweep", error))
        .finally(() => {
          sweeping = false;
        });
    },
  };
}
