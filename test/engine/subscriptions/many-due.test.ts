import assert from "node:assert/strict";
import { test } from "node:test";
import { DUE_PARTITIONS, type DueEntry, duePartitionOf } from "../../../engine/kernel/due-index-store.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import { createBillingCalendar } from "../../../engine/subscriptions/calendar.ts";
import { createSubscriptionDeadlines } from "../../../engine/subscriptions/subscription-deadlines.ts";
import type { SubscriptionWorkflow } from "../../../engine/subscriptions/workflow.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock, settle } from "../world.ts";
import { MINUTE_MS, storeOn } from "./world.ts";

const MANY = 100_000;

test("processes a hundred thousand missed subscriptions over half an hour, each once", { timeout: 300_000 }, async () => {
  const clock = new ManualClock();
  const partitions: DueEntry[][] = Array.from({ length: DUE_PARTITIONS }, () => []);
  /** All have the same deadline, so their ids determine their order. */
  const places = new Map<string, number>();
  const dueAtMs = clock.nowMs() - 3_600_000;
  for (let n = 0; n < MANY; n += 1) {
    const id = `sub_${String(n).padStart(24, "0")}`;
    const partition = partitions[duePartitionOf(id)] ?? [];
    places.set(id, partition.length);
    partition.push({ id, atMs: dueAtMs });
  }
  const done = new Set<string>();
  const perMinute: number[] = [];
  const never = async (): Promise<never> => {
    throw new Error("it is not asked for");
  };
  const store: SubscriptionWorkflow["store"] = {
    anyDue: async () => done.size < MANY,
    pageDue: async (partition, after, untilMs, limit) => {
      const entries = partitions[partition] ?? [];
      const page: DueEntry[] = [];
      for (let at = after === null ? 0 : (places.get(after.id) ?? 0) + 1; at < entries.length && page.length < limit; at += 1) {
        const entry = entries[at];
        if (entry !== undefined && !done.has(entry.id) && entry.atMs < untilMs) page.push(entry);
      }
      return page;
    },
    load: async (id) => {
      assert.ok(!done.has(id), `${id} is done twice`);
      done.add(id);
      const minute = Math.floor((clock.nowMs() - began) / MINUTE_MS);
      perMinute[minute] = (perMinute[minute] ?? 0) + 1;
      return null;
    },
    ...{ commit: never, exact: never, page: never, under: never, beginning: never, count: never, firstAtMs: never, entries: never },
    part: () => assert.fail("nothing is stored"),
  };
  const failures: unknown[] = [];
  const began = clock.nowMs();
  const workflow: SubscriptionWorkflow = {
    ...{ store, create: never, step: never, apply: never, current: never, prepare: never },
    refused: () => assert.fail("nothing is refused"),
  };
  const deadlines = createSubscriptionDeadlines({
    ...{
      definition: storeOn(new MemoryKv()).definition,
      workflow,
      clock,
      homes: createRendezvousHomes(["shard-0"]),
      self: "shard-0",
      calendar: createBillingCalendar(() => 0),
    },
    ...{ policies: { termsOf: never }, isInactive: () => false },
    collector: { ask: never, look: never },
    failed: (_, error) => failures.push(error),
  });
  for (let second = 0; second < 31 * 60; second += 1) {
    clock.advance(1_000);
    deadlines.tick();
    await settle();
  }
  assert.deepEqual(failures, []);
  assert.equal(done.size, MANY);
  // The maximum is close to an even distribution, also at the start.
  assert.ok(Math.max(...perMinute) <= 1.2 * (MANY / 30), `up to ${Math.max(...perMinute)} in a minute`);
  await deadlines.stop();
});
