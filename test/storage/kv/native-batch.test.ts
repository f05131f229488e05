import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import { NativeBatches } from "../../../storage/kv/native-batch.ts";
import { levelOf } from "./world.ts";

const require = createRequire(import.meta.url);

describe("native batches", () => {
  it("call what is private to these versions: who upgrades looks at NativeBatch again", () => {
    const versions = ["classic-level", "abstract-level"].map((name) => [name, require(`${name}/package.json`).version]);
    assert.deepEqual(versions, [
      ["classic-level", "3.0.0"],
      ["abstract-level", "3.1.1"],
    ]);
  });

  it("are used again, and write only what was put into them since", async (test) => {
    const level = await levelOf(test);
    const batches = new NativeBatches(level);
    const first = batches.take();
    first._put("a", "1");
    first._put("b", "1");
    await first._write({ sync: true });
    batches.giveBack(first, 4);
    await level.del("a");

    const second = batches.take();
    assert.equal(second, first);
    second._put("c", "2");
    second._del("b");
    await second._write({ sync: true });
    assert.deepEqual(await level.iterator().all(), [["c", "2"]]);
  });

  it("are two while one is filled and another written, and not kept once one has grown large", async (test) => {
    const batches = new NativeBatches(await levelOf(test));
    const [first, second] = [batches.take(), batches.take()];
    assert.notEqual(second, first);
    first._put("a", "x".repeat(2_000_000));
    await first._write({ sync: true });
    batches.giveBack(first, 2_000_001);
    assert.notEqual(batches.take(), first);
  });
});
