import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "../../infra/local/cache-folder.ts";
import { type Installed, installRedis } from "../../infra/local/redis.ts";
import { hasProgram, runCommand, runLocked } from "../../infra/local/run-command.ts";

const INSTALL_TIMEOUT_MS = 120_000;

/** WAITAOF came with 7.2; Debian 12 has 7.0 itself, and Valkey 8, which kept the protocol, in its backports. */
const OLDEST_VERSION = 7.2;

/** A server that knows WAITAOF: the system's where it is new enough, else Valkey from Debian's backports, unpacked beside the system. */
export async function installWaitingRedis(): Promise<Installed<string>> {
  const installed = await installRedis();
  if (installed.type === "installed" && (await versionOf(installed.program)) >= OLDEST_VERSION) return installed;
  const folder = join(await cacheFolder(), "valkey");
  const program = join(folder, "root/usr/bin/valkey-server");
  if (await hasProgram(program, ["--version"])) return { type: "installed", program };
  await mkdir(folder, { recursive: true });
  // Lists and archives of its own, so that nothing of the system's packages changes.
  const script = `set -e
cd "$0"
mkdir -p lists/partial archives/partial
echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm-backports main' > sources.list
own="-o Dir::Etc::sourcelist=$0/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$0/lists -o Dir::Cache::archives=$0/archives"
apt-get $own update
apt-get $own download valkey-server valkey-tools
for package in *.deb; do dpkg -x "$package" root; done`;
  const { output } = await runLocked(join(folder, "install.lock"), "sh", ["-c", script, folder], INSTALL_TIMEOUT_MS);
  if (await hasProgram(program, ["--version"])) return { type: "installed", program };
  const reason = `needs a Redis of 7.2 or newer, or Valkey from Debian's backports: ${output.trim().split("\n").at(-1) ?? ""}`;
  return { type: "missing", reason };
}

async function versionOf(program: string): Promise<number> {
  const { output } = await runCommand(program, ["--version"], 20_000);
  return Number(/v=(\d+\.\d+)/.exec(output)?.[1] ?? 0);
}
