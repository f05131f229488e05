import { join } from "node:path";
import { cacheFolder } from "./cache-folder.ts";
import { hasProgram, runLocked } from "./run-command.ts";

const INSTALL_TIMEOUT_MS = 300_000;

export type Installed<T> = { type: "installed"; program: T } | { type: "missing"; reason: string };

/** Finds `redis-server`, and installs it with apt-get where this process may. Takes a minute at most the first time. */
export async function installRedis(): Promise<Installed<string>> {
  const program = "redis-server";
  const present = () => hasProgram(program, ["--version"]);
  if (await present()) return { type: "installed", program };
  if (process.getuid?.() !== 0 || !(await hasProgram("apt-get", ["--version"]))) {
    return { type: "missing", reason: "redis-server is not installed (and only root on Debian can have it installed here): install it" };
  }
  // RUNLEVEL=1, set by runLocked, keeps the package from starting a service of its own.
  const script = "command -v redis-server >/dev/null || { apt-get update && apt-get install -y --no-install-recommends redis-server; }";
  const lock = join(await cacheFolder(), "apt.lock");
  const { output } = await runLocked(lock, "sh", ["-c", script], INSTALL_TIMEOUT_MS);
  if (await present()) return { type: "installed", program };
  return { type: "missing", reason: `redis-server could not be installed: ${output.trim().split("\n").at(-1) ?? ""}` };
}

/**
 * A Redis as the relay wants it (design.md: what is promised), on loopback. `settings` override or add lines.
 * The process keeps its command line (`set-proc-title no`), by which it is known again later.
 */
export function redisConfig(directory: string, port: number, settings: Readonly<Record<string, string>> = {}): string {
  const lines: Record<string, string> = {
    bind: "127.0.0.1",
    port: String(port),
    dir: `"${directory}"`,
    daemonize: "no",
    "set-proc-title": "no",
    appendonly: "yes",
    appendfsync: "always",
    "maxmemory-policy": "noeviction",
    save: '""',
    "tcp-keepalive": "60",
    ...settings,
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name} ${value}\n`)
    .join("");
}
