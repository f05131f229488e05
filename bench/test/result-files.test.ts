import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { directoryOf } from "../../test/storage/kv/world.ts";
import { processorName, writeResultFiles } from "../result-files.ts";
import { assertPlot } from "./plots/well-formed.ts";

describe("a result of the benchmark", () => {
  it("overwrites none of the same day and machine", async (test) => {
    const folder = join(await directoryOf(test), "results");
    const write = (markdown: string) =>
      writeResultFiles({ date: "2026-01-02", kind: "cluster", json: { markdown, dead: { medianMs: 5 } }, markdown }, folder);
    const [first, second] = [await write("one"), await write("two")];
    assert.match(String(first), /2026-01-02-cluster-\d+cores[a-z0-9-]*\.json,.*\.md,.*\.svg$/);
    assert.equal((await readdir(folder)).length, 6);
    for (const [files, text] of [
      [first, "one"],
      [second, "two"],
    ] as const) {
      const [json = "", markdown = "", svg = ""] = files;
      assert.match(await readFile(markdown, "utf8"), new RegExp(`^${text}\\n[^]*\\[Plot\\]\\(${basename(svg)}\\)`));
      const { date, machine, commit, ...measured } = JSON.parse(await readFile(json, "utf8"));
      assert.deepEqual(measured, { markdown: text, dead: { medianMs: 5 } });
      assert.deepEqual([date, machine.node], ["2026-01-02", process.version]);
      assert.ok(commit === null || /^[0-9a-f]{12}(?: and changes)?$/.test(commit), commit);
      assertPlot(await readFile(svg, "utf8"));
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
