import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { childProgram } from "./child-program.ts";
import type { ChildConfig, ChildMessage } from "./protocol.ts";
import type { Credentials } from "./request.ts";

/** The relay's own user. Its password is generated at each start and known only to the relay's process and its child. */
export const ADMIN_USERNAME = "relay";

const START_TIMEOUT_MS = 30_000;
/** A directory that an earlier child has just closed is available within milliseconds. */
const FIRST_START_ATTEMPTS = 3;
const STOP_TIMEOUT_MS = 5_000;
const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 5_000;
/** A child that ran this long had started successfully: the next pause is the shortest again. */
const SETTLED_AFTER_MS = 60_000;

export interface EmbeddedClickHouseOptions {
  /** Made when it does not exist; used by one process at a time. */
  directory: string;
  host: string;
  /** 0: any free one, kept over restarts of the child. */
  port: number;
  adminPassword: string;
  readerUsername: string;
  readerPassword: string;
  onLog(event: EmbeddedClickHouseEvent): void;
}

export type EmbeddedClickHouseEvent =
  | { type: "started"; port: number; pid: number }
  | { type: "died"; exit: string; pauseMs: number }
  | { type: "start_failed"; reason: string; pauseMs: number }
  | { type: "output"; line: string };

export interface EmbeddedClickHouse {
  /** Stays the same over restarts. */
  readonly url: string;
  /** The child's process id, or null while there is none. */
  pid(): number | null;
  /** Times that a new child was started because one had died. */
  restarts(): number;
  /** Ends the child; resolves when it is gone. */
  stop(): Promise<void>;
}

/** ClickHouse could not be started; until it runs, the relay works without its lists. */
export class ClickHouseNotStarted extends Error {
  /** True if a retry cannot help: the package is missing on this platform. */
  readonly fatal: boolean;

  constructor(reason: string, fatal: boolean) {
    super(reason);
    this.name = "ClickHouseNotStarted";
    this.fatal = fatal;
  }
}

/**
 * Starts the embedded ClickHouse in a child process and keeps it running. Resolves when it answers; rejects with ClickHouseNotStarted
 * when it cannot be started (the package is missing on this platform, the directory is in use).
 */
export async function startEmbeddedClickHouse(options: EmbeddedClickHouseOptions): Promise<EmbeddedClickHouse> {
  const supervisor = new Supervisor(options);
  await supervisor.startFirst();
  return supervisor;
}

class Supervisor implements EmbeddedClickHouse {
  readonly #options: EmbeddedClickHouseOptions;
  #child: ChildProcess | null = null;
  #port: number;
  #restarts = 0;
  #stopping = false;
  #pauseMs = PAUSE_MIN_MS;
  #pause: { timer: NodeJS.Timeout; wake: () => void } | null = null;
  #keeping: Promise<void> = Promise.resolve();

  constructor(options: EmbeddedClickHouseOptions) {
    this.#options = options;
    this.#port = options.port;
  }

  get url(): string {
    const { host } = this.#options;
    return `http://${host.includes(":") ? `[${host}]` : host}:${this.#port}`;
  }

  pid(): number | null {
    return this.#child?.pid ?? null;
  }

  restarts(): number {
    return this.#restarts;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#pause !== null) {
      clearTimeout(this.#pause.timer);
      this.#pause.wake();
    }
    if (this.#child !== null) await endChild(this.#child);
    await this.#keeping;
  }

  async startFirst(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#start();
      if (outcome.type === "running") {
        this.#keeping = this.#keep(outcome.child);
        return;
      }
      if (outcome.fatal || attempt === FIRST_START_ATTEMPTS) throw new ClickHouseNotStarted(outcome.reason, outcome.fatal);
      await this.#wait((pauseMs) => ({ type: "start_failed", reason: outcome.reason, pauseMs }));
    }
  }

