import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";

const BREAKS = `
import { describe, it } from "node:test";
describe("a till", () => {
  describe("at noon", () => {
    it("opens", () => {});
    it("shuts", () => { throw new Error("it is stuck"); });
  });
});
`;

test("right before the summary stand how long each file took, and what failed once more, with its suites, its place and its reason", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "relay-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "till.test.mjs");
  writeFileSync(file, BREAKS);
  // A run within a run is refused unless it does not know that it is within one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const ended = spawnSync(process.execPath, ["--import", "tsx", "test/in-order.ts", file], { env, encoding: "utf8" });
  assert.equal(ended.status, 1);

  const lines = ended.stdout.split("\n");
  const plan = lines.indexOf("1..1");
  assert.match(lines[plan + 1] ?? "", new RegExp(`^# took \\d+ s: ${relative("", file)}$`));
  assert.equal(lines[plan + 2], `# failed: a till > at noon > shuts (${file}:6)`);
  assert.equal(lines[plan + 3], "#   Error: it is stuck");
  assert.equal(
    lines.filter((line) => line.startsWith("# failed:")).length,
    1,
    "the suites around it are not told of as failures of their own",
  );
  const summary = lines.indexOf("# tests 2");
  assert.ok(summary > plan + 3);
  assert.ok(lines.includes("# fail 1", summary));
});
