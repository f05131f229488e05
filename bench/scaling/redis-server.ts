import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePort } from "../../infra/local/free-port.ts";
import { servicesDown, servicesUp } from "../../infra/local/services.ts";

/** A Redis of this run's own, as the relay requires it, and what it says of itself. */
export interface MeasuredRedis {
  readonly url: string;
  readonly client: Redis;
  stop(): Promise<void>;
}

/** Starts it in a temporary folder, on a free port; throws with what is missing. */
export async function startMeasuredRedis(): Promise<MeasuredRedis> {
  const directory = await mkdtemp(join(tmpdir(), "relay-bench-scaling-"));
  const [result] = await servicesUp({ directory, only: ["redis"], ports: { redis: await freePort() } });
  if (result === undefined || "reason" in result) throw new Error(`redis: ${result?.reason ?? "was not started"}`);
  const url = result.variable.value;
  const client = new Redis(url);
  // Written anew in the middle of a measurement, the file would be shorter after it than before.
  await client.config("SET", "auto-aof-rewrite-percentage", "0");
  return {
    url,
    client,
    stop: async () => {
      client.disconnect();
      await servicesDown(directory);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** What a Redis has used so far. */
export interface RedisUse {
  /** Memory of its data, as its allocator counts it, bytes. */
  usedBytes: number;
  /** Time of all of its threads on a core, microseconds. */
  cpuMicros: number;
  /** Runs of scripts; lua/commit.lua, lua/scan.lua and lua/sweep.lua among them. */
  scripts: number;
  /** Entries written to the streams between nodes. */
  streamEntries: number;
  /** All commands, those inside scripts too. */
  commands: number;
  /** Size of the append-only file, bytes. */
  logBytes: number;
}

export async function redisUse(client: Redis): Promise<RedisUse> {
  const info = `${await client.info("everything")}\n`;
  const number = (pattern: RegExp) => Number(pattern.exec(info)?.[1] ?? 0);
  const calls = (command: string) => number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, "m"));
  return {
    usedBytes: number(/^used_memory:(\d+)/m),
    cpuMicros: Math.round((number(/^used_cpu_sys:([\d.]+)/m) + number(/^used_cpu_user:([\d.]+)/m)) * 1e6),
    scripts: calls("evalsha") + calls("eval"),
    streamEntries: calls("xadd"),
    commands: [...info.matchAll(/^cmdstat_[^:]+:calls=(\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0),
    logBytes: number(/^aof_current_size:(\d+)/m),
  };
}
