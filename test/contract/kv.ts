import assert from "node:assert/strict";
import { describe } from "node:test";
import fc from "fast-check";
import { type Commit, type Entry, type Kv, type Operation, prefixRange } from "../../engine/kernel/kv.ts";
import type { OpenKv } from "./engines.ts";
import { type OwnWorldTest, ownWorldTest } from "./own-world.ts";

/** The contract of engine/kernel/kv.ts; every engine's test file calls this. */
export function testKv(name: string, open: () => Promise<OpenKv>): void {
  describe(`${name} keeps the contract of the store`, () => {
    const test = ownWorldTest(open);
    testReading(test);
    testChecks(test);
    testExpiry(test);
    testLimits(test);
    testAgainstModel(test);
  });
}

type Test = OwnWorldTest<OpenKv>;

function testReading(test: Test): void {
  test("answers null for a key that was never put", async ({ kv }) => {
    assert.equal(await kv.get("nothing"), null);
    assert.deepEqual(await kv.getMany(["nothing", "nobody"]), [null, null]);
    assert.deepEqual(await kv.getMany([]), []);
    assert.deepEqual(await kv.scan({ from: "a", to: "z", limit: 10 }), []);
  });

  test("answers what was put, with its version", async ({ kv }) => {
    const version = await put(kv, "a", "one");
    assert.deepEqual(await kv.get("a"), { key: "a", value: "one", version });
    const next = await put(kv, "a", "two");
    assert.ok(next > version);
    assert.deepEqual(await kv.get("a"), { key: "a", value: "two", version: next });
  });

  test("answers getMany in the order of the keys, repeated ones too", async ({ kv }) => {
    await put(kv, "a", "1");
    await put(kv, "b", "2");
    const entries = await kv.getMany(["b", "x", "a", "b"]);
    assert.deepEqual(
      entries.map((entry) => entry?.value ?? null),
      ["2", null, "1", "2"],
    );
  });

  test("scans a range in byte order, both ways, from included and to excluded", async ({ kv }) => {
    const keys = ["a", "a/1", "a/10", "a/2", "aB", "ab", "b", "A", "a~", " "];
    await kv.commit({ checks: [], operations: keys.map((key) => ({ type: "put", key, value: `v:${key}` })) });
    const sorted = [...keys].sort(byBytes);
    assert.deepEqual(keysOf(await kv.scan({ from: "", to: "\u{7f}", limit: 100 })), sorted);
    assert.deepEqual(keysOf(await kv.scan({ from: "", to: "\u{7f}", limit: 100, reverse: true })), [...sorted].reverse());
    assert.deepEqual(keysOf(await kv.scan({ from: "a/1", to: "ab", limit: 100 })), ["a/1", "a/10", "a/2", "aB"]);
    assert.deepEqual(keysOf(await kv.scan({ from: "a/1", to: "ab", limit: 100, reverse: true })), ["aB", "a/2", "a/10", "a/1"]);
    assert.deepEqual(keysOf(await kv.scan({ from: "b", to: "a", limit: 100 })), []);
    assert.deepEqual(keysOf(await kv.scan({ from: "a", to: "a", limit: 100 })), []);
    assert.deepEqual(keysOf(await kv.scan({ from: "", to: "", limit: 100 })), []);
  });

  test("scans at most as many as asked for, the nearest first", async ({ kv }) => {
    await kv.commit({ checks: [], operations: range(30).map((n) => ({ type: "put", key: `k/${pad(n)}`, value: `${n}` })) });
    assert.deepEqual(keysOf(await kv.scan({ ...prefixRange("k/"), limit: 3 })), ["k/00", "k/01", "k/02"]);
    assert.deepEqual(keysOf(await kv.scan({ ...prefixRange("k/"), limit: 2, reverse: true })), ["k/29", "k/28"]);
    assert.equal((await kv.scan({ ...prefixRange("k/"), limit: 10_000 })).length, 30);
  });

  test("counts what is in a range, up to what is asked for", async ({ kv }) => {
    await kv.commit({ checks: [], operations: puts([...range(30).map((n) => `k/${pad(n)}`), "j", "l"], "v") });
    assert.equal(await kv.count({ ...prefixRange("k/"), limit: 1_000_000 }), 30);
    assert.equal(await kv.count({ from: "k/05", to: "k/10", limit: 10 }), 5);
    for (const limit of [29, 30]) assert.equal(await kv.count({ ...prefixRange("k/"), limit }), limit);
    assert.equal(await kv.count({ from: "l~", to: "m", limit: 10 }), 0);
    assert.equal(await kv.count({ from: "k/10", to: "k/10", limit: 10 }), 0);
    assert.equal(await kv.count({ from: "k/10", to: "k/05", limit: 10 }), 0);
    assert.equal(await kv.count({ from: "", to: "\u{7f}", limit: 100 }), 32, "the store's own keys are not among them");
    await kv.commit({ checks: [], operations: [{ type: "delete", key: "k/07" }] });
    assert.equal(await kv.count({ ...prefixRange("k/"), limit: 100 }), 29);
  });

  test("prefixRange covers all keys of a prefix and no other", async ({ kv }) => {
    const keys = ["p", "p/", "p/~", "p/~~", "p/a", "p0", "o/a", "q"];
    await kv.commit({ checks: [], operations: keys.map((key) => ({ type: "put", key, value: "" })) });
    assert.deepEqual(keysOf(await kv.scan({ ...prefixRange("p/"), limit: 100 })), ["p/", "p/a", "p/~", "p/~~"]);
  });

  test("gives back large values, empty values, and text of any language", async ({ kv }) => {
    const values = ["", "x".repeat(1_048_576), "è".repeat(524_288), "日本語 🧾 \u{0}\u{1}\n\"',", ",,,"];
    for (const [index, value] of values.entries()) await put(kv, `v/${index}`, value);
    assert.deepEqual(
      (await kv.scan({ ...prefixRange("v/"), limit: 10 })).map((entry) => entry.value),
      values,
    );
    assert.equal((await kv.get("v/3"))?.value, values[3]);
  });

  test("takes a key of 512 bytes with any printable character", async ({ kv }) => {
    const printable = String.fromCharCode(...range(95).map((n) => 32 + n));
    const key = printable.repeat(6).slice(0, 512);
    await put(kv, key, "long");
    assert.equal((await kv.get(key))?.value, "long");
    assert.equal((await kv.scan({ ...prefixRange(key), limit: 1 })).length, 1);
  });
}

