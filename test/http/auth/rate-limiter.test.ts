import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { createRateLimitMemory, openRateLimit } from "../../../http/auth/rate-limiter.ts";

function world(perSecond: number, addresses?: number) {
  const clock = { nowMs: 5_000 };
  const bucket = openRateLimit(createRateLimitMemory("test", perSecond, 1, addresses), () => clock.nowMs);
  return { clock, bucket };
}

test("admits the limit, then refuses until the oldest admission is over a second ago", () => {
  const { clock, bucket } = world(3);
  assert.deepEqual([bucket.take(0, 1), bucket.take(0, 1), bucket.take(0, 1), bucket.take(0, 1)], [2, 1, 0, "limited"]);
  clock.nowMs += 1_000;
  assert.equal(bucket.take(0, 1), "limited");
  clock.nowMs += 1;
  assert.equal(bucket.take(0, 1), 2);
});

test("counts addresses apart", () => {
  const { bucket } = world(1);
  assert.deepEqual(
    [bucket.take(0, 1), bucket.take(0, 2), bucket.take(1, 1), bucket.take(-1, 1), bucket.take(0, 1)],
    [0, 0, 0, 0, "limited"],
  );
});

test("takes an admission back that came to nothing", () => {
  const { clock, bucket } = world(2);
  bucket.giveBack(0, 1);
  assert.deepEqual([bucket.take(0, 1), bucket.take(0, 1)], [1, 0]);
  bucket.giveBack(0, 1);
  bucket.giveBack(0, 2);
  assert.deepEqual([bucket.take(0, 1), bucket.take(0, 1)], [0, "limited"]);
  clock.nowMs += 1_001;
  bucket.take(0, 1);
  bucket.giveBack(0, 1);
  assert.deepEqual([bucket.take(0, 1), bucket.take(0, 1), bucket.take(0, 1)], [1, 0, "limited"]);
});

test("the remaining number follows the window", () => {
  const { clock, bucket } = world(10);
  for (let i = 0; i < 10; i++) {
    bucket.take(0, 1);
    clock.nowMs += 100;
  }
  clock.nowMs += 501;
  assert.equal(bucket.take(0, 1), 5, "the five that are over are free again, less the one just taken, with 4 of the old inside");
});

test("of one ring each client has as much as it is given, also where that changes between two requests", () => {
  const { clock, bucket } = world(8);
  assert.deepEqual([bucket.take(0, 1, 2), bucket.take(0, 1, 2), bucket.take(0, 1, 2)], [1, 0, "limited"]);
  assert.equal(bucket.take(0, 2, 8), 7);
  // Raised, it has the rest at once; lowered, nothing until fewer than that are in the window.
  clock.nowMs += 500;
  assert.deepEqual([bucket.take(0, 1, 4), bucket.take(0, 1, 4), bucket.take(0, 1, 4)], [1, 0, "limited"]);
  assert.equal(bucket.take(0, 1, 1), "limited");
  clock.nowMs += 501;
  assert.deepEqual([bucket.take(0, 1, 2), bucket.take(0, 1, 3), bucket.take(0, 1, 3)], ["limited", 0, "limited"]);
  for (let round = 0; round < 20; round += 1) {
    clock.nowMs += 1_001;
    for (let left = 4; left >= 0; left -= 1) assert.equal(bucket.take(0, 1, 5), left);
    assert.equal(bucket.take(0, 1, 5), "limited");
  }
});

test("as many addresses as a thread answers polls of in a second all have room", () => {
  const { bucket } = world(10);
  const perSecond = 110_000;
  for (let index = 0; index < perSecond; index++) {
    // Addresses of a private network, and /64s of IPv6.
    assert.equal(bucket.take(0, 0x0a00_0000 + index * 7), 9);
    if (index % 100 === 0) assert.equal(bucket.take(0x2001_0db8, index), 9);
  }
});

