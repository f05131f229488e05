import type { Address, Bus } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { TableVersions } from "./table-versions.ts";

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

export interface TableSyncProtocol {
  /** A table has changed: answered once this shard has it as it is now. */
  "table.changed": { request: { table: string }; response: undefined };
}

/** A table that every shard holds in memory as a whole. */
export interface SyncedTable {
  /** The same on every node and in every version. */
  name: string;
  /** Reads the table from the store and puts it in place of what was there. Never called twice at once. */
  load(): Promise<void>;
  /** Called after each load that a change made necessary: what lost a right is to be ended. */
  changed(): void;
}

export interface ReplicatedTable {
  /** Loads the table; for the start. */
  load(): Promise<void>;
  /**
   * To be called once a change is stored: resolves when every shard of every live node has it. A node that does not answer is asked again
   * until it does or its membership has expired; a node whose membership expired knows nobody until it has loaded everything again. Throws RelayError
   * `unavailable` when that takes too long: the change is stored, every shard finds it by itself, and calling this again is right.
   */
  propagate(): Promise<void>;
}

/**
 * Administered tables (settings, partners, keys) in the memory of every shard, so that no request waits for them.
 *
 * To add one: call `table({ name, load, changed })` once a shard, where the shard is composed, and put `tableVersionOperation(name)`
 * (engine/tables/table-versions.ts) among the operations of each commit that changes it. A change is then: commit, `await
 * table.propagate()`, answer. The endpoint's surface has `changeDeadlineMs: PROPAGATION_DEADLINE_MS`. Loads at a start and after an expiry are done for all tables.
 */
export interface TableSync {
  table(table: SyncedTable): ReplicatedTable;
  /** Loads all tables: once this node is a member, and again whenever its membership had expired. */
  load(): Promise<void>;
  /** Called by the owner every 50 ms or so. */
  tick(): void;
}

export interface TableSyncOptions {
  bus: Bus<TableSyncProtocol>;
  tableVersions: TableVersions;
  clock: Clock;
  /** The shards of all nodes that are live now, asked anew: one that joins later loads what is stored by then. */
  liveShards(): Promise<readonly Address[]>;
  failed(what: string, error: unknown): void;
}

interface Held extends SyncedTable {
  /** The version that the table in memory has at least. */
  version: number;
  running: Promise<void> | null;
  next: Promise<void> | null;
}

export function createTableSync({ bus, tableVersions, clock, liveShards, failed }: TableSyncOptions): TableSync {
  const tables = new Map<string, Held>();
  let resting: { until: number; wake: () => void }[] = [];
  let sweptAt = clock.monotonicMs();
  let sweeping = false;

  async function run(table: Held): Promise<void> {
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
  function load(table: Held): Promise<void> {
    if (table.next !== null) return table.next;
    if (table.running === null) {
      table.running = run(table);
      return table.running;
    }
    table.next = table.running
      .catch(() => {})
      .then(() => {
        table.next = null;
        table.running = run(table);
        return table.running;
      });
    return table.next;
  }

  async function takeIn(table: Held): Promise<void> {
    await load(table);
    table.changed();
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
    throw new RelayError("unavailable", "The change is stored, but not every node has confirmed it yet; ask again", {
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
    table: (table) => {
      if (tables.has(table.name)) throw new Error(`there are two tables named ${table.name}`);
      const held: Held = { ...table, version: 0, running: null, next: null };
      tables.set(table.name, held);
      return { load: () => load(held), propagate: () => propagate(table.name) };
    },
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
