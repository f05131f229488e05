import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { atEnd } from "../../../test/storage/kv/world.ts";

/** What a run of the load tester left. */
export interface LoadRun {
  code: number | null;
  /** All that it printed. */
  text: string;
  /** The JSON file as it is, and the page; empty where none was written. */
  json: string;
  page: string;
}

export interface RunningLoad {
  child: ChildProcess;
  /** What it has printed so far. */
  text(): string;
  /** Resolves when it has ended. */
  ended: Promise<LoadRun>;
}

/** Starts the load tester as its users do, with a folder for its results; it ends with the test at the latest. */
export function startLoad(
  test: TestContext,
  folder: string,
  args: readonly string[],
  environment: { [name: string]: string } = {},
): RunningLoad {
  const child = spawn(process.execPath, ["--import", "tsx", "bench/deployment/run.ts", "--out", folder, ...args], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
  }
  const closed = once(child, "close");
  atEnd(test, async () => {
    child.kill("SIGKILL");
    await closed;
  });
  const file = async (ending: string) => {
    const names = await readdir(folder).catch(() => []);
    const name = names.find((one) => one.endsWith(ending));
    return name === undefined ? "" : readFile(join(folder, name), "utf8");
  };
  const ended = closed.then(async () => ({ code: child.exitCode, text, json: await file(".json"), page: await file(".html") }));
  return { child, text: () => text, ended };
}
