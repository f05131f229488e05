import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { hasProgram } from "../../../infra/local/run-command.ts";

/** A server of a test's own, on which faults are practised. Ends with the test's process, however that ends. */
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

  /** Whether it has been started and has not ended. */
  get running(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async start(): Promise<void> {
    if (this.running) return;
    // With setpriv the kernel ends the server when the test's process is gone, even by kill -9.
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

  /** kill -9; resolves when it is gone. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Asks it to end as an operator would; resolves when it is gone. */
  async terminate(): Promise<void> {
    await this.#end("SIGTERM");
  }

  /** SIGSTOP: it keeps its sockets and answers nothing. */
  pause(): void {
    this.#child?.kill("SIGSTOP");
  }

  /** SIGCONT. */
  resume(): void {
    this.#child?.kill("SIGCONT");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null || !this.running) return;
    const exit = once(child, "exit");
    child.kill(signal);
    // A stopped process takes SIGTERM only once it runs again.
    if (signal !== "SIGKILL") child.kill("SIGCONT");
    await exit;
  }
}

/** What a suite hands to `describe` as `skip`: false, or why (printed too). In CI a missing server is a failure instead. */
export function skipReason(installed: { type: "installed" } | { type: "missing"; reason: string }): string | false {
  if (installed.type === "installed") return false;
  if (process.env["CI"]) throw new Error(`in CI nothing is skipped: ${installed.reason}`);
  console.log(`# SKIP ${installed.reason}`);
  return installed.reason;
}
