/** What a terminal, a payment and a row take of a node, of Redis, of Kafka and of ClickHouse; infra/docs/scaling.md reckons with it. */
import { loadavg } from "node:os";
import { Argument } from "commander";
import { commandLine } from "../../infra/command-line.ts";
import { numberBetween } from "../argument.ts";
import { machineFacts } from "../machine-facts.ts";
import { writeResultFiles } from "../result-files.ts";
import { measureClusterLives } from "./cluster-lives.ts";
import { measureNodeMemory } from "./node-memory.ts";
import { measureRedisRecords } from "./redis-records.ts";
import { type ScalingResult, scalingReport } from "./report.ts";
import { measureRowBytes } from "./row-bytes.ts";

const PARTS = ["memory", "redis", "lives", "rows"] as const;

const NODES = 2;
const SECONDS = 20;
const PER_SECOND = 100;

interface Options {
  terminals: number;
  sessions: number;
  rows: number;
  files: boolean;
}

async function main(asked: string[], { terminals, sessions, rows, files }: Options): Promise<void> {
  const has = (part: (typeof PARTS)[number]) => asked.length === 0 || asked.includes(part);
  const note = (text: string) => console.log(text);
  const date = new Date().toISOString().slice(0, 10);
  const loadBefore = loadavg()[0] ?? 0;
  const result: ScalingResult = {
    date,
    machine: machineFacts(),
    loadBefore,
    memory: has("memory") ? await measureNodeMemory(sessions, terminals / 2, note) : null,
    redis: has("redis") ? await measureRedisRecords(terminals, terminals / 10, note) : null,
    lives: has("lives") ? await measureClusterLives({ nodes: NODES, perSecond: PER_SECOND, seconds: SECONDS }, note) : null,
    rows: has("rows") ? await measureRowBytes(rows, note) : null,
  };
  const text = scalingReport(result);
  console.log(`\n${text}`);
  if (!files) return;
  const written = await writeResultFiles({ date, kind: "scaling", json: result, markdown: text });
  console.log(`written to ${written.join(" and ")}`);
}

await commandLine("bench:scaling")
  .description("What a terminal, a payment and a row take of a node, Redis, Kafka and ClickHouse; see bench/README.md.")
  .addArgument(new Argument("[part...]", "those to measure; all where none is named").choices(PARTS))
  .option("--terminals <n>", "whose records are stored, with four ended payments each", numberBetween(1_000, 1_000_000), 100_000)
  .option("--sessions <n>", "terminals that are connected at once", numberBetween(100, 15_000), 8_000)
  .option("--rows <n>", "that are inserted into ClickHouse", numberBetween(1_000, 10_000_000), 500_000)
  .option("--no-files", "only print")
  .action(main)
  .parseAsync();
