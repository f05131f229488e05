import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { ClassicLevel } from "classic-level";

/** A folder of this test's own, removed with it. */
export async function temporaryDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "relay-kv-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A test, or a suite (`suiteScope`), with whose end other things end. */
export interface Scope {
  after(end: () => Promise<void>): void;
}

const ends = new WeakMap<Scope, (() => unknown)[]>();

/** Runs `end` after the test, the last one registered first (hooks of node:test run in the order of registration). */
export function atEnd(scope: Scope, end: () => unknown): void {
  const registered = ends.get(scope);
  if (registered !== undefined) {
    registered.push(end);
    return;
  }
  const stack = [end];
  ends.set(scope, stack);
  scope.after(async () => {
    for (const next of stack.reverse()) await next();
  });
}

/** The suite in which this is called; outside of suites, all tests of the process. */
export function suiteScope(): Scope {
  let atItsEnd = async (): Promise<void> => undefined;
  after(() => atItsEnd());
  return {
    after: (end) => {
      atItsEnd = end;
    },
  };
}

/** A folder that is removed after the test. */
export async function directoryOf(scope: Scope): Promise<string> {
  const directory = await temporaryDirectory();
  atEnd(scope, () => directory.remove());
  return directory.path;
}

/** An empty LevelDB, closed and removed after the test. */
export async function levelOf(scope: Scope): Promise<ClassicLevel> {
  const level = new ClassicLevel(join(await directoryOf(scope), "level"));
  await level.open();
  atEnd(scope, () => level.close());
  return level;
}

/** A wall clock that stands until it is moved. */
export class ManualTime {
  ms = 1_700_000_000_000;

  readonly nowMs = (): number => this.ms;

  advance(ms: number): void {
    this.ms += ms;
  }
}
