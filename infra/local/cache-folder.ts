import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** The folder for downloaded programs: `$XDG_CACHE_HOME/terminal-relay`, by default `~/.cache/terminal-relay`. */
export async function cacheFolder(): Promise<string> {
  const folder = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "terminal-relay");
  await mkdir(folder, { recursive: true });
  return folder;
}
