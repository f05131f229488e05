import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { type AskedChild, forkChild } from "../load/child.ts";
import { type RunningRelay, startRelay } from "../load/relay.ts";
import type { LoadAnswer, LoadResult, LoadTask } from "../load/task.ts";
import { machineFacts } from "../machine-facts.ts";
import type { BenchOptions } from "../options.ts";
import { writeResultFiles } from "../result-files.ts";
import { type DeadNodeResult, measureDeadNode } from "./dead-node.ts";
import { cpuMs, type FeedResult, measureFeed } from "./feed.ts";
import { FEED_GOAL_PER_SECOND } from "./feed-goal.ts";
import { type BenchServers, startBenchServers } from "./servers.ts";

const NODES = ["node-0", "node-1", "node-2"];
const CONNECTIONS = 64;
const PACED_CONNECTIONS = 256;
const SESSIONS = 1_000;
const WARM_UP_FACTOR = 0.6;
const FEED_WARM_UP_ROWS = 20_000;

interface Measured {
  what: string;
  result: LoadResult;
  /** Time on a core of the measured processes for each request, microseconds. */
  cpuMicros: number;
}

interface ClusterResults {
  date: string;
  machine: ReturnType<typeof machineFacts>;
  /** Of the machine, before: above a few tenths something else ran beside this. */
  loadBefore: number;
  loads: Measured[];
  dead: DeadNodeResult;
  feed: FeedResult;
}

