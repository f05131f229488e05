import { Argument } from "commander";
import { commandLine } from "../../infra/command-line.ts";
import { numberBetween } from "../argument.ts";
import { machineFacts } from "../machine-facts.ts";
import { writeResultFiles } from "../result-files.ts";
import { measureBeside } from "./beside.ts";
import { measureLists } from "./lists.ts";
import { measurePages } from "./pages.ts";
import { circumstances, goalsTable, loadText, type PartResult } from "./part.ts";
import { measureQueries } from "./queries.ts";
import { measureReports } from "./reports.ts";
import { measureSessions } from "./sessions.ts";
import { measureSubscriptions } from "./subscriptions.ts";
import { measureWeights } from "./weights.ts";

interface Options {
  rows: number;
  rounds: number;
  subscriptions: number;
  seconds: number;
  keep?: string;
  files: boolean;
}

/** In the order in which they are run: those that take long come last. */
const PARTS: Readonly<Record<string, (options: Options, say: (text: string) => void) => Promise<PartResult>>> = {
  weights: () => measureWeights(),
  sessions: () => measureSessions(),
  subscriptions: ({ subscriptions }, say) => measureSubscriptions({ count: subscriptions, say }),
  pages: ({ rounds }, say) => measurePages({ rounds: Math.ceil(rounds / 6), say }),
  beside: ({ rounds, seconds }, say) => measureBeside({ rounds: Math.ceil(rounds / 10), seconds, say }),
  queries: ({ rows, rounds, keep = null }, say) => measureQueries({ rows, rounds, keep, say }),
  reports: ({ rows, rounds, keep = null }, say) => measureReports({ rows, rounds: Math.ceil(rounds / 3), keep, say }),
  lists: ({ rows, rounds, keep = null }, say) => measureLists({ rows, rounds, keep, say }),
};

async function main(): Promise<void> {
  const command = commandLine("bench:portal")
    .description("The merchants' portal; see bench/README.md.")
    .addArgument(new Argument("[parts...]", "what is measured; everything where none is named").choices(Object.keys(PARTS)))
    .option("--rows <n>", "of all merchants together", numberBetween(10_000, 100_000_000), 10_000_000)
    .option(
      "--rounds <n>",
      "of each query and list; a third of them for reports, a sixth for pages, a tenth for payments beside",
      numberBetween(5, 1_000),
      60,
    )
    .option("--subscriptions <n>", "that are due at once", numberBetween(100, 1_000_000), 100_000)
    .option("--seconds <n>", "of each measurement of payments", numberBetween(1, 8), 4)
    .option("--keep <folder>", "is filled with the rows once and used again")
    .option("--no-files", "only print")
    .parse();
  const options = command.opts<Options>();
  const named = new Set(command.args);
  const parts = Object.entries(PARTS).filter(([name]) => named.size === 0 || named.has(name));
  const date = new Date().toISOString().slice(0, 10);
  const found: { [name: string]: { loadAverage: string; result: PartResult } } = {};
  for (const [name, measure] of parts) {
    const result = await measure(options, (text) => console.error(`${name}: ${text}`));
    found[name] = { loadAverage: loadText(), result };
    console.log(`\n${sectionOf(loadText(), result)}`);
  }
  const results = Object.values(found);
  const text = [
    "# Merchants' portal",
    "",
    `${circumstances(date)} \`npm --prefix bench run portal${command.args.map((name, index) => `${index === 0 ? " --" : ""} ${name}`).join("")}\`. The load average is the machine's over one, five and fifteen minutes at the end of each part, with what the benchmark itself needs.`,
    "",
    goalsTable(results.flatMap(({ result }) => result.goals)),
    "",
    ...results.map(({ loadAverage, result }) => sectionOf(loadAverage, result)),
  ].join("\n");
  console.log(`\n${goalsTable(results.flatMap(({ result }) => result.goals))}`);
  if (!options.files) return;
  const kind = parts.length === Object.keys(PARTS).length ? "portal" : `portal-${parts.map(([name]) => name).join("-")}`;
  const json = {
    machine: machineFacts(),
    ...Object.fromEntries(
      Object.entries(found).map(([name, { loadAverage, result }]) => [name, { loadAverage, goals: result.goals, ...result.json }]),
    ),
  };
  console.log(`\nwritten to ${(await writeResultFiles({ date, kind, json, markdown: text })).join(" and ")}`);
}

function sectionOf(loadAverage: string, { title, markdown }: PartResult): string {
  return `## ${title}\n\nLoad average ${loadAverage}. ${markdown}\n`;
}

await main();
