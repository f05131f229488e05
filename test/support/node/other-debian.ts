import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "../../../infra/local/cache-folder.ts";
import type { Installed } from "../../../infra/local/debian-package.ts";
import { mayInstall } from "../../../infra/local/may-install.ts";
import { runCommand, runLocked } from "../../../infra/local/run-command.ts";

const UNPACK_TIMEOUT_MS = 180_000;

/**
 * Unpacks packages of another release of Debian (`trixie`, `bookworm-backports`) beside the system,
 * from the mirror in the system's own sources. Returns the path of `file`, which one of them
 * contains. Lists and archives stay in a folder of their own (`name`), and the system's packages do
 * not change.
 */
export async function unpackFromDebian(
  name: string,
  { suite, packages, file }: { suite: string; packages: readonly string[]; file: string },
): Promise<Installed<string>> {
  const folder = join(await cacheFolder(), name);
  const program = join(folder, "root", file);
  if (existsSync(program)) return { type: "installed", program };
  if (!mayInstall()) return { type: "missing", reason: `${packages.join(", ")} of Debian's ${suite} were not unpacked` };
  await mkdir(folder, { recursive: true });
  const script = `set -e
cd "$0"
suite=$1
shift
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 'Component: main' | awk '$1 ~ /debian\\/?$/ { print $1; exit }')
test -n "$mirror" || { echo "apt has no Debian mirror among its sources"; exit 1; }
mkdir -p lists/partial archives/partial
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" > sources.list
own="-o Dir::Etc::sourcelist=$0/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$0/lists -o Dir::Cache::archives=$0/archives"
apt-get $own update
apt-get $own download "$@"
for package in *.deb; do dpkg -x "$package" root; done`;
  const { output } = await runLocked(join(folder, "install.lock"), "sh", ["-c", script, folder, suite, ...packages], UNPACK_TIMEOUT_MS);
  if (existsSync(program)) return { type: "installed", program };
  return {
    type: "missing",
    reason: `${packages.join(", ")} of Debian's ${suite} could not be had: ${output.trim().split("\n").at(-1) ?? ""}`,
  };
}

/** Returns the output of a program, or null if it fails. */
export async function outputOf(program: string, args: readonly string[]): Promise<string | null> {
  const { exitCode, output } = await runCommand(program, args, 20_000);
  return exitCode === 0 ? output.trim() : null;
}
