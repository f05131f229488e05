import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { ClassicLevel } from "classic-level";

/** A folder of this test's own, removed with it. */
export async function temporaryDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "relay-kv-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

const ends = new WeakMap<TestContext, (() => unknown)[]>();

/** Runs `end` after the test, the last one registered first (hooks of node:test run in the order of registration). */
export function atEnd(test: TestContext, end: () => unknown): void {
  const registered = ends.get(test);
  if (registered !== undefined) {
    registered.push(end);
    return;
  }
  const stack = [end];
  ends.set(test, stack);
  test.after(async () => {
    for (const next of stack.reverse()) await next();
  });
}

/** A folder that is removed after the test. */
export async function directoryOf(test: TestContext): Promise<string> {
  const directory = await temporaryDirectory();
  atEnd(test, () => directory.remove());
  return directory.path;
}

/** An empty LevelDB, closed and removed after the test. */
export async function levelOf(test: TestContext): Promise<ClassicLevel> {
  const level = new ClassicLevel(join(await directoryOf(test), "level"));
  await level.open();
  atEnd(test, () => level.close());
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
