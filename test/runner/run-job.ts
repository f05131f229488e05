/** Runs one job of the test runner: a process of its own for one file, or for several files that share it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { ChildLine, Where } from "./child-lines.ts";
import type { Job } from "./jobs.ts";

/** A job that hangs fails by itself, and the others are still reported. */
const JOB_TIMEOUT_MS = 1_800_000;

/** A job that has ended its tests and stays is ended this much later; its tests have closed what they opened. */
const KILL_AFTER_MS = 5_000;

/** Of what a failed job printed, its end is shown. */
const OUTPUT_BYTES_MAX = 20_000;

export interface Failure extends Where {
  readonly reason: string;
}

export interface JobResult {
  readonly job: Job;
  readonly passed: number;
  readonly todo: number;
  readonly skipped: readonly Failure[];
  readonly failures: readonly Failure[];
  /** From its start to its end. */
  readonly seconds: number;
  /** Of the processor, its ended children included. */
  readonly processorSeconds: number;
  /** The end of what it printed. */
  readonly output: string;
}

/** Several files share a process; one by itself runs as `node --test` runs it. */
function testCommand(files: readonly string[]): string[] {
  const reporter = ["--test-reporter", "./test/runner/child-reporter.ts", "--test-reporter-destination", "stdout"];
  const together = files.length > 1 ? ["--test", "--experimental-test-isolation=none"] : [];
  return [process.execPath, "--import", "tsx", ...together, ...reporter, ...files];
}

/** Resolves with what became of its tests; never rejects. A child that ends without a report is a failure of its own. */
export async function runJob(job: Job, environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<JobResult> {
  const startedAt = performance.now();
  const [program, ...parameters] = job.command ?? testCommand(job.files);
  const child = spawn(program ?? process.execPath, parameters, {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: { ...environment, ...job.environment },
    detached: true,
  });
  const end = (name: NodeJS.Signals): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      // It has ended since.
    }
  };
  let isTimedOut = false;
  const stop = (): void => {
    end("SIGTERM");
    setTimeout(() => end("SIGKILL"), KILL_AFTER_MS).unref();
  };
  const timeout = setTimeout(() => {
    isTimedOut = true;
    stop();
  }, JOB_TIMEOUT_MS);
  signal.addEventListener("abort", stop, { once: true });
  let output = "";
  const keep = (text: string): void => {
    output = (output + text).slice(-OUTPUT_BYTES_MAX);
  };
  child.stdout?.setEncoding("utf8").on("data", keep);
  child.stderr?.setEncoding("utf8").on("data", keep);
  let passed = 0;
  let todo = 0;
  let processorSeconds = 0;
  const skipped: Failure[] = [];
  const failures: Failure[] = [];
  const report = child.stdio[3] as Readable;
  const lines = createInterface({ input: report });
  lines.on("line", (text) => {
    const line = JSON.parse(text) as ChildLine;
    if (line.type === "passed") passed += 1;
    if (line.type === "todo") todo += 1;
    if (line.type === "skipped") skipped.push(line);
    if (line.type === "failed") failures.push(line);
    if (line.type === "processor") processorSeconds = line.seconds;
  });
  const [[code, endedBy]] = await Promise.all([once(child, "close"), once(lines, "close")]);
  clearTimeout(timeout);
  signal.removeEventListener("abort", stop);
  if (job.command !== undefined && code === 0) passed += 1;
  if (failures.length === 0 && code === 0 && passed + todo + skipped.length === 0) {
    failures.push({ file: job.name, line: 0, path: [job.name], reason: "The process ended without running a test." });
  }
  if (failures.length === 0 && code !== 0) {
    const how = isTimedOut ? `did not end within ${JOB_TIMEOUT_MS / 1_000} s` : `ended with ${endedBy ?? code}`;
    failures.push({ file: job.name, line: 0, path: [job.name], reason: `The process ${how} without reporting a failed test.` });
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    job,
    passed,
    todo,
    skipped,
    failures,
    seconds,
    // A command does not report it: compilers and linters compute all the time.
    processorSeconds: job.command === undefined ? processorSeconds : seconds,
    output,
  };
}
