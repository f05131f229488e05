/**
 * `npm run test:portal`: the acceptance of the merchant portal, over a real node in a real Chromium. `npm run test:portal -- 5 17` runs those numbers alone, `-- others` the tests without one.
 * Prints the list at its end; what was left out has failed. With `SHOTS=<folder>` every page is written there as a picture.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { inspect } from "node:util";
import { commandLine } from "../../infra/command-line.ts";
import { build, removeBuild } from "../support/node/build.ts";

/** Ten times what it takes: only a run that hangs waits so long. */
const TIMEOUT_MS = 2_400_000;

const program = commandLine("test:portal")
  .description(
    "Runs the acceptance tests of the merchant portal over a real node in Chromium. SHOTS=<folder> keeps a picture of every page.",
  )
  .argument("[numbers...]", "only these tests; others: those without a number")
  .parse();
const { args: numbers } = program;
for (const number of numbers) if (!/^(\d{1,2}|others)$/.test(number)) program.error(`error: ${number} is no number of an acceptance test`);

interface Line {
  name: string;
  outcome: "pass" | "FAIL" | "SKIP";
  ms: number;
}

const folder = await mkdtemp(join(tmpdir(), "relay-portal-"));
try {
  process.env["TEST_BUILD"] = await build(folder);
  const lines: Line[] = [];
  /** What failed before any test began, or after all had ended: told last, for whoever sees only the end of the output. */
  const around: string[] = [];
  const patterns = numbers.map(
    (number) => new RegExp(number === "others" ? "^(?!acceptance |the merchant portal$)" : `^acceptance ${number}:`),
  );
  const tests = run({
    files: [resolve("test/portal/acceptance.ts")],
    timeout: TIMEOUT_MS,
    ...(patterns.length === 0 ? {} : { testNamePatterns: patterns }),
  });
  const told = (
    {
      name,
      nesting,
      skip,
      details,
    }: { name: string; nesting: number; skip?: string | boolean; details: { duration_ms: number; type?: string } },
    passed: boolean,
  ) => {
    if (details.type === "suite" || name.endsWith(".ts")) return;
    // What was not asked for is not left out.
    if (patterns.length > 0 && !patterns.some((pattern) => pattern.test(name))) return;
    const isSkipped = skip !== undefined && skip !== false;
    if (nesting > 1 && !isSkipped) return;
    lines.push({ name, outcome: isSkipped ? "SKIP" : passed ? "pass" : "FAIL", ms: Math.round(details.duration_ms) });
  };
  tests.on("test:pass", (event) => told(event, true));
  tests.on("test:fail", (event) => {
    process.exitCode = 1;
    told(event, false);
    const { error, type } = event.details;
    if (type === "suite" && "failureType" in error && error.failureType === "hookFailed") around.push(inspect(error.cause ?? error));
  });
  for await (const text of tests.compose(new spec())) process.stdout.write(text);
  const numberOf = ({ name }: Line) => Number(/^acceptance (\d+)/.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
  console.log("\n# The list");
  for (const { outcome, ms, name } of lines.sort((one, other) => numberOf(one) - numberOf(other) || 0)) {
    console.log(`${outcome}  ${String(ms).padStart(6)} ms  ${name}`);
  }
  for (const failure of around) console.log(`\nThe run could not be prepared or ended: ${failure}`);
  if (lines.length === 0 || lines.some(({ outcome }) => outcome !== "pass")) process.exitCode = 1;
} finally {
  await removeBuild(folder);
}
