import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandLine } from "../../infra/command-line.ts";
import { freePort } from "../../infra/local/free-port.ts";
import { numberBetween } from "../argument.ts";
import { writeResultFiles } from "../result-files.ts";
import { ROOT } from "../root.ts";
import type { LinksResult, LinksTask } from "./child.ts";

interface Start {
  readyMs: number;
  rss: number;
}

async function main(): Promise<void> {
  const { links, seconds, starts } = commandLine("bench:links")
    .description("Pending payment links on one shard: their steady load, catching up, and starts; see bench/README.md.")
    .option("--links <n>", "pending links", numberBetween(1, 1_000_000), 100_000)
    .option("--seconds <n>", "of the measured window", numberBetween(1, 3_600), 60)
    .option("--starts <n>", "starts of a whole node, with the links and without, in turn", numberBetween(1, 20), 3)
    .parse()
    .opts<{ links: number; seconds: number; starts: number }>();
  const work = await mkdtemp(join(tmpdir(), "relay-bench-links-"));
  try {
    const filled = join(work, "filled");
    console.log(`${links} links: created, then verified for ${seconds} s`);
    const steady = await ask({ directory: join(filled, "state"), create: links, seconds });
    const copy = join(work, "caught-up");
    await cp(filled, copy, { recursive: true });
    console.log("after an outage of the node, all deadlines missed");
    const caughtUp = await ask({ directory: join(copy, "state"), create: 0, seconds });
    const [withLinks, without]: [Start[], Start[]] = [[], []];
    for (let round = 1; round <= starts; round += 1) {
      console.log(`start ${round} of ${starts} of a whole node`);
      without.push(await start(join(work, `empty-${round}`)));
      withLinks.push(await start(filled));
    }
    const text = report({ links, seconds, steady, caughtUp, withLinks, without });
    console.log(`\n${text}`);
    const date = new Date().toISOString().slice(0, 10);
    const json = { links, seconds, steady, caughtUp, withLinks, without };
    const files = await writeResultFiles({ date, kind: "links", json, markdown: text });
    console.log(`written to ${files.join(" and ")}`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function ask(task: LinksTask): Promise<LinksResult> {
  const child = fork(`${ROOT}bench/links/child.ts`, { cwd: ROOT, execArgv: ["--import", "tsx", "--expose-gc"] });
  const ended = once(child, "exit").then(() => null);
  const answered = once(child, "message");
  child.send(task);
  const first = await Promise.race([answered, ended]);
  if (first === null) throw new Error("the measuring process has ended");
  const result: LinksResult = first[0];
  await ended;
  return result;
}

/** Starts the relay as its users do, with one shard and no gateway to reach, until it says that it is ready. */
async function start(dataDirectory: string): Promise<Start> {
  const port = await freePort();
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("RELAY_"));
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["--import", "tsx", "infra/node/main.ts"], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...Object.fromEntries(inherited),
      RELAY_PORT: String(port),
      RELAY_ZVT_PORT: "0",
      RELAY_SHARDS: "1",
      RELAY_LOG_LEVEL: "fatal",
      RELAY_DATA_DIR: dataDirectory,
      RELAY_GATEWAY_URL: "http://127.0.0.1:1",
      RELAY_CLICKHOUSE_URL: "http://127.0.0.1:1",
    },
  });
  const exited = once(child, "exit");
  try {
    for (;;) {
      const ready = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
        ({ status }) => status === 200,
        () => false,
      );
      if (ready) break;
      if (child.exitCode !== null) throw new Error("the node ended before it was ready");
      await delay(10);
    }
    const readyMs = performance.now() - startedAt;
    await delay(3_000);
    const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
    return { readyMs, rss: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1_024 };
  } finally {
    child.kill("SIGTERM");
    await exited;
  }
}

interface Measured {
  links: number;
  seconds: number;
  steady: LinksResult;
  caughtUp: LinksResult;
  withLinks: readonly Start[];
  without: readonly Start[];
}

function report({ links, seconds, steady, caughtUp, withLinks, without }: Measured): string {
  const load = loadOf(steady.perSecond);
  const late = loadOf(caughtUp.perSecond.slice(0, Math.max(1, Math.ceil(caughtUp.caughtUpSeconds ?? 1))));
  const perLink = (after: number, before: number) => `${Math.round((after - before) / links)} B`;
  const median = (starts: readonly Start[], of: (start: Start) => number) =>
    starts.map(of).sort((a, b) => a - b)[Math.floor(starts.length / 2)] ?? 0;
  const mb = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`;
  return [
    `# ${links.toLocaleString("en")} pending payment links on one shard`,
    "",
    `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.version}. \`npm --prefix bench run links\`: one process with the links' engine over LevelDB and a gateway in memory that answers after 50 ms; whole nodes for the starts. Other work may have run on the machine.`,
    "",
    "| | |",
    "|---|--:|",
    `| created, each stored before and after the gateway's answer | ${Math.round(steady.createdPerSecond).toLocaleString("en")} a second |`,
    `| heap a pending link, collected | ${perLink(steady.heapPending, steady.heapBefore)} |`,
    `| resident memory a pending link (LevelDB's caches and the allocator's rest among it) | ${perLink(steady.rssPending, steady.rssBefore)} |`,
    `| resident memory, before, with all pending, after ${seconds} s of verifies | ${[steady.rssBefore, steady.rssPending, steady.rssVerified].map(mb).join(", ")} |`,
    `| links in memory because they were due, at most | ${steady.heldMax.toLocaleString("en")} |`,
    `| verifies a second: mean, least, most | ${load.mean.toFixed(0)}, ${load.least}, ${load.most} |`,
    `| most a second by the mean (goal: at most 2) | ${load.ratio.toFixed(2)}${load.ratio <= 2 ? ", met" : ", not met"} |`,
    `| of one core, while verifying | ${(steady.cpuShare * 100).toFixed(0)}% |`,
    `| failures | ${steady.failures + caughtUp.failures} |`,
    `| after an outage, all deadlines missed: store opened in | ${caughtUp.openMs.toFixed(0)} ms |`,
    `| each verified once within | ${caughtUp.caughtUpSeconds?.toFixed(0) ?? "-"} s |`,
    `| meanwhile verifies a second: mean, most, most by the mean | ${late.mean.toFixed(0)}, ${late.most}, ${late.ratio.toFixed(2)} |`,
    `| a whole node is ready after (median of ${withLinks.length}), without and with the links | ${median(without, ({ readyMs }) => readyMs).toFixed(0)} ms, ${median(withLinks, ({ readyMs }) => readyMs).toFixed(0)} ms |`,
    `| its resident memory three seconds later, without and with | ${mb(median(without, ({ rss }) => rss))}, ${mb(median(withLinks, ({ rss }) => rss))} |`,
    "",
    "Verifies by second:",
    "",
    "```",
    ...histogram(steady.perSecond),
    "```",
    "",
  ].join("\n");
}

function loadOf(perSecond: readonly number[]): { mean: number; least: number; most: number; ratio: number } {
  const mean = perSecond.reduce((sum, count) => sum + count, 0) / perSecond.length;
  const most = Math.max(...perSecond);
  return { mean, least: Math.min(...perSecond), most, ratio: most / mean };
}

const BAR = 60;

function histogram(perSecond: readonly number[]): string[] {
  const most = Math.max(1, ...perSecond);
  return perSecond.map(
    (count, second) => `${String(second).padStart(3)} ${String(count).padStart(6)} ${"#".repeat(Math.round((count / most) * BAR))}`,
  );
}

await main();