test("no window of a second ever holds more than the limit, at any arrival times", () => {
  let seed = 42;
  const random = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed / 2 ** 32;
  };
  const { clock, bucket } = world(7);
  const admitted: number[] = [];
  for (let i = 0; i < 20_000; i++) {
    clock.nowMs += random() < 0.02 ? random() * 1_500 : random() * 60;
    if (typeof bucket.take(3, 9) === "number") admitted.push(clock.nowMs);
  }
  assert.ok(admitted.length > 2_000);
  admitted.forEach((at, i) => {
    assert.ok((admitted[i + 7] ?? Number.POSITIVE_INFINITY) - at >= 1_000);
  });
});

test("a full table refuses new addresses, keeps the old ones limited, and takes new ones when a window has passed", () => {
  const { clock, bucket } = world(2, 1);
  for (let address = 0; address < 64; address++) assert.equal(bucket.take(0, address), 1);
  assert.equal(bucket.take(0, 999), "table_full");
  assert.equal(bucket.take(0, 5), 0);
  assert.equal(bucket.take(0, 5), "limited");
  clock.nowMs += 1_001;
  assert.equal(bucket.take(0, 999), 1);
});

test("the clock's 32-bit wrap does not admit more", () => {
  const { clock, bucket } = world(2);
  clock.nowMs = 2 ** 31 - 500;
  assert.deepEqual([bucket.take(0, 1), bucket.take(0, 1)], [1, 0]);
  clock.nowMs += 999;
  assert.equal(bucket.take(0, 1), "limited");
  clock.nowMs += 2;
  assert.equal(bucket.take(0, 1), 1);
});

test("two threads that hammer one address together stay within the limit", async () => {
  const perSecond = 50;
  const memory = createRateLimitMemory("test", perSecond, 2, 1);
  // tsx does not load TypeScript in a worker thread by itself on Node 20, so the worker registers it first.
  const [tsx, hammer] = [import.meta.resolve("tsx/esm/api"), new URL("./rate-limit-hammer.ts", import.meta.url).href];
  const start = `import { register } from "${tsx}"; register(); await import("${hammer}");`;
  const runs = [1, 2].map(async () => {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(start)}`), {
      workerData: { memory, durationMs: 2_300 },
    });
    const [times] = await once(worker, "message");
    return times;
  });
  const admittedMs: number[] = (await Promise.all(runs)).flat();
  admittedMs.sort((a, b) => a - b);
  assert.ok(admittedMs.length >= perSecond * 2, `${admittedMs.length} admitted`);
  admittedMs.forEach((firstMs, i) => {
    const beyondMs = admittedMs[i + perSecond];
    if (beyondMs !== undefined) assert.ok(beyondMs - firstMs > 1_000, `${perSecond + 1} admitted within ${beyondMs - firstMs} ms`);
  });
});

test("answers as one that keeps all times of all addresses, for any requests of some addresses", () => {
  const perSecond = 5;
  const request = fc.record({
    high: fc.constantFrom(-1, 0, 1),
    low: fc.integer({ min: 0, max: 15 }),
    waitMs: fc.constantFrom(0, 0, 1, 90, 250, 1_001),
    givesBack: fc.constantFrom(false, false, true),
  });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 200 }), (requests) => {
      const { clock, bucket } = world(perSecond, 1);
      const admitted = new Map<string, number[]>();
      for (const { high, low, waitMs, givesBack } of requests) {
        clock.nowMs += waitMs;
        const times = admitted.get(`${high} ${low}`) ?? [];
        const inside = times.filter((atMs) => clock.nowMs - atMs <= 1_000);
        const expected = inside.length === perSecond ? "limited" : perSecond - inside.length - 1;
        assert.equal(bucket.take(high, low), expected);
        if (expected === "limited") continue;
        admitted.set(`${high} ${low}`, [...times, clock.nowMs]);
        if (!givesBack) continue;
        bucket.giveBack(high, low);
        admitted.set(`${high} ${low}`, times);
      }
    }),
  );
});
