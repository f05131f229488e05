import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A folder of this test's own, removed with it. */
export async function temporaryDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "relay-kv-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** The same, removed after the test. */
export async function directoryOf(test: TestContext): Promise<string> {
  const directory = await temporaryDirectory();
  test.after(() => directory.remove());
  return directory.path;
}

/** A wall clock that stands until it is moved. */
export class ManualTime {
  ms = 1_700_000_000_000;

  readonly nowMs = (): number => this.ms;

  advance(ms: number): void {
    this.ms += ms;
  }
}
