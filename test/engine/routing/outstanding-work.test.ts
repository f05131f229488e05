import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createOutstandingWork } from "../../../engine/routing/outstanding-work.ts";
import { createWaitingElsewhere } from "../../../engine/terminals/waiting-counters.ts";
import { openWorld, settle } from "../world.ts";

/** A shard of two, with this many terminals in the index; each sweep of it is counted. */
async function sweepsOf(terminals: number) {
  const { shard, clock } = await openWorld();
  const ids = Array.from({ length: terminals }, (_, index) => `T${String(index).padStart(6, "0")}`);
  const swept: number[] = [];
  const elsewhere = createWaitingElsewhere();
  const work = createOutstandingWork({
    store: {
      pageOutstanding: async (after: string, limit: number) => {
        if (after === "") swept.push(clock.monotonicMs());
        const from = ids.findIndex((id) => id > after);
        return from === -1 ? [] : ids.slice(from, from + limit).map((terminalId) => ({ terminalId, waits: true }));
      },
    },
    homes: { homeOf: () => "other#1/shard-0", shards: () => ["other#1/shard-0", shard.bus.self], onChange: () => {} },
    bus: shard.bus,
    home: { lookAt: () => assert.fail("none of them is at home here"), rearm: () => Promise.resolve() },
    elsewhere,
    clock,
    isOwnNode: (address) => address === shard.bus.self,
    failed: (_, error) => assert.fail(String(error)),
  });
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 50) {
      clock.advance(50);
      work.tick();
      await settle();
    }
  }
  return { pass, swept, elsewhere, ids };
}

describe("the sweep of outstanding work", () => {
  const cases = [
    { terminals: 0, sweeps: 20 },
    { terminals: 1_000, sweeps: 20 },
    { terminals: 4_000, sweeps: 11 },
    { terminals: 50_000, sweeps: 11 },
  ];
  for (const { terminals, sweeps } of cases) {
    it(`of ${terminals} terminals happens ${sweeps} times in ten seconds`, async () => {
      const world = await sweepsOf(terminals);
      await world.pass(10_000);
      assert.ok(Math.abs(world.swept.length - sweeps) <= 1, `${world.swept.length} sweeps`);
      assert.ok(world.ids.every((id) => world.elsewhere.mayWait(id)));
    });
  }
});
