import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type JobResult, runJob } from "./run-job.ts";

async function resultOf(context: TestContext, ...sources: readonly string[]): Promise<JobResult> {
  const folder = await mkdtemp(join(tmpdir(), "relay-runner-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const files = sources.map((_, index) => join(folder, `${index}.test.mjs`));
  for (const [index, source] of sources.entries()) {
    await writeFile(files[index] ?? "", `import assert from "node:assert/strict";\nimport { describe, it } from "node:test";\n${source}\n`);
  }
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  return runJob({ name: "job", files }, environment, new AbortController().signal);
}

test("counts what passed, what failed with its reason, and what was skipped with its reason", async (context) => {
  const result = await resultOf(
    context,
    `describe("suite", () => {
       it("passes", () => {});
       it("fails", () => assert.equal(1, 2));
       it("is skipped", { skip: "no Redis" }, () => {});
       it("is to be done", { todo: true }, () => {});
     });`,
  );
  assert.equal(result.passed, 1);
  assert.equal(result.todo, 1);
  assert.deepEqual(
    result.skipped.map(({ path, reason }) => [...path, reason]),
    [["suite", "is skipped", "no Redis"]],
  );
  assert.deepEqual(
    result.failures.map(({ path }) => path),
    [["suite", "fails"]],
  );
  assert.match(result.failures[0]?.reason ?? "", /1 !== 2/);
  assert.ok(result.processorSeconds > 0);
});

test("runs several files in one process", async (context) => {
  const result = await resultOf(context, `it("one", () => { globalThis.seen = true; });`, `it("other", () => assert.ok(globalThis.seen));`);
  assert.deepEqual([result.passed, result.failures], [2, []]);
});

test("reports a process that ends by itself, one that throws outside a test, and one without a test", async (context) => {
  for (const source of [`it("exits", () => process.exit(7));`, `throw new Error("at import");`, ``]) {
    const result = await resultOf(context, source);
    assert.ok(result.failures.length > 0, source);
  }
});

test("reports a command by its exit code", async () => {
  for (const [code, passed, failed] of [
    [0, 1, 0],
    [3, 0, 1],
  ] as const) {
    const job = { name: "command", files: [], command: [process.execPath, "-e", `process.exit(${code})`] };
    const result = await runJob(job, process.env, new AbortController().signal);
    assert.deepEqual([result.passed, result.failures.length], [passed, failed]);
  }
});