function testChecks(test: Test): void {
  test("version 0 asks for an absent key", async ({ kv }) => {
    assert.equal((await kv.commit(claim("a", "first"))).type, "committed");
    assert.deepEqual(await kv.commit(claim("a", "second")), { type: "conflict", key: "a" });
    assert.equal((await kv.get("a"))?.value, "first");
  });

  test("a version asks for just this version", async ({ kv }) => {
    const first = await put(kv, "a", "1");
    const second = await put(kv, "a", "2");
    const change = (version: number): Commit => ({ checks: [{ key: "a", version }], operations: [{ type: "put", key: "a", value: "3" }] });
    for (const wrong of [first, second + 1, 0, 1]) assert.deepEqual(await kv.commit(change(wrong)), { type: "conflict", key: "a" });
    assert.equal((await kv.commit(change(second))).type, "committed");
    assert.deepEqual(await kv.commit(change(second)), { type: "conflict", key: "a" });
  });

  test("one check that does not hold leaves everything as it was, and is named", async ({ kv }) => {
    const version = await put(kv, "a", "1");
    await put(kv, "b", "1");
    const result = await kv.commit({
      checks: [
        { key: "a", version },
        { key: "b", version: 0 },
        { key: "a", version: 0 },
      ],
      operations: [
        { type: "put", key: "a", value: "2" },
        { type: "delete", key: "b" },
        { type: "put", key: "c", value: "2" },
      ],
    });
    assert.deepEqual(result, { type: "conflict", key: "b" });
    const entries = await kv.getMany(["a", "b", "c"]);
    assert.deepEqual(
      entries.map((entry) => entry?.value ?? null),
      ["1", "1", null],
    );
  });

  test("all operations of a commit are applied, with one version", async ({ kv }) => {
    await put(kv, "gone", "1");
    const operations: Operation[] = [
      { type: "delete", key: "gone" },
      { type: "delete", key: "never there" },
      ...puts(["a", "b", "c"], "v"),
    ];
    const result = await kv.commit({ checks: [{ key: "a", version: 0 }], operations });
    assert.ok(result.type === "committed");
    assert.deepEqual(
      (await kv.scan({ from: "", to: "~", limit: 10 })).map((entry) => [entry.key, entry.version]),
      ["a", "b", "c"].map((key) => [key, result.version]),
    );
  });

  test("the last operation on a key counts", async ({ kv }) => {
    await kv.commit({
      checks: [],
      operations: [...puts(["a"], "1"), { type: "delete", key: "a" }, ...puts(["b"], "1"), ...puts(["b"], "2")],
    });
    assert.equal(await kv.get("a"), null);
    assert.equal((await kv.get("b"))?.value, "2");
  });

  test("a commit of checks alone tells whether they hold", async ({ kv }) => {
    const version = await put(kv, "a", "1");
    assert.equal((await kv.commit({ checks: [{ key: "a", version }], operations: [] })).type, "committed");
    assert.deepEqual(await kv.commit({ checks: [{ key: "b", version: 1 }], operations: [] }), { type: "conflict", key: "b" });
    assert.equal((await kv.get("a"))?.version, version);
  });

  test("of a hundred commits on one version one wins, and the others find its work", async ({ kv }) => {
    const version = await put(kv, "a", "start");
    const results = await Promise.all(
      range(100).map(async (n) => {
        const result = await kv.commit({ checks: [{ key: "a", version }], operations: [{ type: "put", key: "a", value: `winner ${n}` }] });
        return { n, result, seen: result.type === "conflict" ? (await kv.get("a"))?.value : undefined };
      }),
    );
    const winners = results.filter(({ result }) => result.type === "committed");
    assert.equal(winners.length, 1);
    for (const { result, seen } of results) if (result.type === "conflict") assert.equal(seen, `winner ${winners[0]?.n}`);
  });

  test("of a hundred claims of one key one wins", async ({ kv }) => {
    const results = await Promise.all(range(100).map((n) => kv.commit(claim("uuid", `${n}`))));
    assert.equal(results.filter(({ type }) => type === "committed").length, 1);
  });

  test("commits of one turn build on each other", async ({ kv }) => {
    const results = await Promise.all(range(50).map((n) => kv.commit({ checks: [], operations: puts(["shared", `own/${n}`], `${n}`) })));
    const versions = results.map((result) => (result.type === "committed" ? result.version : 0));
    assert.equal(new Set(versions).size, 50);
    assert.deepEqual(await kv.get("shared"), { key: "shared", value: "49", version: Math.max(...versions) });
    assert.equal((await kv.scan({ ...prefixRange("own/"), limit: 100 })).length, 50);
  });

  test("a hundred increments by compare and set add up", async ({ kv }) => {
    await put(kv, "sum", "0");
    const increment = async (): Promise<void> => {
      for (;;) {
        const entry = await kv.get("sum");
        assert.ok(entry !== null);
        const value = String(Number(entry.value) + 1);
        const checks = [{ key: "sum", version: entry.version }];
        const result = await kv.commit({ checks, operations: [{ type: "put", key: "sum", value }] });
        if (result.type === "committed") return;
      }
    };
    const worker = async (): Promise<void> => {
      for (let round = 0; round < 10; round++) await increment();
    };
    await Promise.all(range(10).map(worker));
    assert.equal((await kv.get("sum"))?.value, "100");
  });

  test("a version is never used again after a delete", async ({ kv }) => {
    const seen: number[] = [];
    for (let round = 0; round < 20; round++) {
      seen.push(await put(kv, "a", "same"));
      await kv.commit({ checks: [], operations: [{ type: "delete", key: "a" }] });
    }
    assert.deepEqual(
      seen,
      [...new Set(seen)].sort((a, b) => a - b),
    );
    const first = seen[0] ?? 0;
    assert.deepEqual(await kv.commit({ checks: [{ key: "a", version: first }], operations: [] }), { type: "conflict", key: "a" });
    assert.ok(seen.every((version) => Number.isSafeInteger(version) && version > 0));
  });
}

