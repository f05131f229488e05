import type { Address, Bus } from "../../../engine/kernel/bus.ts";
import { createTables, type TableProtocol, type Tables } from "../../../engine/tables/replicated-table.ts";
import { createTableVersions } from "../../../engine/tables/table-versions.ts";
import type { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock, settle } from "../world.ts";

export interface SyncedShard {
  address: Address;
  tables: Tables;
  failures: string[];
  /** Moves the clock of all shards in steps of a tick, and lets what that brings come to its end. */
  pass(ms: number): Promise<void>;
}

export interface SyncWorld {
  clock: ManualClock;
  shards: SyncedShard[];
  /** Shards that answer nothing. */
  silent: Set<Address>;
  /** Shards of live nodes; all of them at first. */
  live: Set<Address>;
}

/** Shards with their tables each, over a bus in memory and one store. */
export function syncedShards(count: number, kv: MemoryKv): SyncWorld {
  const clock = new ManualClock();
  const addresses = Array.from({ length: count }, (_, index) => `shard-${index}`);
  const [silent, live] = [new Set<Address>(), new Set(addresses)];
  const handlers = new Map<Address, (table: string) => Promise<undefined>>();
  const ticks: (() => void)[] = [];
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 50) {
      clock.advance(50);
      for (const tick of ticks) tick();
      await settle();
    }
  }
  const shards = addresses.map((self): SyncedShard => {
    const failures: string[] = [];
    const bus: Bus<TableProtocol> = {
      self,
      shards: addresses,
      request: async (to, _kind, { table }) => {
        await null;
        if (silent.has(to)) throw new Error(`${to} did not answer`);
        return handlers.get(to)?.(table);
      },
      send: () => {},
      handle: (_kind, handler) => handlers.set(self, async (table) => handler({ table }, self)),
    };
    const tables = createTables({
      bus,
      tableVersions: createTableVersions(kv),
      clock,
      liveShards: async () => [...live],
      failed: (what) => failures.push(what),
    });
    ticks.push(tables.tick);
    return { address: self, tables, failures, pass };
  });
  return { clock, shards, silent, live };
}
