import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, totalmem } from "node:os";
import { ROOT } from "./root.ts";

/** Of the machine, for the head of a result. */
export function machineFacts() {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
  };
}

/** What was measured: the commit of this checkout, with ` and changes` where files that it has are different here; null where there is no git. */
export function measuredCommit(): string | null {
  try {
    const commit = git("rev-parse", "--short=12", "HEAD");
    return git("status", "--porcelain", "--untracked-files=no") === "" ? commit : `${commit} and changes`;
  } catch {
    return null;
  }
}

function git(...parameters: string[]): string {
  return execFileSync("git", parameters, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}
