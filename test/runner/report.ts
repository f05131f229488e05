/** What the test runner prints: a line a job, and at the end what is skipped, what took longest, what failed, and the counts as Node's own runner gives them. */
import { cpus } from "node:os";
import type { Failure, JobResult } from "./run-job.ts";

const SLOWEST = 10;
const FAILURES_SHOWN_MAX = 20;
const LINES_A_FAILURE_MAX = 15;
const CHARACTERS_A_LINE_MAX = 300;
/** Of the output of a failed job. */
const OUTPUT_LINES_MAX = 60;

const titleOf = ({ path, file, line }: Failure): string => `${path.join(" > ")} (${file}:${line})`;

function* linesOf(failure: Failure): Generator<string> {
  yield `failed: ${titleOf(failure)}`;
  const lines = failure.reason.split("\n").filter((line) => !line.includes("(node:internal/") && !line.includes("at node:internal/"));
  for (const line of lines.slice(0, LINES_A_FAILURE_MAX)) yield `  ${line.slice(0, CHARACTERS_A_LINE_MAX)}`;
}

export function reportJob(result: JobResult): void {
  const { job, passed, failures, skipped, seconds, processorSeconds, output } = result;
  const counts = [
    `${passed} passed`,
    ...(failures.length > 0 ? [`${failures.length} FAILED`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
  ];
  console.log(
    `${failures.length > 0 ? "not ok" : "ok"} ${job.name}: ${counts.join(", ")} in ${seconds.toFixed(1)} s (${processorSeconds.toFixed(1)} s of the processor)`,
  );
  if (failures.length === 0) return;
  for (const failure of failures) for (const line of linesOf(failure)) console.log(`  ${line}`);
  for (const line of output.split("\n").slice(-OUTPUT_LINES_MAX)) console.log(`  | ${line.slice(0, CHARACTERS_A_LINE_MAX)}`);
}

/** Seconds for which the cores have been idle since the machine started. */
export function idleSeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0) / 1_000;
}

/** Ends with the lines that Node's own test runner prints. */
export function reportAll(results: readonly JobResult[], seconds: number, idle: number): void {
  const skipped = results.flatMap((result) => result.skipped);
  const failures = results.flatMap((result) => result.failures);
  for (const one of skipped) console.log(`# skipped: ${titleOf(one)}${one.reason === "" ? "" : `: ${one.reason}`}`);
  for (const { job, ...slow } of [...results].sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST)) {
    console.log(`# slow: ${job.name} took ${slow.seconds.toFixed(1)} s (${slow.processorSeconds.toFixed(1)} s of the processor)`);
  }
  const used = results.reduce((sum, result) => sum + result.processorSeconds, 0);
  console.log(
    `# the jobs used ${used.toFixed(0)} s of the processor; its ${cpus().length} cores were idle for ${idle.toFixed(0)} s of ${(seconds * cpus().length).toFixed(0)} s`,
  );
  for (const failure of failures.slice(0, FAILURES_SHOWN_MAX)) for (const line of linesOf(failure)) console.log(`# ${line}`);
  if (failures.length > FAILURES_SHOWN_MAX) console.log(`# failed: ${failures.length - FAILURES_SHOWN_MAX} more`);
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const todo = results.reduce((sum, result) => sum + result.todo, 0);
  console.log(`# tests ${passed + failures.length + skipped.length + todo}`);
  console.log(`# pass ${passed}`);
  console.log(`# fail ${failures.length}`);
  console.log("# cancelled 0");
  console.log(`# skipped ${skipped.length}`);
  console.log(`# todo ${todo}`);
  console.log(`# duration_ms ${(seconds * 1_000).toFixed(0)}`);
}
