import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecent } from "../../../engine/kernel/recent.ts";
import { ManualClock, settle } from "../world.ts";

test("those who ask within the time share one look, each key its own", async () => {
  const clock = new ManualClock();
  const recent = createRecent<number>(clock, 100);
  let looks = 0;
  const look = async () => {
    looks += 1;
    return looks;
  };
  assert.deepEqual(await Promise.all([recent("a", look), recent("a", look), recent("b", look)]), [1, 1, 2]);
  clock.advance(99);
  assert.equal(await recent("a", look), 1);
  clock.advance(1);
  assert.equal(await recent("a", look), 3);
});

test("a look that failed is not kept", async () => {
  const recent = createRecent<number>(new ManualClock(), 100);
  await assert.rejects(recent("a", async () => Promise.reject(new Error("away"))));
  await settle();
  assert.equal(await recent("a", async () => 7), 7);
});

test("the oldest of too many keys goes", async () => {
  const recent = createRecent<string>(new ManualClock(), 100);
  for (let key = 0; key <= 1_000; key += 1) await recent(String(key), async () => "first");
  assert.equal(await recent("0", async () => "again"), "again");
  assert.equal(await recent("1000", async () => "again"), "first");
});
