import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { processorName, writeResultFiles } from "../../bench/result-files.ts";
import { directoryOf } from "../storage/kv/world.ts";

describe("a result of the benchmark", () => {
  it("overwrites none of the same day and machine", async (test) => {
    const folder = join(await directoryOf(test), "results");
    const write = (markdown: string) => writeResultFiles({ date: "2026-01-02", kind: "cluster", json: { markdown }, markdown }, folder);
    const [first, second] = [await write("one"), await write("two")];
    assert.match(String(first), /2026-01-02-cluster-\d+cores[a-z0-9-]*\.json,.*\.md$/);
    assert.equal((await readdir(folder)).length, 4);
    for (const [files, text] of [
      [first, "one"],
      [second, "two"],
    ] as const) {
      const [json = "", markdown = ""] = files;
      assert.equal(await readFile(markdown, "utf8"), text);
      assert.deepEqual(JSON.parse(await readFile(json, "utf8")), { markdown: text });
    }
  });

  it("is named for the kind of processor, where that is known", () => {
    assert.equal(processorName("Intel(R) Xeon(R) Processor"), "xeon");
    assert.equal(processorName("Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz"), "core");
    assert.equal(processorName("AMD EPYC 7763 64-Core Processor"), "epyc");
    assert.equal(processorName("Apple M2 Pro"), "apple-m2");
    assert.equal(processorName("unknown"), null);
  });
});
