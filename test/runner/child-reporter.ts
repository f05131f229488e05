/**
 * The reporter of a child of the test runner: writes each test's outcome as a line of JSON to file descriptor 3, and at the end the processor time that
 * the child and its ended children took.
 */
import { readFileSync, writeSync } from "node:fs";
import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import type { ChildLine } from "./child-lines.ts";

const REPORT_DESCRIPTOR = 3;

/** Linux counts in hundredths of a second in /proc. */
const TICKS_A_SECOND = 100;

function write(line: ChildLine): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(REPORT_DESCRIPTOR, bytes, written);
    } catch (error) {
      // The parent reads slower than this process writes.
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

/** Seconds of this process and of the children that it has waited for; without /proc only its own. */
function processorSeconds(): number {
  try {
    const stat = readFileSync("/proc/self/stat", "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
}

export default async function* childReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string, void> {
  process.once("exit", () => write({ type: "processor", seconds: processorSeconds() }));
  /** Names of the suites around the present test, by depth. */
  const open: string[] = [];
  for await (const event of events) {
    if (event.type === "test:start") {
      open.length = event.data.nesting;
      open.push(event.data.name);
    }
    if (event.type !== "test:pass" && event.type !== "test:fail") continue;
    const { nesting, name, skip, todo, details } = event.data;
    const file = relative("", event.data.file ?? "");
    if (nesting === 0) write({ type: "root", file, seconds: details.duration_ms / 1_000 });
    const where = { file, line: event.data.line ?? 0, path: [...open.slice(0, nesting), name] };
    const isSuite = details.type === "suite";
    if (skip !== undefined && skip !== false) {
      write({ type: "skipped", ...where, reason: skip === true ? "" : skip });
    } else if (todo !== undefined && todo !== false) {
      write({ type: "todo", ...where });
    } else if (event.type === "test:pass") {
      if (!isSuite) write({ type: "passed", ...where });
    } else {
      const { error } = event.data.details;
      // A suite fails because a test in it failed, which is reported by itself.
      const isConsequence = error instanceof Error && "failureType" in error && error.failureType === "subtestsFailed";
      if (!isConsequence) write({ type: "failed", ...where, reason: reasonOf(error) });
    }
  }
}
