import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { childProgram } from "../../../storage/clickhouse/embedded/child-program.ts";
import type { Config } from "../boot/config.ts";
import type { Log } from "../observability/log.ts";

const STOP_TIMEOUT_MS = 3_000;
/** Pause before a gateway that exited is started again. */
const PAUSE_MS = 1_000;

export interface SandboxGatewayProcess {
  /** Known before the process listens there; stays the same over restarts of the process. */
  readonly url: string;
  /** Resolves when the process has been started; it listens a moment later. */
  start(): Promise<void>;
  /** Resolves once it listens, for the first time. */
  readonly listening: Promise<void>;
  stop(): Promise<void>;
}

export interface SandboxGatewayProcessOptions {
  /** 0 takes the port of the last start if it is free, so that existing links work; else any free one. */
  port: number;
  dataDirectory: string;
  /** A line that it printed. */
  printed(line: string): void;
  /** It ended, and is started again; `reason` is the last error that it printed. */
  died(exit: string, reason: string): void;
}

/** The sandbox's own card gateway; null if another one is configured, or if there are several nodes, which would each have one. */
export async function sandboxGatewayOf(config: Config, log: Log): Promise<SandboxGatewayProcess | null> {
  if (config.mode !== "sandbox" || config.gatewayUrl !== null || config.cluster !== null) return null;
  return planSandboxGateway({
    port: config.sandboxGatewayPort,
    dataDirectory: config.dataDirectory,
    printed: log.gatewaySimulated,
    died: log.gatewayDied,
  });
}

/** The sandbox card gateway as a child process, which ends with this one, and is started again should it die. */
export async function planSandboxGateway(options: SandboxGatewayProcessOptions): Promise<SandboxGatewayProcess> {
  const portFile = join(options.dataDirectory, "sandbox-gateway.port");
  const port = options.port === 0 ? await freePort(await readPort(portFile)) : options.port;
  const stopped = new AbortController();
  let lastError = "";
  let listens = () => {};
  const listening = new Promise<void>((resolve) => {
    listens = resolve;
  });
  const spawnOne = () =>
    spawnGateway(port, options, (line) => {
      if (line.startsWith("listening")) listens();
      if (/error/i.test(line)) lastError = line;
      options.printed(line);
    });
  let child: ChildProcess | null = null;
  let keeping: Promise<void> = Promise.resolve();

  async function keep(first: ChildProcess): Promise<void> {
    for (let running = first; ; ) {
      const end = await endOf(running);
      if (stopped.signal.aborted) return;
      options.died(end, lastError);
      await delay(PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
      if (stopped.signal.aborted) return;
      running = spawnOne();
      child = running;
    }
  }

  return {
    url: `http://127.0.0.1:${port}`,
    listening,
    start: async () => {
      await mkdir(options.dataDirectory, { recursive: true });
      await writeFile(portFile, `${port}\n`);
      child = spawnOne();
      keeping = keep(child);
    },
    stop: async () => {
      stopped.abort();
      const running = child;
      if (running !== null) {
        running.stdin?.end();
        const timer = setTimeout(() => running.kill("SIGKILL"), STOP_TIMEOUT_MS);
        await endOf(running);
        clearTimeout(timer);
      }
      await keeping;
    },
  };
}

function spawnGateway(port: number, { dataDirectory }: SandboxGatewayProcessOptions, printed: (line: string) => void): ChildProcess {
  const program = childProgram("../../sandbox/gateway/main", import.meta.url);
  const state = ["--state", `${dataDirectory}/sandbox-gateway.state`];
  const child = spawn(process.execPath, [...program, "--port", String(port), "--end-with-input", "--quiet", ...state], {
    stdio: ["pipe", "pipe", "pipe"],
    // The relay's own variables contain secrets that the gateway does not need.
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], TZ: "UTC" },
    // Its own process group: Ctrl-C reaches the relay, which ends the gateway last.
    detached: true,
  });
  child.stdin?.on("error", () => undefined);
  child.on("error", (error) => printed(error.message));
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      for (const line of chunk.split("\n")) if (line.trim() !== "") printed(line.slice(0, 500));
    });
  }
  return child;
}

async function endOf(child: ChildProcess): Promise<string> {
  if (child.pid === undefined) return "it could not be started";
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return String(child.signalCode ?? child.exitCode);
}

/** 0 where none is kept. */
async function readPort(file: string): Promise<number> {
  const text = await readFile(file, "utf8").catch(() => "");
  const port = /^\d{1,5}\n$/.test(text) ? Number(text) : 0;
  return port <= 65_535 ? port : 0;
}

/** `preferred` where it is free. */
async function freePort(preferred: number): Promise<number> {
  const probe = await probeOn(preferred).catch(() => probeOn(0));
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no free port on 127.0.0.1");
  return address.port;
}

async function probeOn(port: number): Promise<Server> {
  const probe = createServer().listen(port, "127.0.0.1");
  await once(probe, "listening");
  return probe;
}
