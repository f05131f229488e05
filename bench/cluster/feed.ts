import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { outboxOperation } from "../../engine/payments/outbox.ts";
import { KEY_PREFIX } from "../../infra/node/cluster/cluster.ts";
import { connectClickHouse } from "../../storage/clickhouse/client.ts";
import { migrate } from "../../storage/clickhouse/migrate.ts";
import { openRedisKv } from "../../storage/kv/redis.ts";
import { type AskedChild, forkChild } from "../load/child.ts";
import type { FeedNodeTask } from "./feed-node.ts";
import { resultRow } from "./result-row.ts";
import type { BenchServers } from "./servers.ts";

const ROWS_A_COMMIT = 500;
const LOOK_MS = 100;
const LAG_ROWS = 11;
const LAG_LOOK_MS = 10;

/** Each so many looks, and when there seem to be enough, the rows are told apart, since one that came twice counts twice until it is merged. */
const EXACT_EVERY = 20;

/** A feed that needs longer has stopped. */
const TIMEOUT_MS = 600_000;

export interface FeedResult {
  rows: number;
  nodes: number;
  /** From the start of the feed, with everything in the outbox, to the last row in ClickHouse. */
  seconds: number;
  perSecond: number;
  /** Between a tenth and nine tenths of the rows: without the start and the end. */
  steadyPerSecond: number;
  /** From the commit of a single row to ClickHouse answering with it, while nothing else is under way. */
  lagMs: { rows: number; p50: number; max: number };
  /** Time on a core for each row, microseconds, by process. */
  cpuMicros: { [process: string]: number };
}

/** Stores rows of results that ended their commands in the outbox, then starts the feed of so many nodes and waits until ClickHouse has them all. */
export async function measureFeed(servers: BenchServers, rows: number, nodes: number): Promise<FeedResult> {
  const { origin, username, password } = new URL(servers.clickhouseUrl);
  const client = connectClickHouse({ url: origin, username, password });
  const kv = await openRedisKv({ url: servers.redisUrl, keyPrefix: KEY_PREFIX, refuseProblems: true });
  const children: AskedChild<FeedNodeTask, unknown>[] = [];
  const sender = `bench:${randomUUID()}`;
  try {
    await migrate(client);
    const before = await countOf("");
    for (let stored = 0; stored < rows; stored += ROWS_A_COMMIT) {
      const operations = Array.from({ length: Math.min(ROWS_A_COMMIT, rows - stored) }, (_, n) => operationOf(stored + n, sender));
      await kv.commit({ checks: [], operations });
    }
    for (let n = 0; n < nodes; n += 1) children.push(forkChild<FeedNodeTask, unknown>("cluster/feed-node.ts"));
    const pids: [string, number][] = [
      ["redis", servers.pids.redis],
      ["kafka", servers.pids.kafka],
      ["clickhouse", servers.pids.clickhouse],
      ...children.map(({ pid }, n): [string, number] => [`node-${n}`, pid]),
    ];
    const { redisUrl, kafkaBrokers, clickhouseUrl } = servers;
    await Promise.all(children.map((child, n) => child.ask({ redisUrl, kafkaBrokers, clickhouseUrl, name: `bench-${n}` })));
    const cpuBefore = pids.map(([, pid]) => cpuMs(pid));
    const startedMs = performance.now();
    const seen: { atMs: number; rows: number }[] = [];
    for (let exact = 0; exact < rows; ) {
      if (performance.now() - startedMs > TIMEOUT_MS) throw new Error(`the feed brought ${exact} of ${rows} rows`);
      await delay(LOOK_MS);
      const there = (await countOf("")) - before;
      seen.push({ atMs: performance.now() - startedMs, rows: there });
      if (there >= rows || seen.length % EXACT_EVERY === 0) exact = await storedRows();
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    const cpuMicros = Object.fromEntries(pids.map(([name, pid], n) => [name, ((cpuMs(pid) - (cpuBefore[n] ?? 0)) * 1_000) / rows]));
    const lagMs = await lags();
    return { rows, nodes, seconds, perSecond: rows / seconds, steadyPerSecond: steady(seen, rows), lagMs, cpuMicros };
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await kv.close();
    await client.close();
  }

  async function lags(): Promise<FeedResult["lagMs"]> {
    const took: number[] = [];
    for (let n = 1; n <= LAG_ROWS; n += 1) {
      const one = `${sender}/${n}`;
      await kv.commit({ checks: [], operations: [operationOf(rows + n, one)] });
      const committedMs = performance.now();
      while ((await countOf(one)) === 0) await delay(LAG_LOOK_MS);
      took.push(Math.round(performance.now() - committedMs));
    }
    took.sort((a, b) => a - b);
    return { rows: LAG_ROWS, p50: took[LAG_ROWS >> 1] ?? Number.NaN, max: took.at(-1) ?? Number.NaN };
  }

  /** Rows of this sender; of all where it is empty, which costs ClickHouse nothing. */
  function countOf(of: string): Promise<number> {
    return ask(
      of === "" ? "SELECT count() AS n FROM relay.transactions" : "SELECT count() AS n FROM relay.transactions WHERE sender = {of:String}",
      of,
    );
  }

  /** Those that have filled both tables. */
  async function storedRows(): Promise<number> {
    const filled = (table: string) => ask(`SELECT uniqExact(uuid) AS n FROM relay.${table} WHERE sender = {of:String}`, sender);
    return Math.min(await filled("transactions"), await filled("command_lives"));
  }

  async function ask(query: string, of: string): Promise<number> {
    const result = await client.query({ query, query_params: { of }, format: "JSONEachRow" });
    const [row] = await result.json<{ n: string }>();
    return Number(row?.n ?? 0);
  }
}

function steady(seen: readonly { atMs: number; rows: number }[], rows: number): number {
  const first = seen.find((look) => look.rows >= rows / 10);
  const last = seen.find((look) => look.rows >= (rows * 9) / 10);
  if (first === undefined || last === undefined || last.atMs === first.atMs) return Number.NaN;
  return ((last.rows - first.rows) * 1_000) / (last.atMs - first.atMs);
}

function operationOf(n: number, sender: string) {
  const nowMs = Date.now();
  return outboxOperation(resultRow(n, { sender, nowMs }), nowMs, `bench-${n}`);
}

/** Time on a core of all threads of a process and its children, milliseconds. */
export function cpuMs(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + ownCpuMs(one), 0);
}

function ownCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Clock ticks of a hundredth of a second (user and system).
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const children = readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim();
    return children === "" ? [] : children.split(" ").flatMap((child) => [Number(child), ...childrenOf(Number(child))]);
  });
}