  /** Waits for the child's end and starts the next one, until it is stopped. */
  async #keep(first: ChildProcess): Promise<void> {
    let child: ChildProcess | null = first;
    while (!this.#stopping) {
      if (child !== null) {
        const startedAt = performance.now();
        const exit = await exitOf(child);
        this.#child = null;
        if (this.#stopping) return;
        if (performance.now() - startedAt > SETTLED_AFTER_MS) this.#pauseMs = PAUSE_MIN_MS;
        await this.#wait((pauseMs) => ({ type: "died", exit, pauseMs }));
        if (this.#stopping) return;
        this.#restarts += 1;
      }
      const outcome = await this.#start();
      if (outcome.type === "running") child = outcome.child;
      else {
        child = null;
        if (!this.#stopping) await this.#wait((pauseMs) => ({ type: "start_failed", reason: outcome.reason, pauseMs }));
      }
    }
  }

  async #start(): Promise<{ type: "running"; child: ChildProcess } | { type: "failed"; reason: string; fatal: boolean }> {
    const child = spawnChild(this.#options, this.#port);
    this.#child = child;
    const message = await firstMessage(child);
    if (message.type === "ready" && !this.#stopping) {
      this.#port = message.port;
      this.#options.onLog({ type: "started", port: message.port, pid: child.pid ?? 0 });
      return { type: "running", child };
    }
    await endChild(child);
    this.#child = null;
    return message.type === "failed" ? message : { type: "failed", reason: "it was stopped", fatal: true };
  }

  async #wait(event: (pauseMs: number) => EmbeddedClickHouseEvent): Promise<void> {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS);
    this.#options.onLog(event(pauseMs));
    await new Promise<void>((resolve) => {
      this.#pause = { timer: setTimeout(resolve, pauseMs), wake: resolve };
    });
    this.#pause = null;
  }
}

function spawnChild(options: EmbeddedClickHouseOptions, port: number): ChildProcess {
  const { directory, host, adminPassword, readerUsername, readerPassword, onLog } = options;
  const credentials: Credentials = {
    admin: { username: ADMIN_USERNAME, password: adminPassword },
    reader: { username: readerUsername, password: readerPassword },
  };
  const child = spawn(process.execPath, childProgram("./server", import.meta.url), {
    stdio: ["pipe", "pipe", "pipe", "ipc"],
    env: childEnvironment(),
    // Its own process group: Ctrl-C reaches the relay, which ends the child when it has drained.
    detached: true,
  });
  const config: ChildConfig = { directory, host, port, credentials };
  // If the child died before it read this, its exit is noticed.
  child.stdin?.on("error", () => undefined);
  child.stdin?.write(`${JSON.stringify(config)}\n`);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      for (const line of chunk.split("\n")) if (line.trim() !== "") onLog({ type: "output", line: line.slice(0, 1_000) });
    });
  }
  return child;
}

/** The relay's own variables contain secrets that the child does not need. */
function childEnvironment(): NodeJS.ProcessEnv {
  // A query takes a thread of the pool: four of the relay, two of merchants, one of an analyst (http-interface.ts), as many that end one, and compression.
  const environment: NodeJS.ProcessEnv = { UV_THREADPOOL_SIZE: "12", TZ: "UTC" };
  for (const name of ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "LANG"]) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

function firstMessage(child: ChildProcess): Promise<ChildMessage> {
  return new Promise((resolve) => {
    const failed = (reason: string): void => resolve({ type: "failed", reason, fatal: false });
    const timer = setTimeout(() => failed(`it did not start within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
    child.once("message", (message: ChildMessage) => {
      clearTimeout(timer);
      resolve(message);
    });
    child.once("error", (error) => failed(error.message));
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      failed(`it ended at once (${signal ?? code})`);
    });
  });
}

async function exitOf(child: ChildProcess): Promise<string> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return String(child.signalCode ?? child.exitCode);
}

/** Closes the child's input, upon which the child exits; kills it if it does not. */
async function endChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  child.stdin?.end();
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exitOf(child);
  clearTimeout(timer);
}
