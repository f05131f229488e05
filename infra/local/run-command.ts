import { spawn } from "node:child_process";

/** How much of a command's output is kept: enough for its last messages. */
const OUTPUT_LENGTH_MAX = 4_000;

export interface CommandResult {
  /** Null when the program is missing, did not end in time, or was ended by a signal. */
  exitCode: number | null;
  /** The end of what it printed. */
  output: string;
}

/** Runs a command to its end, or kills it after `timeoutMs`. Never rejects: a program that is missing is a result. */
export function runCommand(
  program: string,
  args: readonly string[],
  timeoutMs: number,
  env = process.env,
  folder = process.cwd(),
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env, cwd: folder });
    let output = "";
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        output = (output + chunk).slice(-OUTPUT_LENGTH_MAX);
      });
    }
    const settle = (exitCode: number | null, last = ""): void => {
      clearTimeout(timer);
      resolve({ exitCode, output: output + last });
    };
    child.once("error", (error) => settle(null, error.message));
    child.once("close", (code) => settle(code));
  });
}

/** Whether the program can be started at all; with `args` it must end at once. */
export async function hasProgram(program: string, args: readonly string[]): Promise<boolean> {
  return (await runCommand(program, args, 20_000)).exitCode === 0;
}

/**
 * Runs a command while holding the lock file, so that two processes that install the same thing do it one after the other. Without flock
 * (not Linux) it just runs.
 */
export async function runLocked(lockFile: string, program: string, args: readonly string[], timeoutMs: number): Promise<CommandResult> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  if (await hasProgram("flock", ["--version"])) {
    return runCommand("flock", [lockFile, program, ...args], timeoutMs, env);
  }
  return runCommand(program, args, timeoutMs, env);
}
