import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { skipReason } from "../../support/node/server-process.ts";
import type { Installed } from "../support/toolchains.ts";
import { startFuzzedWorld } from "./world.ts";

/** Fixed, so that CI sees the same requests every time. `FUZZ_SEED=fresh` takes another one and says which. */
const SEED = process.env["FUZZ_SEED"] ?? "1";

/** Of the fuzzing phase, for each operation. Many hundreds for a long run by hand. */
const EXAMPLES = process.env["FUZZ_EXAMPLES"] ?? "4";

/** From so many on, each exception has to be needed. */
const LONG_RUN_EXAMPLES = 100;

/** A busy machine takes twice the usual three minutes; a long run says itself how long it may take. */
const RUN_MS = Number(process.env["FUZZ_MINUTES"] ?? "12") * 60_000;

const OUTPUT_KEPT = 6_000;

interface Finding {
  readonly operation: string;
  readonly check: string;
  readonly message: string;
  readonly headers: { readonly [name: string]: string };
  readonly request: string;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

interface Report {
  /** Requests by operation, then by phase and status. */
  readonly cases: { readonly [operationId: string]: { readonly [phaseAndStatus: string]: number } };
  readonly failures: readonly Finding[];
  /** How often each exception, by its place in exceptions.json, excused something. */
  readonly excused: { readonly [number: string]: number };
}

/** Registers the tests. `python`: the interpreter with schemathesis. */
export function describeFuzzing(python: Installed<string>): void {
  const skip = skipReason(python);
  describe("schemathesis over the whole interface", () => {
    it("finds nothing that is not excused", { skip }, async (test) => {
      assert.ok(python.type === "installed");
      const world = await startFuzzedWorld();
      test.after(() => world.stop());
      const folder = await mkdtemp(join(tmpdir(), "relay-fuzz-"));
      test.after(() => rm(folder, { recursive: true, force: true }));
      const factsFile = join(folder, "facts.json");
      await writeFile(factsFile, JSON.stringify(world.facts));
      const seed = SEED === "fresh" ? String(randomInt(1, 2 ** 31)) : SEED;
      const reportFile = process.env["FUZZ_REPORT_FILE"] ?? join(folder, "report.json");
      const environment = { FUZZ_FACTS: factsFile, FUZZ_REPORT: reportFile, SCHEMATHESIS_HOOKS: join(import.meta.dirname, "hooks.py") };
      const { status, output } = await schemathesis(python.value, world.facts.baseUrl, seed, environment, folder);
      const report: Report = JSON.parse(await readFile(reportFile, "utf8"));
      const counts = Object.values(report.cases).map((byStatus) => Object.values(byStatus).reduce((sum, count) => sum + count, 0));
      test.diagnostic(`${counts.reduce((sum, count) => sum + count, 0)} requests to ${counts.length} operations, seed ${seed}`);
      const without = Object.entries(report.cases).filter(([, byStatus]) => !Object.keys(byStatus).some((key) => / 2\d\d$/.test(key)));
      test.diagnostic(`without a success: ${without.map(([operationId]) => operationId).join(" ")}`);
      assert.deepEqual(summarized(report.failures), []);
      assert.equal(status, 0, output);
      const uncalled = Object.keys(world.facts.operations).filter((operationId) => report.cases[operationId] === undefined);
      assert.deepEqual(uncalled, [], "operations that were not called");
      const exceptions: { why: string }[] = JSON.parse(await readFile(join(import.meta.dirname, "exceptions.json"), "utf8"));
      const unneeded = exceptions.filter((_, number) => report.excused[number] === undefined);
      for (const { why } of unneeded) test.diagnostic(`an exception that excused nothing: ${why}`);
      // With few examples chance decides whether the rarest of them are met.
      if (Number(EXAMPLES) >= LONG_RUN_EXAMPLES) assert.deepEqual(unneeded, [], "exceptions that excuse nothing");
    });
  });
}

async function schemathesis(python: string, url: string, seed: string, environment: { [name: string]: string }, cwd: string) {
  const program = join(dirname(python), "st");
  const options = ["--config-file", join(import.meta.dirname, "schemathesis.toml"), "run", `${url}/openapi.json`];
  const amount = [
    "--phases",
    "examples,coverage,fuzzing",
    "--max-examples",
    EXAMPLES,
    "--seed",
    seed,
    "--no-shrink",
    "--continue-on-failure",
  ];
  const child = spawn(program, [...options, ...amount], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: RUN_MS,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-OUTPUT_KEPT);
    });
  }
  const [status] = await once(child, "close");
  return { status, output };
}

/** Each kind of finding once for each operation. */
function summarized(findings: readonly Finding[]): string[] {
  const seen = new Map<string, string>();
  for (const { operation, check, message, headers, request, body, status, answer } of findings) {
    const kind = `${operation}: ${check} ${status}`;
    if (!seen.has(kind))
      seen.set(
        kind,
        `${kind}\n  ${message}\n  ${request} ${body.slice(0, 300)}\n  ${JSON.stringify(headers).slice(0, 300)}\n  ${answer.slice(0, 300)}`,
      );
  }
  return [...seen.values()];
}