function testExpiry(test: Test): void {
  test("makes a commit that is waited for only so long like any other, where it comes to it in time", async ({ kv }) => {
    const commit = { checks: [], operations: puts(["a"], "1"), withinMs: 2_000 };
    assert.equal((await kv.commit(commit)).type, "committed");
    assert.deepEqual(await kv.commit({ ...commit, checks: [{ key: "a", version: 0 }] }), { type: "conflict", key: "a" });
  });

  test("an expired entry reads as absent at once", async ({ kv, advance, nowMs }) => {
    const expiresAtMs = nowMs() + 60_000;
    await kv.commit({ checks: [], operations: [{ type: "put", key: "a", value: "1", expiresAtMs }, ...puts(["b"], "2")] });
    await advance(59_000);
    assert.equal((await kv.get("a"))?.value, "1");
    await advance(1_000);
    assert.equal(await kv.get("a"), null);
    assert.deepEqual(
      (await kv.getMany(["a", "b"])).map((entry) => entry?.value ?? null),
      [null, "2"],
    );
    assert.deepEqual(keysOf(await kv.scan({ from: "", to: "~", limit: 1 })), ["b"]);
  });

  test("an expired entry counts as absent in checks", async ({ kv, advance, nowMs }) => {
    const operations: Operation[] = [{ type: "put", key: "a", value: "1", expiresAtMs: nowMs() + 60_000 }];
    const first = await kv.commit({ checks: [{ key: "a", version: 0 }], operations });
    assert.ok(first.type === "committed");
    assert.deepEqual(await kv.commit(claim("a", "too early")), { type: "conflict", key: "a" });
    await advance(60_000);
    assert.deepEqual(await kv.commit({ checks: [{ key: "a", version: first.version }], operations: [] }), { type: "conflict", key: "a" });
    const second = await kv.commit(claim("a", "2"));
    assert.ok(second.type === "committed" && second.version > first.version);
    assert.equal((await kv.get("a"))?.value, "2");
  });

  test("a later put takes the expiry away or moves it", async ({ kv, advance, nowMs }) => {
    const expiresAtMs = nowMs() + 60_000;
    const operations: Operation[] = ["a", "b"].map((key) => ({ type: "put", key, value: "1", expiresAtMs }));
    await kv.commit({ checks: [], operations });
    await kv.commit({
      checks: [],
      operations: [...puts(["a"], "2"), { type: "put", key: "b", value: "2", expiresAtMs: expiresAtMs + 60_000 }],
    });
    await advance(60_000);
    assert.deepEqual(keysOf(await kv.scan({ from: "", to: "~", limit: 10 })), ["a", "b"]);
    await advance(60_000);
    assert.deepEqual(keysOf(await kv.scan({ from: "", to: "~", limit: 10 })), ["a"]);
  });
}