/** Three nodes over servers of their own, against a node by itself, in one run. Answers the files that it wrote. */
export async function runCluster(options: BenchOptions, note: (text: string) => void): Promise<string[]> {
  const date = new Date().toISOString().slice(0, 10);
  const loadBefore = loadavg()[0] ?? 0;
  const work = await mkdtemp(join(tmpdir(), "relay-bench-"));
  const generator = forkChild<LoadTask, LoadAnswer>("load/generator.ts");
  const relays: RunningRelay[] = [];
  note("starting Redis, Kafka and ClickHouse");
  const servers = await startBenchServers();
  try {
    const loads: Measured[] = [];
    const embedded = await startRelay(join(work, "embedded"));
    loads.push(...(await measureLoads(generator, "by itself", [embedded], [], options.seconds, note)));
    await embedded.stop();

    for (const name of NODES) relays.push(await startRelay(join(work, name), { ...servers.environment, RELAY_NODE_ID: name }));
    const shared = [servers.pids.redis];
    loads.push(...(await measureLoads(generator, "of three", relays, shared, options.seconds, note)));
    const [first, last] = [relays[0], relays.at(-1)];
    if (first === undefined || last === undefined) throw new Error("no node was started");
    const kill = () => process.kill(last.pid, "SIGKILL");
    const dead = await measureDeadNode(`http://127.0.0.1:${first.port}`, NODES, "node-2", kill);
    note(`a dead node's terminals work again after ${Math.round(dead.lastMs)} ms (median ${Math.round(dead.medianMs)} ms)`);
    await Promise.all(relays.splice(0).map((relay) => relay.stop()));

    const feed = await warmFeed(servers, options.feedRows);
    note(`feed: ${Math.round(feed.perSecond)} rows/s, ${Math.round(feed.steadyPerSecond)} between a tenth and nine tenths`);
    const results: ClusterResults = { date, machine: machineFacts(), loadBefore, loads, dead, feed };
    const text = markdownOf(results);
    console.log(text);
    return await writeResultFiles({ date: results.date, kind: "cluster", json: results, markdown: text });
  } finally {
    await Promise.all([...relays.map((relay) => relay.stop()), generator.stop()]);
    await servers.stop();
    await rm(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** The feed over servers of its own, run after run. Answers the files that it wrote. */
export async function runOnlyFeed({ feedRows, feedRuns }: BenchOptions, note: (text: string) => void): Promise<string[]> {
  const date = new Date().toISOString().slice(0, 10);
  const machine = machineFacts();
  const loadBefore = loadavg()[0] ?? 0;
  note("starting Redis, Kafka and ClickHouse");
  const servers = await startBenchServers();
  try {
    const runs: FeedResult[] = [];
    for (let number = 1; number <= feedRuns; number += 1) {
      note(`run ${number} of ${feedRuns}: ${feedRows} rows`);
      runs.push(number === 1 ? await warmFeed(servers, feedRows) : await measureFeed(servers, feedRows, 1));
    }
    const markdown = [
      `# The feed of a cluster, ${date}`,
      "",
      `${headOf(machine, loadBefore)}. One process that runs the feed as a node's main thread does, Redis, Kafka and ClickHouse share the machine.`,
      "",
      ...runs.flatMap((run) => [feedText(run), ""]),
    ].join("\n");
    console.log(markdown);
    return await writeResultFiles({ date, kind: "feed", json: { date, machine, loadBefore, rows: feedRows, runs }, markdown });
  } finally {
    await servers.stop();
  }
}

async function warmFeed(servers: BenchServers, rows: number): Promise<FeedResult> {
  await measureFeed(servers, FEED_WARM_UP_ROWS, 1);
  return measureFeed(servers, rows, 1);
}

/** Polls, payments as fast as they go, and payments at half of that, pushed to sessions at another node where there is one. */
async function measureLoads(
  generator: AskedChild<LoadTask, LoadAnswer>,
  name: string,
  relays: readonly RunningRelay[],
  sharedPids: readonly number[],
  seconds: number,
  note: (text: string) => void,
): Promise<Measured[]> {
  const [asked, other = asked] = relays;
  if (asked === undefined || other === undefined) throw new Error("no node was started");
  const pids = [...relays.map(({ pid }) => pid), ...sharedPids];
  let phase = 0;
  async function measure(what: string, task: Partial<LoadTask> & Pick<LoadTask, "kind">): Promise<LoadResult> {
    phase += 1;
    const before = pids.map(cpuMs);
    const answer = await generator.ask({
      port: asked?.port ?? 0,
      serverPid: asked?.pid ?? 0,
      servingThread: null,
      connections: CONNECTIONS,
      sessions: 0,
      ratePerSecond: null,
      warmUpMs: seconds * 1_000 * WARM_UP_FACTOR,
      measureMs: seconds * 1_000,
      phase,
      ...task,
    });
    if (answer.type === "failed") throw new Error(`${what}: ${answer.reason}`);
    const { result } = answer;
    const usedMs = pids.reduce((sum, pid, n) => sum + cpuMs(pid) - (before[n] ?? 0), 0);
    // Sessions are opened and requests warm up within the same time, so this says a little too much.
    const requests = result.perSecond * seconds * (1 + WARM_UP_FACTOR);
    measured.push({ what: `${what}, a node ${name}`, result, cpuMicros: (usedMs * 1_000) / requests });
    note(`${what}, a node ${name}: ${Math.round(result.perSecond)}/s, p50 ${result.answer.p50} ms, p99 ${result.answer.p99} ms`);
    return result;
  }
  const measured: Measured[] = [];
  await measure("get, nothing waits", { kind: "get" });
  const { perSecond } = await measure("pay", { kind: "pay" });
  const pushed = { kind: "pay", sessions: SESSIONS, sessionsPort: other.port, connections: PACED_CONNECTIONS } as const;
  await measure("pay → push at half of that", { ...pushed, ratePerSecond: Math.max(1, Math.round(perSecond / 2)) });
  return measured;
}

function markdownOf({ date, machine, loadBefore, loads, dead, feed }: ClusterResults): string {
  return [
    `# Cluster benchmark of ${date}`,
    "",
    `${headOf(machine, loadBefore)}. ` +
      "Generator, nodes, Redis, Kafka and ClickHouse share the machine. All requests go to one node; terminals are at home at all three, sessions are at another node than the one that is asked.",
    "",
    "| | /s | p50 ms | p99 ms | push p50 ms | push p99 ms | CPU µs of nodes and Redis | errors |",
    "|---|---|---|---|---|---|---|---|",
    ...loads.map(({ what, result, cpuMicros }) => {
      const errors = Object.values(result.unexpected).reduce((sum, count) => sum + count, result.missingPushes);
      const push = result.push === null ? ["", ""] : [result.push.p50, result.push.p99];
      return `| ${[what, Math.round(result.perSecond), result.answer.p50, result.answer.p99, ...push, cpuMicros.toFixed(0), errors].join(" | ")} |`;
    }),
    "",
    `A node killed with -9: ${dead.terminals} terminals that it was home to worked again after ${Math.round(dead.medianMs)} ms (median), the last after ${Math.round(dead.lastMs)} ms.`,
    "",
    feedText(feed),
    "",
  ].join("\n");
}

function headOf({ cores, processor, memoryGb, platform, node }: ReturnType<typeof machineFacts>, loadBefore: number): string {
  return `${cores} cores (${processor}), ${memoryGb} GB, ${platform}, Node ${node}; load of the machine before: ${loadBefore.toFixed(1)}`;
}

function feedText(feed: FeedResult): string {
  const goal = feed.steadyPerSecond >= FEED_GOAL_PER_SECOND ? "met" : "not met";
  const cpu = Object.entries(feed.cpuMicros).map(([name, micros]) => `${name} ${micros.toFixed(1)}`);
  return (
    `Feed, ${feed.rows.toLocaleString("en")} stored results from the outbox through Kafka into ClickHouse: ${Math.round(feed.perSecond)} rows/s, ` +
    `${Math.round(feed.steadyPerSecond)} between a tenth and nine tenths of them (goal ${FEED_GOAL_PER_SECOND}: ${goal}). CPU µs a row: ${cpu.join(", ")}. ` +
    `Lag of a row at rest: ${feed.lagMs.p50} ms (median), ${feed.lagMs.max} ms (longest of ${feed.lagMs.rows}).`
  );
}
