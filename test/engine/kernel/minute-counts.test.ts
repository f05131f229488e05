import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createFallbackCounts, createMinuteCounts, type MinuteCounts } from "../../../engine/kernel/minute-counts.ts";

const MINUTE_MS = 60_000;

function world(keysMax?: number) {
  const now = { ms: 1_000_000_500 };
  return { now, counts: createMinuteCounts(() => now.ms, keysMax) };
}

test("so many calls in a minute are admitted, and the next one when the first leaves it", async () => {
  const { now, counts } = world();
  for (let n = 0; n < 3; n += 1) {
    assert.equal(await counts.take("a", 3), 0);
    now.ms += 10_000;
  }
  const waitMs = await counts.take("a", 3);
  assert.ok(waitMs > 29_000 && waitMs <= 31_000, `${waitMs}`);
  now.ms += waitMs - 1;
  assert.equal(await counts.take("a", 3), 1);
  now.ms += 1;
  assert.equal(await counts.take("a", 3), 0);
  assert.ok((await counts.take("a", 3)) > 0);
});

test("keys do not count for each other, and a call that is refused does not count", async () => {
  const { now, counts } = world();
  assert.equal(await counts.take("a", 1), 0);
  for (let n = 0; n < 100; n += 1) assert.ok((await counts.take("a", 1)) > 0);
  assert.equal(await counts.take("b", 1), 0);
  now.ms += MINUTE_MS + 1_000;
  assert.equal(await counts.take("a", 1), 0);
});

test("a limit that is lowered counts what was admitted before, one that is raised too", async () => {
  const { counts } = world();
  for (let n = 0; n < 5; n += 1) assert.equal(await counts.take("a", 5), 0);
  assert.ok((await counts.take("a", 2)) > 0);
  assert.equal(await counts.take("a", 6), 0);
  assert.ok((await counts.take("a", 6)) > 0);
});

test("in no minute are there more than the limit, and after the wait that is told there is room", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 60 }),
      async (max, pauses) => {
        const { now, counts } = world();
        const admitted: number[] = [];
        for (const pause of pauses) {
          now.ms += pause;
          const waitMs = await counts.take("a", max);
          if (waitMs === 0) admitted.push(now.ms);
          else {
            assert.ok(waitMs > 0 && waitMs <= MINUTE_MS + 1_000);
            now.ms += waitMs;
            assert.equal(await counts.take("a", max), 0);
            admitted.push(now.ms);
          }
        }
        for (const [first, atMs] of admitted.entries()) {
          const later = admitted[first + max];
          assert.ok(later === undefined || later - atMs > MINUTE_MS - 1, `${later} - ${atMs}`);
        }
      },
    ),
  );
});

test("there is room for a bounded number of keys, and those whose minute is over make room first", async () => {
  const { now, counts } = world(4);
  for (const key of ["a", "b", "c"]) await counts.take(key, 1);
  now.ms += 2 * MINUTE_MS;
  await counts.take("d", 1);
  await counts.take("e", 1);
  await counts.take("f", 1);
  assert.equal(counts.size, 4);
  assert.ok((await counts.take("d", 1)) > 0, "what is counted stays");
  for (let n = 0; n < 1_000; n += 1) await counts.take(`x${n}`, 1);
  assert.equal(counts.size, 4);
});

test("while others cannot be asked a node counts by itself, and asks them again after a second", async () => {
  const { now, counts } = world();
  const others = { asked: 0, away: true };
  const shared: MinuteCounts = {
    take: async () => {
      others.asked += 1;
      if (others.away) throw new Error("away");
      return 7;
    },
  };
  const both = createFallbackCounts(shared, counts, () => now.ms);
  assert.equal(await both.take("a", 1), 0);
  assert.ok((await both.take("a", 1)) > 0);
  assert.equal(others.asked, 1);
  others.away = false;
  now.ms += 1_000;
  assert.equal(await both.take("a", 1), 7);
});