function testLimits(test: Test): void {
  test("refuses bad keys, bounds, limits, values and expiries, and stores nothing", async ({ kv }) => {
    for (const key of ["", "x".repeat(513), "tab\t", "newline\n", "\u{1}own", "\u{7f}", "è", "日"]) {
      await assert.rejects(kv.get(key), RangeError);
      await assert.rejects(kv.getMany(["a", key]), RangeError);
      await assert.rejects(kv.commit({ checks: [{ key, version: 0 }], operations: [] }), RangeError);
      await assert.rejects(kv.commit({ checks: [], operations: puts(["a", key], "1") }), RangeError);
      await assert.rejects(kv.commit({ checks: [], operations: [...puts(["a"], "1"), { type: "delete", key }] }), RangeError);
    }
    for (const limit of [0, -1, 1.5, 10_001, Number.NaN]) await assert.rejects(kv.scan({ from: "a", to: "b", limit }), RangeError);
    await assert.rejects(kv.scan({ from: "a", to: "è", limit: 1 }), RangeError);
    for (const limit of [0, -1, 1.5, 1_000_001, Number.NaN]) await assert.rejects(kv.count({ from: "a", to: "b", limit }), RangeError);
    await assert.rejects(kv.count({ from: "a", to: "è", limit: 1 }), RangeError);
    for (const value of ["x".repeat(1_048_577), "è".repeat(524_289)]) {
      await assert.rejects(kv.commit({ checks: [], operations: puts(["a"], value) }), RangeError);
    }
    for (const version of [-1, 0.5, Number.NaN])
      await assert.rejects(kv.commit({ checks: [{ key: "a", version }], operations: [] }), RangeError);
    for (const expiresAtMs of [0, -1, 0.5, Number.NaN]) {
      await assert.rejects(kv.commit({ checks: [], operations: [{ type: "put", key: "a", value: "1", expiresAtMs }] }), RangeError);
    }
    await assert.rejects(kv.commit({ checks: [], operations: puts(range(10_001).map(String), "") }), RangeError);
    assert.deepEqual(await kv.scan({ from: "", to: "\u{7f}", limit: 1 }), []);
  });

  test("refuses everything once closed", async ({ kv }) => {
    await kv.close();
    const unavailable = { name: "StorageUnavailable" };
    await assert.rejects(kv.get("a"), unavailable);
    await assert.rejects(kv.scan({ from: "", to: "~", limit: 1 }), unavailable);
    await assert.rejects(kv.count({ from: "", to: "~", limit: 1 }), unavailable);
    await assert.rejects(kv.commit({ checks: [], operations: [] }), unavailable);
    await kv.close();
  });
}

