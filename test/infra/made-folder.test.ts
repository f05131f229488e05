import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { madeFolder } from "../../infra/local/made-folder.ts";
import { directoryOf } from "../storage/kv/world.ts";

describe("a folder that is made from files", () => {
  it("is made once, again where a file has changed, and again where it was left half made", async (test) => {
    const directory = await directoryOf(test);
    const file = join(directory, "source");
    const cache = join(directory, "cache");
    let made = 0;
    const make = async (target: string) => {
      await mkdir(target, { recursive: true });
      made += 1;
      await writeFile(join(target, "number"), String(made));
      if (made === 3) throw new Error("interrupted");
    };
    const numberIn = async () => readFile(join(await madeFolder({ cache, name: "program", files: [file], make }), "number"), "utf8");
    await writeFile(file, "one");
    assert.equal(await numberIn(), "1");
    assert.equal(await numberIn(), "1");
    await writeFile(file, "two");
    assert.equal(await numberIn(), "2");
    await writeFile(file, "three");
    await assert.rejects(numberIn(), /interrupted/);
    assert.equal(await numberIn(), "4");
    await writeFile(file, "one");
    assert.equal(await numberIn(), "1");
  });
});
