import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { runCommand } from "./run-command.ts";

const PAUSE_MS = 50;
const STOP_TIMEOUT_MS = 20_000;
const PS_TIMEOUT_MS = 5_000;

/** Starts a process that outlives this one, with what it prints appended to a log file. Answers its id. */
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

/** Whether the process with this id is alive and its command line holds `marker`: an id that was given to another process is not it. */
export async function isOurs(pid: number, marker: string): Promise<boolean> {
  const { exitCode, output } = await runCommand("ps", ["-ww", "-o", "stat=,args=", "-p", String(pid)], PS_TIMEOUT_MS);
  // Z: it has ended, and only nobody has asked for its exit code yet.
  return exitCode === 0 && !output.trimStart().startsWith("Z") && output.includes(marker);
}

/** Asks it to end, and kills it when it does not. Does nothing when the id is no longer that process. Answers whether it was there. */
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
