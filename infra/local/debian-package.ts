import { join } from "node:path";
import { cacheFolder } from "./cache-folder.ts";
import { mayInstall } from "./may-install.ts";
import { hasProgram, runLocked } from "./run-command.ts";

const INSTALL_TIMEOUT_MS = 300_000;

export type Installed<T> = { type: "installed"; program: T } | { type: "missing"; reason: string };

/**
 * Finds a program, and installs the Debian package of that name (or of another) with apt-get if this process may. Takes a minute at most
 * the first time. With `args` the program ends at once.
 */
export async function installDebianPackage(program: string, args = ["--version"], packageName = program): Promise<Installed<string>> {
  const present = () => hasProgram(program, args);
  if (await present()) return { type: "installed", program };
  if (!mayInstall()) return { type: "missing", reason: `${program} is not installed` };
  if (process.getuid?.() !== 0 || !(await hasProgram("apt-get", ["--version"]))) {
    return { type: "missing", reason: `${program} is not installed (and only root on Debian can have it installed here): install it` };
  }
  // RUNLEVEL=1, set by runLocked, keeps a package from starting a service of its own.
  const script = `command -v ${program} >/dev/null || { apt-get update && apt-get install -y --no-install-recommends ${packageName}; }`;
  const lock = join(await cacheFolder(), "apt.lock");
  const { output } = await runLocked(lock, "sh", ["-c", script], INSTALL_TIMEOUT_MS);
  if (await present()) return { type: "installed", program };
  return { type: "missing", reason: `${program} could not be installed: ${output.trim().split("\n").at(-1) ?? ""}` };
}
