import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { KEY_PREFIX } from "../../infra/node/cluster/cluster.ts";
import { connectClickHouse } from "../../storage/clickhouse/client.ts";
import { type BenchServers, startBenchServers } from "../cluster/servers.ts";
import { forkChild } from "../load/child.ts";
import { type RunningRelay, startRelay } from "../load/relay.ts";
import type { LoadAnswer, LoadTask } from "../load/task.ts";
import { type RedisUse, redisUse } from "./redis-server.ts";

const SESSIONS = 500;
const CONNECTIONS = 32;
const IDLE_MS = 15_000;
const LOOK_MS = 500;
const LOOKS_MAX = 60;
const STREAM_PAGE = 1_000;
const STREAM_BLOCK_MS = 500;

export interface ClusterLivesResult {
  nodes: number;
  /** Of one shard each, with nothing to do but 500 terminals that are connected to the last one. */
  idle: { seconds: number; commandsPerSecond: number; redisCpuShare: number };
  /** Paid at the first node, pushed over a session of the last, each terminal at home at any of them. */
  lives: {
    count: number;
    perSecond: number;
    /** Of the streams between nodes, for a life: entries, and the bytes of what is in them. */
    streamEntries: number;
    streamBytes: number;
    redisMicros: number;
    redisCommands: number;
    redisLogBytes: number;
    /** On the broker's disk. */
    kafkaBytes: number;
  };
}

