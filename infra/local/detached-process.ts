import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { runCommand } from "./run-command.ts";

const PAUSE_MS = 50;
const STOP_TIMEOUT_MS = 20_000;
const PS_TIMEOUT_MS = 5_000;

/** Starts a process that outlives this one, with its output appended to a log file. Resolves with its id. */
export async function startDetached(program: string, args: readonly string[], logFile: string): Promise<number> {
  const log = openSync(logFile, "a", 0o600);
  const child = spawn(program, args, { detached: true, stdio: ["ignore", log, log] });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  child.unref();
  if (child.pid === undefined) throw new Error(`${program} did not start`);
  return child.pid;
}

/** Whether the process with this id is alive and its command line holds `marker`: the system may have given the id to another process. */
export async function isOurs(pid: number, marker: string): Promise<boolean> {
  const { exitCode, output } = await runCommand("ps", ["-ww", "-o", "stat=,args=", "-p", String(pid)], PS_TIMEOUT_MS);
  // Z: it has ended, and its exit code was not read yet.
  return exitCode === 0 && !output.trimStart().startsWith("Z") && output.includes(marker);
}

/**
 * Terminates the process, and kills it if it does not end. Does nothing if the id no longer belongs to it. Resolves with whether it was
 * running.
 */
export async function stopDetached(pid: number, marker: string): Promise<boolean> {
  if (!(await isOurs(pid, marker))) return false;
  process.kill(pid, "SIGTERM");
  const killAt = performance.now() + STOP_TIMEOUT_MS;
  while (await isOurs(pid, marker)) {
    if (performance.now() > killAt) process.kill(pid, "SIGKILL");
    await delay(PAUSE_MS);
  }
  return true;
}
