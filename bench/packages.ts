/**
 * Payments with and without an upload of 500 MB and 50 parallel downloads beside them: `npm --prefix bench run packages [-- --rate 200
 * --seconds 10 --rounds 3]`. Payments leave on a fixed schedule and count from when they were due. Within a round the two take turns, so
 * that their ratio holds while the machine's speed drifts; the transfers run in a process of their own. Nothing else should run on the machine.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";
import { commandLine } from "../infra/command-line.ts";
import { numberBetween } from "./argument.ts";
import { ADMINISTRATOR, uploadLarge } from "./load/package-transfers.ts";
import { startRelay } from "./load/relay.ts";
import { type LatencySummary, Samples } from "./load/samples.ts";
import { API_KEY } from "./load/terminals.ts";
import { machineFacts } from "./machine-facts.ts";
import { writeResultFiles } from "./result-files.ts";

const { rate, seconds, rounds, files } = commandLine("packages")
  .description("Payments with and without an upload and downloads beside them; see bench/README.md.")
  .option("--rate <n>", "payments a second", numberBetween(1, 100_000), 200)
  .option("--seconds <n>", "of each measurement", numberBetween(1, 600), 10)
  .option("--rounds <n>", "rounds", numberBetween(1, 100), 3)
  .option("--no-files", "only print")
  .parse()
  .opts<{ rate: number; seconds: number; rounds: number; files: boolean }>();
const WARM_UP_SECONDS = 3;

const directory = await mkdtemp(join(tmpdir(), "relay-bench-packages-"));
const relay = await startRelay(directory);
const url = `http://127.0.0.1:${relay.port}`;
const pool = new Pool(url, { connections: 64, pipelining: 1 });
let paid = 0;
let errors = 0;

async function admin(
  method: "GET" | "POST",
  path: string,
  body?: object,
): Promise<{ data: { id: number; apkUrl: string }[] & { id: number } }> {
  const headers = { authorization: ADMINISTRATOR, "content-type": "application/json" };
  const response = await pool.request({ method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  // What the sandbox of this very version answers; a bench that reads it wrongly fails at once.
  return (await response.body.json()) as Awaited<ReturnType<typeof admin>>;
}

async function pay(dueMs: number, samples: Samples): Promise<void> {
  paid += 1;
  const headers = {
    "api-key": API_KEY,
    "content-type": "application/json",
    "x-forwarded-for": `10.${(paid >> 16) & 255}.${(paid >> 8) & 255}.${paid & 255}`,
  };
  const body = JSON.stringify({ uuid: randomUUID(), amount: 1_000, service: "PAYCC" });
  try {
    const response = await pool.request({ method: "POST", path: `/api/v1/BENCH-${paid}/pay`, headers, body });
    await response.body.text();
    if (response.statusCode !== 200) errors += 1;
  } catch {
    errors += 1;
  }
  samples.add(performance.now() - dueMs);
}

/** Payments on their schedule, for so long. */
async function measure(forSeconds: number): Promise<LatencySummary> {
  const samples = new Samples();
  const startedMs = performance.now();
  const count = Math.round(rate * forSeconds);
  const under: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    const dueMs = startedMs + (index * 1_000) / rate;
    const early = dueMs - performance.now();
    if (early > 1) await delay(early);
    under.push(pay(dueMs, samples));
  }
  await Promise.all(under);
  return samples.summary();
}

async function withTransfers<T>(work: () => Promise<T>): Promise<T> {
  const { data } = await admin("GET", "/admin/app-versions");
  const [current] = data;
  if (current === undefined) throw new Error("there is no version");
  const child: ChildProcess = spawn(
    process.execPath,
    ["--import", "tsx", "bench/load/package-load.ts", url, String(uploaded), current.apkUrl],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  if (child.stdout !== null) await once(child.stdout, "data");
  await delay(500);
  try {
    return await work();
  } finally {
    const ended = once(child, "exit");
    child.stdin?.end();
    await ended;
  }
}

const offered = (await admin("POST", "/admin/app-versions", { versionCode: 2, versionName: "downloaded" })).data.id;
const uploaded = (await admin("POST", "/admin/app-versions", { versionCode: 1, versionName: "uploaded" })).data.id;
const first = await uploadLarge(url, offered, 500);
if (first.status !== 200) throw new Error(first.text);
await measure(WARM_UP_SECONDS);

const measured: { without: LatencySummary; beside: LatencySummary }[] = [];
console.log(`${rate} payments/s, ${seconds} s each; milliseconds`);
for (let round = 1; round <= rounds; round += 1) {
  const without = await measure(seconds);
  const beside = await withTransfers(() => measure(seconds));
  measured.push({ without, beside });
  console.log(
    `round ${round}: without p50 ${without.p50} p99 ${without.p99}; with p50 ${beside.p50} p99 ${beside.p99}; p99 ratio ${ratioOf({ without, beside })}`,
  );
}
await pool.destroy();
await relay.stop();
await rm(directory, { recursive: true, force: true });

const ratios = measured.map(({ without, beside }) => beside.p99 / without.p99).toSorted((one, other) => one - other);
const median = ratios[ratios.length >> 1] ?? Number.NaN;
const verdict = `Median of the rounds' p99 ratios ${median.toFixed(2)} (goal: at most 2); errors ${errors}.`;
console.log(verdict);
if (files) {
  const date = new Date().toISOString().slice(0, 10);
  const { cores, processor, node } = machineFacts();
  const markdown = [
    "# Payments beside packages",
    "",
    `${date}, ${cores} cores (${processor}), Node ${node}. \`npm --prefix bench run packages\`: ${rate} payments a second on a schedule, ${seconds} s each, with and without an upload of 500 MB and 50 parallel downloads beside them. Milliseconds, from when a payment was due.`,
    "",
    "| round | p50 | p99 | p99.9 | p50 beside | p99 beside | p99.9 beside | p99 ratio |",
    "|---|--:|--:|--:|--:|--:|--:|--:|",
    ...measured.map(({ without, beside }, index) => {
      const times = [without, beside].flatMap(({ p50, p99, p999 }) => [p50, p99, p999]);
      return `| ${[index + 1, ...times, ratioOf({ without, beside })].join(" | ")} |`;
    }),
    "",
    verdict,
    "",
  ].join("\n");
  const written = await writeResultFiles({ date, kind: "packages", json: { rate, seconds, errors, rounds: measured }, markdown });
  console.log(`written to ${written.join(" and ")}`);
}

function ratioOf({ without, beside }: { without: LatencySummary; beside: LatencySummary }): string {
  return (beside.p99 / without.p99).toFixed(2);
}