/** What a commit of the model test does: each check is right or wrong on purpose. */
interface Step {
  checks: { key: string; claim: "current" | "absent" | "stale" }[];
  operations: { key: string; type: "put" | "delete" | "expiring" }[];
  advanceMs: number;
}

function testAgainstModel(test: Test): void {
  test("behaves as a simple model does under random commits", async (world) => {
    const key = fc.constantFrom("a", "a/b", "b", "c~", "d");
    const step: fc.Arbitrary<Step> = fc.record({
      checks: fc.array(fc.record({ key, claim: fc.constantFrom("current" as const, "absent" as const, "stale" as const) }), {
        maxLength: 2,
      }),
      operations: fc.array(fc.record({ key, type: fc.constantFrom("put" as const, "delete" as const, "expiring" as const) }), {
        maxLength: 4,
      }),
      advanceMs: fc.constantFrom(0, 0, 500, 1_500),
    });
    // The seed of a failure is in fast-check's message.
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => runAgainstModel(world, steps)),
      { numRuns: 40 },
    );
  });
}

async function runAgainstModel({ kv, advance, nowMs }: OpenKv, steps: readonly Step[]): Promise<void> {
  await kv.commit({ checks: [], operations: ["a", "a/b", "b", "c~", "d"].map((key) => ({ type: "delete", key })) });
  const model = new Map<string, { value: string; version: number; expiresAtMs: number }>();
  const live = (key: string) => {
    const entry = model.get(key);
    return entry !== undefined && entry.expiresAtMs > nowMs() ? entry : undefined;
  };
  let count = 0;
  for (const step of steps) {
    await advance(step.advanceMs);
    const checks = step.checks.map(({ key, claim: kind }) => {
      const version = live(key)?.version ?? 0;
      return { key, version: kind === "current" ? version : kind === "absent" ? 0 : version + 1 };
    });
    const operations = step.operations.map(({ key, type }): Operation => {
      if (type === "delete") return { type, key };
      return { type: "put", key, value: `value ${count++}`, ...(type === "expiring" ? { expiresAtMs: nowMs() + 1_000 } : {}) };
    });
    const expected = checks.find(({ key, version }) => (live(key)?.version ?? 0) !== version);
    const result = await kv.commit({ checks, operations });
    if (expected !== undefined) assert.deepEqual(result, { type: "conflict", key: expected.key });
    else {
      assert.ok(result.type === "committed");
      for (const operation of operations) {
        if (operation.type === "delete") model.delete(operation.key);
        else {
          const { key, value, expiresAtMs = Number.POSITIVE_INFINITY } = operation;
          model.set(key, { value, version: result.version, expiresAtMs });
        }
      }
    }
    const present = [...model.keys()].filter((key) => live(key) !== undefined).sort(byBytes);
    const entries = present.map((key) => ({ key, value: model.get(key)?.value, version: model.get(key)?.version }));
    assert.deepEqual(await kv.scan({ from: "", to: "\u{7f}", limit: 100 }), entries);
  }
}

async function put(kv: Kv, key: string, value: string): Promise<number> {
  const result = await kv.commit({ checks: [], operations: [{ type: "put", key, value }] });
  assert.ok(result.type === "committed");
  return result.version;
}

function claim(key: string, value: string): Commit {
  return { checks: [{ key, version: 0 }], operations: [{ type: "put", key, value }] };
}

function puts(keys: readonly string[], value: string): Operation[] {
  return keys.map((key) => ({ type: "put", key, value }));
}

function keysOf(entries: readonly Entry[]): string[] {
  return entries.map((entry) => entry.key);
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

function pad(number: number): string {
  return String(number).padStart(2, "0");
}
