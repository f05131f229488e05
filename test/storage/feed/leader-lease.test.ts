import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Clock } from "../../../engine/kernel/clock.ts";
import { outboxKeyAt } from "../../../engine/payments/outbox.ts";
import { Cursor } from "../../../storage/feed/kafka/kafka-cursor.ts";
import { LeaderLease } from "../../../storage/feed/leader-lease.ts";
import { START_MS } from "./feed-world.ts";
import { kvOf } from "./kafka/kafka-world.ts";

function movedClock(): Clock & { advance(ms: number): void } {
  let ms = 0;
  return {
    nowMs: () => START_MS + ms,
    monotonicMs: () => ms,
    advance: (by) => {
      ms += by;
    },
  };
}

describe("the lease to read the outbox", () => {
  it("is one node's until it gives it back, and the next one learns how far it was", async (test) => {
    const kv = await kvOf(test);
    const clock = movedClock();
    const [one, other] = [new LeaderLease(kv, clock), new LeaderLease(kv, clock)];
    assert.deepEqual(await one.acquire(), { cursor: null });
    assert.equal(await other.acquire(), null);
    clock.advance(2_500);
    assert.equal(await one.renew("o/1"), true);
    clock.advance(5_000);
    assert.equal(await other.acquire(), null);
    await one.release("o/2");
    assert.deepEqual(await other.acquire(), { cursor: "o/2" });
  });

  it("goes to another when its holder has not renewed for six seconds, and the holder that wakes up finds it lost", async (test) => {
    const kv = await kvOf(test);
    const clock = movedClock();
    const [sleeper, other] = [new LeaderLease(kv, clock), new LeaderLease(kv, clock)];
    await sleeper.acquire();
    clock.advance(2_500);
    await sleeper.renew("o/1");
    assert.equal(await other.acquire(), null);
    clock.advance(5_999);
    assert.equal(await other.acquire(), null);
    clock.advance(1);
    assert.deepEqual(await other.acquire(), { cursor: "o/1" });
    assert.equal(await sleeper.renew("o/9"), false);
    await sleeper.release("o/9");
    clock.advance(2_500);
    assert.equal(await other.renew("o/3"), true);
    assert.equal(await sleeper.acquire(), null);
  });

  it("is won by one of many who ask for it at once", async (test) => {
    const kv = await kvOf(test);
    const clock = movedClock();
    const taken = await Promise.all(Array.from({ length: 20 }, () => new LeaderLease(kv, clock).acquire()));
    assert.equal(taken.filter((answer) => answer !== null).length, 1);
  });
});

describe("the cursor of what has been produced", () => {
  const keyOf = (ms: number, unique = "w"): string => `${outboxKeyAt(START_MS + ms)}-${unique}`;

  it("looks again at what is 0.2 seconds old, and now and then at 15, and passes by what it remembers", () => {
    const clock = movedClock();
    const cursor = new Cursor(clock, null);
    assert.equal(cursor.begin(), null);
    assert.equal(cursor.settled(), null);
    cursor.produced(keyOf(0), START_MS);
    clock.advance(1_000);
    assert.equal(cursor.begin(), outboxKeyAt(START_MS - 200));
    assert.equal(cursor.has(keyOf(0)), true);
    assert.equal(cursor.has(keyOf(0, "late")), false);
    clock.advance(4_000);
    assert.equal(cursor.begin(), outboxKeyAt(START_MS - 15_000));
    assert.equal(cursor.begin(), outboxKeyAt(START_MS - 200));
    assert.equal(cursor.settled(), outboxKeyAt(START_MS - 15_000));
  });

  it("begins where another has ended, and is not led astray by a row from a clock ahead", () => {
    const clock = movedClock();
    const cursor = new Cursor(clock, keyOf(-60_000));
    assert.equal(cursor.begin(), keyOf(-60_000));
    cursor.produced(keyOf(3_600_000), START_MS + 3_600_000);
    assert.equal(cursor.begin(), outboxKeyAt(START_MS - 200));
  });

  it("remembers a bounded number of keys, and looks at none before those that it has forgotten", () => {
    const clock = movedClock();
    const cursor = new Cursor(clock, null);
    const count = 201_000;
    for (let index = 0; index < count; index++) cursor.produced(keyOf(0, String(index).padStart(7, "0")), START_MS);
    cursor.tidy();
    const from = cursor.begin();
    const first = String(count - 150_000).padStart(7, "0");
    assert.equal(cursor.has(keyOf(0, first)), true);
    assert.equal(cursor.has(keyOf(0, "0000000")), false);
    assert.ok(from !== null && from <= keyOf(0, first) && from > keyOf(0, "0000000"));
  });
});
