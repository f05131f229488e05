import type { Round } from "./load/scenario.ts";
import { machineFacts } from "./machine-facts.ts";
import type { MicroResult } from "./micro/run.ts";
import type { BenchOptions } from "./options.ts";
import type { ComparedRound } from "./peers/compare.ts";
import { type ComparedSummary, summarizeCompared } from "./peers/summary.ts";
import { comparedTables } from "./peers/tables.ts";
import { writeResultFiles } from "./result-files.ts";
import { GOALS, type PairSummary, type PushSummary, type SlowPushSummary, type Summary, summarize } from "./summary.ts";

/** What was measured, as text for a terminal. */
export function table(summary: Summary | null, compared: ComparedSummary | null, micro: readonly MicroResult[]): string {
  const parts: string[] = [];
  if (summary !== null) parts.push(...loadTables(summary).map(columns));
  if (compared !== null) parts.push(...comparedTables(compared).map(columns));
  if (micro.length > 0) parts.push(columns([MICRO_HEAD, ...micro.map(microRow)]));
  return parts.map((part) => `\n${part}`).join("\n");
}

export interface Results {
  options: BenchOptions;
  rounds: readonly Round[];
  compared: readonly ComparedRound[];
  micro: readonly MicroResult[];
  /** Of the processors' time, what the host gave to others; null where nothing tells. */
  stolenShare: number | null;
}

/** Answers with the names of the files. Nothing in them names the machine, its users or its folders. */
export async function writeResults({ options, rounds, compared, micro, stolenShare }: Results): Promise<string[]> {
  const date = new Date().toISOString().slice(0, 10);
  const summaries = { summary: summarize(rounds), comparedSummary: summarizeCompared(compared) };
  const { stored, rounds: roundCount, seconds } = options;
  const measured = {
    date,
    machine: machineFacts(),
    options: { stored, rounds: roundCount, seconds },
    ...summaries,
    rounds,
    compared,
    micro,
    stolenShare,
  };
  const kind = rounds.length === 0 && compared.length > 0 ? "peers" : null;
  return await writeResultFiles({ date, kind, json: measured, markdown: markdownOf(measured) });
}

interface Measured extends Omit<Results, "options"> {
  date: string;
  machine: ReturnType<typeof machineFacts>;
  options: Pick<BenchOptions, "stored" | "rounds" | "seconds">;
  summary: Summary | null;
  comparedSummary: ComparedSummary | null;
}

function markdownOf({ date, machine, options, summary, comparedSummary, micro, stolenShare }: Measured): string {
  const lines = [
    `# Benchmark of ${date}`,
    "",
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, ${machine.platform}, Node ${machine.node}. ` +
      `${options.stored.toLocaleString("en")} random uuids stored before; ${options.rounds} rounds, each with a fresh relay of one shard${comparedSummary === null ? "" : ", and fresh peers"}; ${options.seconds} s a measurement. ` +
      `Generator, ${comparedSummary === null ? "raw peer" : "peers"} and relay share the machine${stolenShare === null ? "" : `, whose host gave ${(stolenShare * 100).toFixed(1)}% of its processors to others meanwhile`}. How to read it: \`bench/README.md\`.`,
    "",
  ];
  if (summary !== null) {
    for (const rows of loadTables(summary)) lines.push(...markdownTable(rows), "");
  }
  if (comparedSummary !== null) {
    for (const rows of comparedTables(comparedSummary)) lines.push(...markdownTable(rows), "");
  }
  if (micro.length > 0) lines.push(...markdownTable([MICRO_HEAD, ...micro.map(microRow)]), "");
  return lines.join("\n");
}

function loadTables({ pairs, push, slowPushes }: Summary): string[][][] {
  return [
    [PAIR_HEAD, ...pairs.map(pairRow)],
    [PUSH_HEAD, pushRow(push)],
    [SLOW_HEAD, slowRow(slowPushes)],
  ];
}

const PAIR_HEAD = [
  "",
  "raw /s",
  "relay /s",
  "ratio",
  "goal",
  "",
  "p50 ms",
  "p99 ms",
  "raw µs",
  "relay µs",
  "ratio by CPU",
  "generator",
  "errors",
];

function pairRow(pair: PairSummary): string[] {
  return [
    pair.name,
    whole(pair.rawPerSecond),
    whole(pair.relayPerSecond),
    pair.ratio.toFixed(2),
    pair.goal === null ? "" : `≥ ${pair.goal}`,
    pair.met === null ? "" : pair.met ? "met" : "not met",
    pair.p50Ms.toFixed(2),
    pair.p99Ms.toFixed(2),
    pair.rawCpuMicros?.toFixed(1) ?? "",
    pair.relayCpuMicros?.toFixed(1) ?? "",
    pair.cpuRatio?.toFixed(2) ?? "",
    percent(pair.rawGeneratorShare),
    whole(pair.unexpected),
  ];
}

const PUSH_HEAD = [
  "",
  "rate /s",
  "answered /s",
  "p50 ms",
  "p99 ms",
  "p99.9 ms",
  "goal p99",
  "",
  "pay p50 ms",
  "pay p99 ms",
  "late p99 ms",
  "push from due p99 ms",
  "disk p50 ms",
  "disk p99 ms",
  "errors",
];

function pushRow(push: PushSummary): string[] {
  return [
    "pay → push at half load",
    whole(push.ratePerSecond),
    whole(push.answeredPerSecond),
    push.p50Ms.toFixed(2),
    push.p99Ms.toFixed(2),
    push.p999Ms.toFixed(2),
    `≤ ${push.goalP99Ms}`,
    push.met ? "met" : "not met",
    push.answerP50Ms.toFixed(2),
    push.answerP99Ms.toFixed(2),
    push.latenessP99Ms.toFixed(2),
    push.fromDueP99Ms.toFixed(2),
    push.diskP50Ms.toFixed(2),
    push.diskP99Ms.toFixed(2),
    whole(push.unexpected),
  ];
}

const SLOW_HEAD = [
  "",
  "of all",
  "beside a collection",
  "beside store work",
  "beside both",
  "beside neither",
  "collections /s",
  "ms each",
  "store at work",
];

function slowRow(slow: SlowPushSummary): string[] {
  return [
    `pushes over ${GOALS.pushP99Ms} ms`,
    `${(slow.slow * 100).toFixed(1)}%`,
    percent(slow.besideCollection),
    percent(slow.besideStoreWork),
    percent(slow.besideBoth),
    percent(slow.besideNeither),
    slow.collectionsPerSecond.toFixed(1),
    slow.meanCollectionMs.toFixed(1),
    percent(slow.storeWork),
  ];
}

const MICRO_HEAD = ["", "µs", "± %", "a second"];

function microRow({ name, micros, errorPercent, perSecond }: MicroResult): string[] {
  return [name, micros.toFixed(2), errorPercent.toFixed(1), whole(perSecond)];
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

function whole(number: number): string {
  return Math.round(number).toLocaleString("en");
}

function columns(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  "),
    )
    .join("\n");
}

function markdownTable(rows: readonly string[][]): string[] {
  const [head = [], ...rest] = rows;
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map((_, column) => (column === 0 ? "---|" : "--:|")).join("")}`, ...rest.map(line)];
}
