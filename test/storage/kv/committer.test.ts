import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { ClassicLevel } from "classic-level";
import type { Operation } from "../../../engine/kernel/kv.ts";
import { Committer } from "../../../storage/kv/committer.ts";
import { levelOf } from "./world.ts";

const CACHED_KEYS_MAX = 4;

/** `filtered`: keys that begin so are. */
async function opened(test: TestContext, filtered: string | null = null): Promise<{ level: ClassicLevel; committer: Committer }> {
  const level = await levelOf(test);
  const committer = new Committer({
    nowMs: () => 1_000,
    isFiltered: (key) => filtered !== null && key.startsWith(filtered),
    lastVersion: 0,
    cachedKeysMax: CACHED_KEYS_MAX,
    onWriteFailed: (error) => assert.fail(String(error)),
    onReadFailed: (error) => assert.fail(String(error)),
  });
  return { level, committer };
}

function put(key: string, value: string, expiresAtMs?: number): Operation {
  return expiresAtMs === undefined ? { type: "put", key, value } : { type: "put", key, value, expiresAtMs };
}

/** Counts what is read from the disk. */
function watchReads(test: TestContext, level: ClassicLevel): () => number {
  let reads = 0;
  const read = level.getSync.bind(level);
  test.mock.method(level, "getSync", (key: string) => {
    reads += 1;
    return read(key);
  });
  return () => reads;
}

describe("a commit that is not yet on disk", () => {
  for (const filtered of [null, "c/"]) {
    it(`is known to every check, however many other keys are read or checked meanwhile${filtered === null ? "" : ", also of a filtered key"}`, async (test) => {
      const { level, committer } = await opened(test, filtered);
      committer.filter.completed();
      const others = Array.from({ length: 10 * CACHED_KEYS_MAX }, (_, index) => `other/${index}`);
      await Promise.all(others.map((key) => committer.commit({ checks: [], operations: [put(key, "1")] }, level)));
      const texts = await Promise.all(others.map(async (key) => ({ key, text: await level.get(key) })));

      const claim = { checks: [{ key: "c/1", version: 0 }], operations: [put("c/1", "mine")] };
      const first = committer.commit(claim, level);
      for (const { key, text } of texts) {
        if (text !== undefined) committer.remember(key, text);
        // A check that fails; it writes nothing.
        void committer.commit({ checks: [{ key, version: 1 }], operations: [] }, level);
      }
      const second = committer.commit(claim, level);
      assert.equal((await first).type, "committed");
      assert.deepEqual(await second, { type: "conflict", key: "c/1" });
    });
  }

  it("is not passed over for what the disk says meanwhile, which has no such key yet", async (test) => {
    const { level, committer } = await opened(test);
    const first = committer.commit({ checks: [{ key: "t/1", version: 0 }], operations: [put("t/1", "a")] }, level);
    // As a reader does, at a moment when the cache knows nothing.
    for (const other of ["x/1", "x/2", "x/3", "x/4", "x/5"]) committer.remember(other, undefined);
    committer.remember("t/1", level.getSync("t/1"));
    assert.deepEqual(await committer.commit({ checks: [{ key: "t/1", version: 0 }], operations: [] }, level), {
      type: "conflict",
      key: "t/1",
    });
    assert.equal((await first).type, "committed");
  });

  it("stands as its last operation on each key left it, among keys of all kinds", async (test) => {
    const { level, committer } = await opened(test);
    const kinds = ["a/1", "c/1", "q/1", "t/1"];
    const first = committer.commit({ checks: [], operations: kinds.map((key) => put(key, "1")) }, level);
    const second = committer.commit({ checks: [], operations: [{ type: "delete", key: "q/1" }, put("t/1", "2")] }, level);
    const claims = kinds.map((key) => committer.commit({ checks: [{ key, version: 0 }], operations: [put(key, "3")] }, level));
    assert.deepEqual(
      (await Promise.all(claims)).map(({ type }) => type),
      ["conflict", "conflict", "committed", "conflict"],
    );
    const [one, other] = [await first, await second];
    assert.ok(one.type === "committed" && other.type === "committed" && other.version > one.version);
    const checks = [
      { key: "c/1", version: one.version },
      { key: "t/1", version: other.version },
    ];
    assert.equal((await committer.commit({ checks, operations: [] }, level)).type, "committed");
  });
});

