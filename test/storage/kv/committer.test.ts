import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { ClassicLevel } from "classic-level";
import type { Operation } from "../../../engine/kernel/kv.ts";
import { Committer } from "../../../storage/kv/committer.ts";
import { levelOf } from "./world.ts";

const CACHED_KEYS_MAX = 4;

async function opened(test: TestContext): Promise<{ level: ClassicLevel; committer: Committer }> {
  const level = await levelOf(test);
  const committer = new Committer({
    nowMs: () => 1_000,
    isFiltered: () => false,
    lastVersion: 0,
    cachedKeysMax: CACHED_KEYS_MAX,
    onWriteFailed: (error) => assert.fail(String(error)),
    onReadFailed: (error) => assert.fail(String(error)),
  });
  return { level, committer };
}

function put(key: string, value: string): Operation {
  return { type: "put", key, value };
}

describe("a commit that is not yet on disk", () => {
  it("is known to every check, however many other keys are read or checked meanwhile", async (test) => {
    const { level, committer } = await opened(test);
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

describe("a key that was read and is not there", () => {
  it("is checked without being read again, until it is written", async (test) => {
    const { level, committer } = await opened(test);
    let reads = 0;
    const read = level.getSync.bind(level);
    test.mock.method(level, "getSync", (key: string) => {
      reads += 1;
      return read(key);
    });
    committer.remember("t/1", undefined);
    const claim = { checks: [{ key: "t/1", version: 0 }], operations: [put("t/1", "a")] };
    assert.equal((await committer.commit(claim, level)).type, "committed");
    assert.deepEqual(await committer.commit(claim, level), { type: "conflict", key: "t/1" });
    assert.equal(reads, 0);
  });
});