/** Lives of payments at `perSecond` through `nodes` whole nodes over servers of this run's own, counted by what the servers say of themselves. */
export async function measureClusterLives(
  { nodes, perSecond, seconds }: { nodes: number; perSecond: number; seconds: number },
  note: (text: string) => void,
): Promise<ClusterLivesResult> {
  const work = await mkdtemp(join(tmpdir(), "relay-bench-scaling-"));
  const servers = await startBenchServers();
  const redis = new Redis(servers.redisUrl);
  const generator = forkChild<LoadTask, LoadAnswer>("load/generator.ts");
  const relays: RunningRelay[] = [];
  try {
    for (let n = 0; n < nodes; n += 1) {
      relays.push(await startRelay(join(work, `node-${n}`), { ...servers.environment, RELAY_NODE_ID: `node-${n}` }));
    }
    const idle = await measureIdle(redis);
    note(`${nodes} idle nodes: ${idle.commandsPerSecond.toFixed(0)} commands of Redis a second`);
    const streams = await followStreams(redis);
    const before = await readAll(servers, redis);
    await load(generator.ask, relays, { perSecond, seconds });
    const count = await settledRows(servers, before.rows);
    const after = await readAll(servers, redis);
    await streams.stop();
    const each = (of: (read: Reading) => number) => (of(after) - of(before)) / count;
    // What the nodes do anyway goes on meanwhile.
    const idleCommands = (idle.commandsPerSecond * (after.atMs - before.atMs)) / 1_000 / count;
    const idleMicros = (idle.redisCpuShare * (after.atMs - before.atMs) * 1_000) / count;
    const lives = {
      count,
      perSecond,
      streamEntries: each(({ use }) => use.streamEntries),
      streamBytes: streams.bytes() / count,
      redisMicros: each(({ use }) => use.cpuMicros) - idleMicros,
      redisCommands: each(({ use }) => use.commands) - idleCommands,
      redisLogBytes: each(({ use }) => use.logBytes),
      kafkaBytes: each(({ kafkaBytes }) => kafkaBytes),
    };
    note(`a life: ${lives.streamBytes.toFixed(0)} bytes between nodes, ${lives.kafkaBytes.toFixed(0)} at Kafka`);
    return { nodes, idle, lives };
  } finally {
    redis.disconnect();
    await Promise.all([...relays.map((relay) => relay.stop()), generator.stop()]);
    await servers.stop();
    await rm(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

async function measureIdle(redis: Redis): Promise<ClusterLivesResult["idle"]> {
  const before = await redisUse(redis);
  const startedMs = performance.now();
  await delay(IDLE_MS);
  const after = await redisUse(redis);
  const seconds = (performance.now() - startedMs) / 1_000;
  return {
    seconds,
    commandsPerSecond: (after.commands - before.commands) / seconds,
    redisCpuShare: (after.cpuMicros - before.cpuMicros) / seconds / 1e6,
  };
}

async function load(
  ask: (task: LoadTask) => Promise<LoadAnswer>,
  relays: readonly RunningRelay[],
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<void> {
  const [first, last] = [relays[0], relays.at(-1)];
  if (first === undefined || last === undefined) throw new Error("no node was started");
  const answer = await ask({
    kind: "life",
    channel: "push",
    port: first.port,
    serverPid: first.pid,
    servingThread: null,
    connections: CONNECTIONS,
    sessions: SESSIONS,
    sessionsPort: last.port,
    ratePerSecond: perSecond,
    warmUpMs: 0,
    measureMs: seconds * 1_000,
    phase: 1,
  });
  if (answer.type === "failed") throw new Error(answer.reason);
  const unexpected = Object.entries(answer.result.unexpected);
  if (unexpected.length > 0) throw new Error(`unexpected answers: ${unexpected.map((entry) => entry.join(" ")).join(", ")}`);
}

interface Reading {
  atMs: number;
  use: RedisUse;
  kafkaBytes: number;
  rows: number;
}

async function readAll(servers: BenchServers, redis: Redis): Promise<Reading> {
  return {
    atMs: performance.now(),
    use: await redisUse(redis),
    kafkaBytes: await segmentBytes(servers.directory),
    rows: await countRows(servers),
  };
}

/** How many there are more than before, once they have all come: the same twice. */
async function settledRows(servers: BenchServers, before: number): Promise<number> {
  let known = 0;
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    await delay(LOOK_MS * 4);
    const rows = (await countRows(servers)) - before;
    if (rows > 0 && rows === known) return rows;
    known = rows;
  }
  throw new Error("rows came for too long, or none did");
}

interface FollowedStreams {
  /** Of what was in the entries that came since. */
  bytes(): number;
  stop(): Promise<void>;
}

/** Reads beside the nodes what is written to their streams from now on: a node trims what it has read. */
async function followStreams(redis: Redis): Promise<FollowedStreams> {
  const streams = await redis.keys(`${KEY_PREFIX}stream:*`);
  const last = new Map<string, string>(streams.map((stream) => [stream, "$"]));
  const reader = redis.duplicate();
  let bytes = 0;
  let stopped = false;
  async function follow(): Promise<void> {
    while (!stopped) {
      const answer = await reader.xreadBuffer("COUNT", STREAM_PAGE, "BLOCK", STREAM_BLOCK_MS, "STREAMS", ...last.keys(), ...last.values());
      for (const [stream, entries] of answer ?? []) {
        for (const [id, fields] of entries) {
          last.set(stream.toString(), id.toString());
          for (const field of fields) bytes += field.length;
        }
      }
    }
  }
  const following = follow();
  return {
    bytes: () => bytes,
    stop: async () => {
      stopped = true;
      await following;
      reader.disconnect();
    },
  };
}

/** Of the segments of the topic of results, in the folder of the servers. */
async function segmentBytes(directory: string): Promise<number> {
  const files = await readdir(directory, { recursive: true });
  const segments = files.filter((file) => /relay\.transactions-\d+\/\d+\.log$/.test(file));
  const sizes = await Promise.all(segments.map(async (file) => (await stat(join(directory, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function countRows({ clickhouseUrl }: BenchServers): Promise<number> {
  const { origin, username, password } = new URL(clickhouseUrl);
  const client = connectClickHouse({ url: origin, username, password });
  try {
    const result = await client.query({ query: "SELECT uniqExact(uuid) AS n FROM relay.transactions", format: "JSONEachRow" });
    const [row] = await result.json<{ n: string }>();
    return Number(row?.n);
  } finally {
    await client.close();
  }
}