describe("commits that come one by one", () => {
  it("go to the disk together, where the batch before was begun within the same millisecond", async (test) => {
    const { level, committer } = await opened(test);
    test.mock.method(performance, "now", () => 5);
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const commit = (key: string) => committer.commit({ checks: [], operations: [put(key, "1")] }, level);
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    assert.equal((await commit("a/1")).type, "committed");
    const later = [];
    for (const key of ["a/2", "a/3", "a/4"]) {
      later.push(commit(key));
      await turn();
    }
    let drained = false;
    const draining = committer.drain().then(() => {
      drained = true;
    });
    await turn();
    assert.deepEqual([committer.stats().batches, drained], [1, false]);
    test.mock.timers.tick(1);
    for (const result of await Promise.all(later)) assert.equal(result.type, "committed");
    await draining;
    assert.equal(committer.stats().batches, 2);
  });

  it("do not wait where the one before was begun earlier", async (test) => {
    const { level, committer } = await opened(test);
    let nowMs = 5;
    test.mock.method(performance, "now", () => nowMs);
    test.mock.timers.enable({ apis: ["setTimeout"] });
    for (const key of ["a/1", "a/2", "a/3"]) {
      assert.equal((await committer.commit({ checks: [], operations: [put(key, "1")] }, level)).type, "committed");
      nowMs += 1;
    }
    assert.equal(committer.stats().batches, 3);
  });
});

describe("a key that was read and is not there", () => {
  it("is checked without being read again, until it is written", async (test) => {
    const { level, committer } = await opened(test);
    const reads = watchReads(test, level);
    committer.remember("t/1", undefined);
    const claim = { checks: [{ key: "t/1", version: 0 }], operations: [put("t/1", "a")] };
    assert.equal((await committer.commit(claim, level)).type, "committed");
    assert.deepEqual(await committer.commit(claim, level), { type: "conflict", key: "t/1" });
    assert.equal(reads(), 0);
  });
});

describe("a filtered key", () => {
  it("is not read where it was just put, or read, and is what the disk says once it expires or is deleted", async (test) => {
    const { level, committer } = await opened(test, "c/");
    committer.filter.completed();
    const reads = watchReads(test, level);
    const commit = async (key: string, version: number, operation: Operation) => {
      const result = await committer.commit({ checks: [{ key, version }], operations: [operation] }, level);
      return result.type === "committed" ? result.version : result.type;
    };
    const claimed = Number(await commit("c/1", 0, put("c/1", "claimed")));
    assert.equal(await commit("c/1", 0, put("c/1", "again")), "conflict");
    const ended = Number(await commit("c/1", claimed, put("c/1", "ended", 5_000)));
    assert.equal(reads(), 0);
    assert.equal(await commit("c/1", claimed, put("c/1", "twice", 5_000)), "conflict");
    assert.equal(reads(), 1);
    const over = Number(await commit("c/1", ended, put("c/1", "over", 900)));
    assert.equal(await commit("c/1", over, put("c/1", "late")), "conflict");
    const anew = Number(await commit("c/1", 0, put("c/1", "anew")));
    const seen = reads();
    assert.ok(Number(await commit("c/1", anew, { type: "delete", key: "c/1" })) > anew);
    assert.equal(reads(), seen);
    assert.equal(await commit("c/1", anew, put("c/1", "gone")), "conflict");

    const long = Number(await commit("c/2", 0, put("c/2", "waits")));
    for (let other = 0; other < 10_000; other += 1) void commit(`c/other-${other}`, 0, put(`c/other-${other}`, ""));
    await committer.drain();
    const before = reads();
    committer.remember("c/2", level.getSync("c/2"));
    assert.ok(Number(await commit("c/2", long, put("c/2", "ended", 5_000))) > long);
    assert.equal(reads(), before + 1, "nothing but the look itself");
  });
});
