import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { PresenceRecord } from "../../../engine/sessions/presence.ts";
import { createPresenceFlush, type PresenceFlush } from "../../../engine/sessions/presence-flush.ts";
import { createPresenceTable, type PresenceTable } from "../../../engine/sessions/presence-table.ts";
import { ManualClock } from "../world.ts";

interface World {
  clock: ManualClock;
  table: PresenceTable;
  flush: PresenceFlush;
  /** The terminals of each batch that was handed to the store. */
  batches: string[][];
  failures: unknown[];
  store: { broken: boolean };
}

function world(terminals: number): World {
  const clock = new ManualClock();
  const table = createPresenceTable(clock);
  const batches: string[][] = [];
  const failures: unknown[] = [];
  const store = { broken: false };
  const presences = {
    load: () => Promise.resolve(null),
    save: async (records: readonly PresenceRecord[]) => {
      batches.push(records.map(({ terminalId }) => terminalId));
      if (store.broken) throw new Error("the store is away");
    },
    count: () => Promise.resolve(0),
    forgetDevices: () => Promise.resolve(0),
    page: () => Promise.resolve([]),
  };
  const flush = createPresenceFlush({ table, presences, clock, failed: (_, error) => failures.push(error) });
  for (let index = 0; index < terminals; index += 1) table.polled(`T${index}`, {}, 0);
  return { clock, table, flush, batches, failures, store };
}

describe("the flush of presence", () => {
  it("stores a little in each tick, so that no turn of the loop takes long, until all is stored", async () => {
    const { table, flush, batches } = world(600);
    for (let ticks = 0; ticks < 4; ticks += 1) {
      flush.tick();
      await turn();
    }
    assert.deepEqual(
      batches.map((batch) => batch.length),
      [250, 250, 100],
    );
    assert.equal(new Set(batches.flat()).size, 600);
    assert.equal(table.dirtyCount(), 0);
  });

  it("stores all at once where somebody waits for it, what was stored just before included", async () => {
    const { table, flush, batches } = world(1_200);
    flush.tick();
    await turn();
    table.polled("T0", {}, 0);
    await flush.flush();
    assert.equal(table.dirtyCount(), 0);
    assert.equal(batches.flat().filter((id) => id === "T0").length, 2);
    assert.ok(Math.max(...batches.map((batch) => batch.length)) <= 1_000);
  });

  it("leaves a store that failed alone for a second, and then stores what it could not", async () => {
    const { clock, flush, batches, failures, store } = world(10);
    store.broken = true;
    for (let ticks = 0; ticks < 20; ticks += 1) {
      flush.tick();
      await turn();
      clock.advance(49);
    }
    assert.equal(batches.length, 1);
    assert.equal(failures.length, 1);
    store.broken = false;
    clock.advance(50);
    flush.tick();
    await turn();
    assert.deepEqual(batches[1], batches[0]);
  });

  it("does not begin a batch while one is under way", async () => {
    const { flush, batches } = world(600);
    flush.tick();
    flush.tick();
    assert.equal(batches.length, 1);
    await turn();
  });
});
