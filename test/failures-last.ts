/**
 * Node's TAP, and just before the summary the files that took longest, and what failed once more: whoever sees only the end of a long run's
 * output learns where its time went, which test failed, and why.
 */
import { relative } from "node:path";
import { type TestEvent, tap } from "node:test/reporters";

const SLOWEST = 25;
const MOST_FAILURES = 10;
const MOST_LINES = 12;
const MOST_CHARACTERS_A_LINE = 200;

type Failure = { readonly path: readonly string[]; readonly where: string; readonly why: string };

/** A suite fails because a test in it did; that one is told. */
const ofItsTests = (error: unknown): boolean => error instanceof Error && "failureType" in error && error.failureType === "subtestsFailed";

function whyOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

function* told({ path, where, why }: Failure): Generator<string> {
  yield `failed: ${path.join(" > ")} (${where})`;
  const lines = why.split("\n").filter((line) => !line.includes("(node:internal/") && !line.includes("at node:internal/"));
  for (const line of lines.slice(0, MOST_LINES)) yield `  ${line.slice(0, MOST_CHARACTERS_A_LINE)}`;
}

async function* withFailures(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent, void> {
  /** The names of the suites that are open, by depth; files run beside one another, but each one's events come together. */
  const open: string[] = [];
  const failures: Failure[] = [];
  const files: { readonly name: string; readonly seconds: number }[] = [];
  let isTold = false;
  for await (const event of events) {
    if (event.type === "test:start") {
      open.length = event.data.nesting;
      open.push(event.data.name);
    }
    if (event.type === "test:fail" && !ofItsTests(event.data.details.error)) {
      const { nesting, name, file, line, details } = event.data;
      failures.push({ path: [...open.slice(0, nesting), name], where: `${file ?? "?"}:${line ?? "?"}`, why: whyOf(details.error) });
    }
    if (event.type === "test:complete" && event.data.nesting === 0 && event.data.name === event.data.file) {
      files.push({ name: relative("", event.data.name), seconds: Math.round(event.data.details.duration_ms / 1_000) });
    }
    if (event.type === "test:diagnostic" && event.data.nesting === 0 && !isTold && event.data.message.startsWith("tests ")) {
      isTold = true;
      const slowest = files.sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
      const lines = [
        ...slowest.map(({ name, seconds }) => `took ${seconds} s: ${name}`),
        ...failures.slice(0, MOST_FAILURES).flatMap((failure) => [...told(failure)]),
      ];
      if (failures.length > MOST_FAILURES) lines.push(`failed: ${failures.length - MOST_FAILURES} more`);
      for (const message of lines) yield { ...event, data: { ...event.data, message } };
    }
    yield event;
  }
}

export async function* failuresLast(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  yield* tap(withFailures(events));
}
