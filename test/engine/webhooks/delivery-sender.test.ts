import assert from "node:assert/strict";
import { test } from "node:test";
import type { Stored } from "../../../engine/kernel/stored.ts";
import { createDeliverySender, type DuePage } from "../../../engine/webhooks/delivery-sender.ts";
import { ManualClock, settle } from "../world.ts";

interface Delivery {
  id: string;
  lane: string;
  holder: string;
}

/** A sender of deliveries that never end, over a store that has all of them due. */
async function begun(due: readonly Delivery[], bounds: { all: number; each: number; laneMax: number }): Promise<string[]> {
  const clock = new ManualClock();
  const sent: string[] = [];
  const sender = createDeliverySender<Delivery>({
    kind: {
      name: "test",
      underWay: bounds,
      laneMax: bounds.laneMax,
      due: async ({ after, limit, room }): Promise<DuePage<Delivery>> => {
        const rest = due.filter(({ id, lane }) => (after === null || id > after) && !sent.includes(id) && room(lane) > 0);
        const found = rest.slice(0, limit).map((record): Stored<Delivery> => ({ record, version: 1 }));
        const next = rest.length > limit ? (found.at(-1)?.record.id ?? null) : null;
        return { found, next, left: rest.length > limit, oldestMs: null };
      },
      idOf: ({ id }) => id,
      laneOf: ({ lane }) => lane,
      holderOf: ({ holder }) => holder,
      queueOf: () => null,
      claim: async (stored) => stored,
      attempt: ({ record }) => {
        sent.push(record.id);
        return new Promise(() => {});
      },
    },
    clock,
    failed: (what, error) => assert.fail(`${what}: ${error}`),
  });
  for (let ticks = 0; ticks < 20; ticks += 1) {
    sender.tick();
    await settle();
    clock.advance(500);
  }
  return sent;
}

test("a merchant with many receivers that are slow leaves room for the deliveries of another", async () => {
  const greedy = Array.from({ length: 200 }, (_, index) => ({
    id: `a${String(index).padStart(3, "0")}`,
    lane: `receiver ${index % 16}`,
    holder: "greedy",
  }));
  const modest = { id: "b", lane: "modest", holder: "modest" };
  const sent = await begun([...greedy, modest], { all: 32, each: 16, laneMax: 8 });
  assert.deepEqual([sent.length, sent.includes("b")], [17, true]);
});
