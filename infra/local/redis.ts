import { type Installed, installDebianPackage } from "./debian-package.ts";

/** Finds `redis-server`, or installs it if this process may. */
export function installRedis(): Promise<Installed<string>> {
  return installDebianPackage("redis-server");
}

/**
 * A Redis as the relay requires it (storage/kv/redis-settings.ts), on loopback. `settings` override or add lines. The process keeps its
 * command line (`set-proc-title no`), by which it is recognized later.
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
