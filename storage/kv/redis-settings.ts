import type { Redis } from "ioredis";

/** The properties of a Redis server, read when a connection is made. */
export interface RedisServer {
  /** Changes with every start of the process. */
  runId: string;
  /** Changes with every start and every failover. */
  replicationId: string;
  /** The id of the server of which this one was a replica until it was promoted; zeros otherwise. */
  formerReplicationId: string;
  /** The settings with which Redis would lose acknowledged commits (ARCHITECTURE.md, promise 1); empty when there are none. */
  problems: string[];
}

/** WAITAOF came with it. */
const WAITAOF_VERSION = [7, 2];
const OLDEST_VERSION = [6, 2];

const WANTED_SETTINGS: Readonly<Record<string, string>> = {
  appendonly: "yes",
  appendfsync: "always",
  // With yes nothing is synced while the append-only file is rewritten.
  "no-appendfsync-on-rewrite": "no",
  "maxmemory-policy": "noeviction",
};

/** Asks Redis for its settings and history; rejects when it does not answer. */
export async function readRedisServer(client: Redis, waitReplicas: number): Promise<RedisServer> {
  const [info, ...settings] = await Promise.all([
    client.info("everything"),
    ...Object.entries(WANTED_SETTINGS).map(([name, wanted]) => settingProblem(client, name, wanted)),
  ]);
  const problems = settings.filter((problem) => problem !== null);
  const field = (name: string): string => new RegExp(`^${name}:(.*?)\r?$`, "m").exec(info)?.[1] ?? "";
  const version = field("redis_version");
  if (field("role") !== "master") problems.push(`it is a ${field("role")}, not the primary`);
  if (field("aof_last_write_status") === "err") problems.push("its append-only file cannot be written (aof_last_write_status: err)");
  if (isOlder(version, OLDEST_VERSION)) problems.push(`version ${version} is older than ${OLDEST_VERSION.join(".")}`);
  if (waitReplicas > 0 && isOlder(version, WAITAOF_VERSION)) {
    problems.push(
      `version ${version} has no WAITAOF (${WAITAOF_VERSION.join(".")} or newer has): it cannot wait for ${waitReplicas} replica(s)`,
    );
  }
  if (waitReplicas > 0 && Number(field("connected_slaves")) < waitReplicas) {
    problems.push(`${field("connected_slaves")} replica(s) are connected, commits wait for ${waitReplicas}`);
  }
  return { runId: field("run_id"), replicationId: field("master_replid"), formerReplicationId: field("master_replid2"), problems };
}

async function settingProblem(client: Redis, name: string, wanted: string): Promise<string | null> {
  try {
    const answer: unknown = await client.config("GET", name);
    const value = Array.isArray(answer) ? String(answer[1]) : "unknown";
    return value === wanted ? null : `${name} is ${value}, not ${wanted}`;
  } catch (error) {
    // Hosted ones forbid CONFIG; a lost connection fails INFO too.
    return `${name} cannot be read (${error instanceof Error ? error.message : String(error)}), it has to be ${wanted}`;
  }
}

function isOlder(version: string, than: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, part] of than.entries()) {
    const own = parts[index] ?? 0;
    if (own !== part) return own < part;
  }
  return false;
}
