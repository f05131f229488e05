import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../infra/local/free-port.ts";
import { atEnd, type Scope } from "../storage/kv/world.ts";
import { HTTP_LIBRARY } from "../support/http/http-library.ts";
import { BUILD } from "../support/node/build.ts";
import { eventually } from "../support/within.ts";
import { RelayCaller } from "./relay-caller.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const OUTPUT_CHARS_MAX = 200_000;

/** Generous: the machine may be busy with other tests. Tests that promise a time measure it themselves. */
const READY_TIMEOUT_MS = 90_000;

/** What the tests that do not look at ClickHouse name instead of it: nothing listens there, so the node does without. */
export const NO_CLICKHOUSE = { RELAY_CLICKHOUSE_URL: "http://127.0.0.1:1" };

/** The same for the card gateway, which the sandbox would start in a process of its own. */
const NO_GATEWAY = { RELAY_GATEWAY_URL: "http://127.0.0.1:1" };

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A whole node in a process of its own. It ends with the test. */
export interface NodeProcess {
  readonly pid: number;
  readonly url: string;
  readonly exited: Promise<Exit>;
  /** Both outputs so far. */
  output(): string;
  /** Resolves with the time since the start, in milliseconds, once `/health/ready` answers 200; rejects when the process ends before. */
  ready(): Promise<number>;
  signal(signal: NodeJS.Signals): void;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<Exit>;
}

export interface NodeProcessOptions {
  port: number;
  dataDirectory: string;
  environment?: { [name: string]: string };
  /** A program and its arguments that run the node's command line. */
  under?: readonly string[];
  /** From the sources, one by one, and not as a build of them (test/run.ts), which is ready in a quarter of the time. */
  fromSources?: boolean;
  /** Runs this build; absent: that of test/run.ts. */
  build?: string;
  /** Its working directory; absent: the checkout. */
  cwd?: string;
  /** Of another version, which runs from its sources; absent: this one. */
  checkout?: string;
}

/** Starts a node (sandbox, errors only) on its port and folder; `environment` adds RELAY_ names or overrides them. */
export function startNodeProcess(scope: Scope, options: NodeProcessOptions): NodeProcess {
  const { port, dataDirectory, environment = {}, under = [], checkout, fromSources = checkout !== undefined, build = BUILD } = options;
  const main = fromSources || build === undefined ? ["--import", "tsx", "infra/node/main.ts"] : [join(build, "infra/node/main.js")];
  const ending = resolve(import.meta.dirname, "end-with-parent.mjs");
  const command = [...under, process.execPath, "--import", ending, ...main];
  const [program = process.execPath, ...parameters] = command;
  const startedMs = performance.now();
  const child = spawn(program, parameters, {
    cwd: options.cwd ?? checkout ?? ROOT,
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      TMPDIR: process.env["TMPDIR"],
      RELAY_PORT: String(port),
      RELAY_DATA_DIR: dataDirectory,
      RELAY_LOG_LEVEL: "error",
      // Variables that a former version does not know, it refuses.
      ...(checkout === undefined
        ? { RELAY_HTTP_LIBRARY: HTTP_LIBRARY, RELAY_WITNESS_FILE: join(dataDirectory, "witness"), RELAY_ZVT_PORT: "0" }
        : {}),
      RELAY_TRUSTED_PROXIES: "127.0.0.0/8",
      ...(environment["RELAY_MODE"] === "production" ? {} : NO_GATEWAY),
      ...environment,
    },
  });
  const exited = exitOf(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARS_MAX);
    });
  }
  child.stdin.on("error", () => undefined);
  const url = `http://127.0.0.1:${port}`;

  async function kill(): Promise<Exit> {
    child.kill("SIGKILL");
    // Under another program it is the end of the input that ends the node.
    child.stdin.end();
    return exited;
  }
  atEnd(scope, kill);

  return {
    pid: child.pid ?? 0,
    url,
    exited,
    output: () => output,
    ready: async () => {
      const caller = new RelayCaller(url);
      try {
        let over: Exit | null = null;
        exited.then((exit) => {
          over = exit;
        });
        while (performance.now() - startedMs < READY_TIMEOUT_MS) {
          const answer = await caller.get("/health/ready");
          if (answer?.status === 200) return performance.now() - startedMs;
          if (over !== null) throw new Error(`the node ended before it was ready: ${JSON.stringify(over)}\n${output}`);
          await delay(20);
        }
        throw new Error(`the node was not ready within ${READY_TIMEOUT_MS} ms\n${output}`);
      } finally {
        await caller.close();
      }
    },
    signal: (signal) => child.kill(signal),
    kill,
  };
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  const [code, signal] = await once(child, "close");
  return { code, signal };
}

/** Resolves when a process that was told to stop (SIGSTOP) does nothing more. */
export function untilStopped({ pid }: NodeProcess): Promise<void> {
  return eventually(async () => assert.match(await readFile(`/proc/${pid}/stat`, "utf8"), /\) T /));
}

/** A free port and an empty folder for one node after the other. */
export async function placeOf(test: TestContext): Promise<{ port: number; dataDirectory: string }> {
  const dataDirectory = await mkdtemp(join(tmpdir(), "relay-fault-"));
  // The ClickHouse of a killed node ends a moment after it, and may still write.
  atEnd(test, () => rm(dataDirectory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return { port: await freePort(), dataDirectory };
}
