import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ClassicLevel } from "classic-level";
import { Committer } from "../../../storage/kv/committer.ts";
import { atEnd, directoryOf } from "./world.ts";

const CACHED_KEYS_MAX = 4;

describe("a commit that is not yet on disk", () => {
  it("is known to every check, however many other keys are read or checked meanwhile", async (test) => {
    const level = new ClassicLevel(join(await directoryOf(test), "level"));
    await level.open();
    atEnd(test, () => level.close());
    const committer = new Committer({
      nowMs: () => 1_000,
      isFiltered: () => false,
      lastVersion: 0,
      cachedKeysMax: CACHED_KEYS_MAX,
      onWriteFailed: (error) => assert.fail(String(error)),
      onReadFailed: (error) => assert.fail(String(error)),
    });
    const others = Array.from({ length: 10 * CACHED_KEYS_MAX }, (_, index) => `other/${index}`);
    await Promise.all(others.map((key) => committer.commit({ checks: [], operations: [{ type: "put", key, value: "1" }] }, level)));
    const texts = await Promise.all(others.map(async (key) => ({ key, text: await level.get(key) })));

    const claim = { checks: [{ key: "c/1", version: 0 }], operations: [{ type: "put" as const, key: "c/1", value: "mine" }] };
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
});
