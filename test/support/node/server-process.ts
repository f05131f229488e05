import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { hasProgram } from "../../../infra/local/run-command.ts";

/**
 * A server for one test, on which it tries faults. The server ends with the test's process, however
 * that ends.
 */
export class ServerProcess {
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #logFile: string;
  #child: ChildProcess | null = null;

  constructor(program: string, args: readonly string[], logFile: string) {
    this.#program = program;
    this.#args = args;
    this.#logFile = logFile;
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error(`${this.#program} is not running`);
    return pid;
  }

  /** Whether the server has started and not ended. */
  get running(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async start(): Promise<void> {
    if (this.running) return;
    // With setpriv the kernel ends the server when the test's process ends, even by kill -9.
    const [program, args] = (await hasProgram("setpriv", ["--pdeathsig", "KILL", "true"]))
      ? ["setpriv", ["--pdeathsig", "KILL", this.#program, ...this.#args]]
      : [this.#program, this.#args];
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    const log = createWriteStream(this.#logFile, { flags: "a" });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    child.once("close", () => log.end());
    child.once("error", () => undefined);
    finished(log).catch(() => undefined);
    this.#child = child;
  }

  /** Sends kill -9. Resolves when the server has ended. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Requests its end like an operator. Resolves when the server has ended. */
  async terminate(): Promise<void> {
    await this.#end("SIGTERM");
  }

  /** Sends SIGSTOP. The server keeps its sockets and does not answer. */
  pause(): void {
    this.#child?.kill("SIGSTOP");
  }

  /** Sends SIGCONT. */
  resume(): void {
    this.#child?.kill("SIGCONT");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null || !this.running) return;
    const exit = once(child, "exit");
    child.kill(signal);
    // A stopped process handles SIGTERM only after it continues.
    if (signal !== "SIGKILL") child.kill("SIGCONT");
    await exit;
  }
}

/**
 * Returns the `skip` of a suite's `describe`: false, or the reason, which is also printed. In CI a
 * missing server fails instead.
 */
export function skipReason(installed: { type: "installed" } | { type: "missing"; reason: string }): string | false {
  if (installed.type === "installed") return false;
  if (process.env["CI"]) throw new Error(`in CI nothing is skipped: ${installed.reason}`);
  console.log(`# SKIP ${installed.reason}`);
  return installed.reason;
}
