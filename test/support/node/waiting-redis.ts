import type { Installed } from "../../../infra/local/debian-package.ts";
import { installRedis } from "../../../infra/local/redis.ts";
import { outputOf, unpackFromDebian } from "./other-debian.ts";

/**
 * WAITAOF exists since 7.2. Debian 12 has 7.0, and its backports have Valkey 8, which kept the
 * protocol.
 */
const OLDEST_VERSION = 7.2;

/**
 * Returns a server with WAITAOF: the system's if it is new enough, or else Valkey from Debian's
 * backports, unpacked beside the system.
 */
export async function installWaitingRedis(): Promise<Installed<string>> {
  const installed = await installRedis();
  if (installed.type === "installed" && (await versionOf(installed.program)) >= OLDEST_VERSION) return installed;
  const packages = ["valkey-server", "valkey-tools"];
  const valkey = await unpackFromDebian("valkey", { suite: "bookworm-backports", packages, file: "usr/bin/valkey-server" });
  return valkey.type === "installed" ? valkey : { type: "missing", reason: `needs a Redis of 7.2 or newer, or Valkey: ${valkey.reason}` };
}

async function versionOf(program: string): Promise<number> {
  return Number(/v=(\d+\.\d+)/.exec((await outputOf(program, ["--version"])) ?? "")?.[1] ?? 0);
}
