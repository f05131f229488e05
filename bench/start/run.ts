import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandLine } from "../../infra/command-line.ts";
import { freePort } from "../../infra/local/free-port.ts";
import { numberBetween } from "../argument.ts";
import { buildRelay } from "../load/relay.ts";
import { watchStolenTime } from "../load/stolen-time.ts";
import { API_KEY } from "../load/terminals.ts";
import { writeResultFiles } from "../result-files.ts";
import { ROOT } from "../root.ts";

/** How long a node may take. */
const START_MS = 60_000;

/** Between attempts: a payment is sent until one is taken. */
const AGAIN_MS = 3;

/** What Linux counts processor time in, by a hundredth of a second. */
const TICK_MS = 10;

const PROGRAMS = ["sources", "build"] as const;
type Program = (typeof PROGRAMS)[number];

interface Start {
  program: Program;
  /** On an empty folder, or on that of the start before, which was stopped. */
  isFirst: boolean;
  paidMs: number;
  readyMs: number;
  /** Of the node's process, when the payment was taken; null where there is no Linux to tell. */
  cpuMs: number | null;
}

async function main(): Promise<void> {
  const { rounds, files } = commandLine("bench:start")
    .description("From the start of a sandbox node to its first payment, from sources and from a build in turn; see bench/README.md.")
    .option("--rounds <n>", "each starts both on an empty folder and again on it", numberBetween(1, 100), 9)
    .option("--no-files", "tell the result, and write no files")
    .parse()
    .opts<{ rounds: number; files: boolean }>();
  const work = await mkdtemp(join(tmpdir(), "relay-bench-start-"));
  const stolen = watchStolenTime();
  try {
    await buildRelay(work);
    // Each reads its files for the first time, and a newer Node compiles a build's code for later starts.
    for (const program of PROGRAMS) await startTwice(work, program, "before");
    const starts: Start[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      console.log(`round ${round} of ${rounds}`);
      for (const program of round % 2 === 0 ? PROGRAMS : PROGRAMS.toReversed())
        starts.push(...(await startTwice(work, program, String(round))));
    }
    const text = report(starts, rounds, stolen());
    console.log(`\n${text}`);
    if (!files) return;
    const date = new Date().toISOString().slice(0, 10);
    const written = await writeResultFiles({ date, kind: "start", json: { node: process.version, rounds, starts }, markdown: text });
    console.log(`written to ${written.join(" and ")}`);
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

async function startTwice(work: string, program: Program, name: string): Promise<Start[]> {
  const directory = join(work, `data-${program}-${name}`);
  const first = await start(work, program, directory);
  const again = await start(work, program, directory);
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  return [
    { program, isFirst: true, ...first },
    { program, isFirst: false, ...again },
  ];
}

/** Starts the relay as its users do (the sources as npm start runs them), with one shard, pays, waits until it is ready, and stops it. */
async function start(work: string, program: Program, directory: string): Promise<Pick<Start, "paidMs" | "readyMs" | "cpuMs">> {
  const port = await freePort();
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("RELAY_") && !name.startsWith("NODE_"));
  const command = program === "build" ? [join(work, "build/infra/node/main.js")] : ["infra/build/start.mjs"];
  const startedAt = performance.now();
  const child = spawn(process.execPath, command, {
    cwd: program === "build" ? work : ROOT,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...Object.fromEntries(inherited),
      RELAY_PORT: String(port),
      RELAY_ZVT_PORT: "0",
      RELAY_SHARDS: "1",
      RELAY_LOG_LEVEL: "error",
      RELAY_DATA_DIR: directory,
      RELAY_SANDBOX_API_KEY: API_KEY,
    },
  });
  const exited = once(child, "exit");
  try {
    const body = () => JSON.stringify({ uuid: randomUUID(), amount: 1_000, service: "PAYCC" });
    const headers = { "API-Key": API_KEY, "Content-Type": "application/json" };
    await answered(child, () => statusOf({ port, method: "POST", path: "/api/v1/Q00000001/pay", headers }, body()));
    const paidMs = performance.now() - startedAt;
    const cpuMs = cpuOf(child);
    await answered(child, () => statusOf({ port, path: "/health/ready" }));
    return { paidMs, cpuMs, readyMs: performance.now() - startedAt };
  } finally {
    child.kill("SIGTERM");
    await exited;
  }
}

async function answered(child: ChildProcess, ask: () => Promise<number>): Promise<void> {
  for (const untilMs = performance.now() + START_MS; (await ask()) !== 200; await delay(AGAIN_MS)) {
    if (child.exitCode !== null) throw new Error("the node ended before it was ready");
    if (performance.now() > untilMs) throw new Error(`the node was not ready within ${START_MS} ms`);
  }
}

/** 0 where nobody answers. Not by `fetch`, which takes the processor from the node when it is loaded. */
function statusOf(options: { port: number; method?: string; path: string; headers?: Record<string, string> }, body = ""): Promise<number> {
  return new Promise((resolve) => {
    const asked = request({ host: "127.0.0.1", agent: false, ...options }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on("error", () => resolve(0));
    asked.end(body);
  });
}

function cpuOf({ pid }: ChildProcess): number | null {
  try {
    // After the name in brackets: state, ppid, ... and as the 12th and 13th utime and stime.
    const [, ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[10]) + Number(fields[11])) * TICK_MS;
  } catch {
    return null;
  }
}

function report(starts: readonly Start[], rounds: number, stolen: number | null): string {
  const row = (program: Program, isFirst: boolean) => {
    const own = starts.filter((start) => start.program === program && start.isFirst === isFirst);
    const cells = [own.map(({ paidMs }) => paidMs), own.map(({ readyMs }) => readyMs)].map(spread);
    const cpu = own.map(({ cpuMs }) => cpuMs).filter((ms) => ms !== null);
    return `| ${program}, ${isFirst ? "an empty folder" : "again"} | ${cells.join(" | ")} | ${cpu.length === 0 ? "-" : median(cpu)} |`;
  };
  return [
    "# From the start to the first payment",
    "",
    `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.version}. \`node --import tsx bench/start/run.ts\`: a sandbox node with one shard, its own ClickHouse, gateway and simulated terminals; medians of ${rounds} starts, with the least and the most; sources and build in turn. ${stolen === null ? "" : `The host took ${(stolen * 100).toFixed(1)}% of the processors.`}`.trimEnd(),
    "",
    "| started from | first payment, ms | `/health/ready`, ms | processor time until the payment, ms |",
    "|---|--:|--:|--:|",
    ...PROGRAMS.flatMap((program) => [row(program, true), row(program, false)]),
    "",
  ].join("\n");
}

function spread(values: readonly number[]): string {
  return `${median(values)} (${Math.round(Math.min(...values))}–${Math.round(Math.max(...values))})`;
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}

await main();
