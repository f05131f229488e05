import { loadavg } from "node:os";
import { Argument, Command } from "commander";
import { numberBetween } from "../argument.ts";
import { machineFacts } from "../report.ts";
import { type ResultFiles, writeResultFiles } from "../result-files.ts";
import { measureQueries, type QueriesResult } from "./queries.ts";
import { measureSessions, type SessionsResult } from "./sessions.ts";

interface Options {
  rows: number;
  rounds: number;
  keep?: string;
  files: boolean;
}

function report(date: string, { rows, fillSeconds, diskMb, times, file }: QueriesResult): string {
  const { cores, processor, node } = machineFacts();
  const goal = (isMet: boolean) => (isMet ? "met" : "not met");
  return [
    "# Queries of the merchants' portal",
    "",
    `${date}, ${cores} cores (${processor}), Node ${node}. \`npm run bench:portal -- queries\`: ${rows.toLocaleString("en")} rows of a year in the embedded ClickHouse, half of them of one`,
    `merchant, the others of 1,000 merchants; inserted in ${fillSeconds} s, ${diskMb.toLocaleString("en")} MB for the merchants' table. Pages of 50, one query at a time, as the API asks. \`processor\` is what the reader and ClickHouse took of it. Other work may have run on the machine`,
    `(load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(", ")}).`,
    "",
    "| | p50 ms | p95 ms | longest | processor ms | 503 | goal | |",
    "|---|--:|--:|--:|--:|--:|--:|---|",
    ...times.map(
      ({ what, p50Ms, p95Ms, mostMs, cpuMs, late, goalMs }) =>
        `| ${what} | ${p50Ms} | ${p95Ms} | ${mostMs} | ${cpuMs} | ${late} | ${goalMs === null ? "" : `≤ ${goalMs}`} | ${goalMs === null ? "" : goal(p95Ms <= goalMs)} |`,
    ),
    "",
    `CSV of ${file.rows.toLocaleString("en")} rows (${Math.round(file.bytes / 1e6)} MB): ${file.seconds} s, ${file.cpuSeconds} s of both processors (goal ≤ 30, ${goal(file.seconds <= 30)}); the reading process grew by ${file.readerGrowthMb} MB`,
    `(goal ≤ 150, ${goal(file.readerGrowthMb <= 150)}), ClickHouse's by ${file.clickHouseGrowthMb} MB. Its thread was held for ${file.heldMs} ms at most.`,
    "",
  ].join("\n");
}

function sessionsReport(date: string, { sessions, checkP50Us, checkP95Us, readP50Us, at50Us }: SessionsResult): string {
  const { cores, processor, node } = machineFacts();
  return [
    "# Session check of the merchants' portal",
    "",
    `${date}, ${cores} cores (${processor}), Node ${node}. \`npm run bench:portal -- sessions\`: ${sessions.toLocaleString("en")} sessions, at the thread that has the embedded store; load`,
    `${loadavg()
      .map((load) => load.toFixed(1))
      .join(", ")}. A check is three reads, of which two at once.`,
    "",
    "| | microseconds |",
    "|---|--:|",
    `| one check, p50 | ${checkP50Us} |`,
    `| one check, p95 | ${checkP95Us} |`,
    `| each of fifty at once | ${at50Us} |`,
    `| one read of the store, p50 | ${readP50Us} |`,
    "",
    `Goal: ≤ 100; ${checkP50Us <= 100 ? "met" : "not met"} by the median.`,
    "",
  ].join("\n");
}

async function main(): Promise<void> {
  const command = new Command("bench:portal")
    .description("The merchants' portal; see bench/README.md.")
    .addArgument(new Argument("<part>", "what is measured").choices(["queries", "sessions"]))
    .option("--rows <n>", "of all merchants together", numberBetween(10_000, 100_000_000), 10_000_000)
    .option("--rounds <n>", "of each query", numberBetween(5, 1_000), 60)
    .option("--keep <folder>", "is filled once and used again")
    .option("--no-files", "only print")
    .parse();
  const { rows, rounds, keep, files } = command.opts<Options>();
  const date = new Date().toISOString().slice(0, 10);
  if (command.args[0] === "sessions") {
    const result = await measureSessions();
    await tell(
      { date, kind: "portal-sessions", json: { machine: machineFacts(), ...result }, markdown: sessionsReport(date, result) },
      files,
    );
    return;
  }
  const result = await measureQueries({ rows, rounds, keep: keep ?? null, say: (text) => console.log(text) });
  const json = { machine: machineFacts(), rounds, ...result };
  await tell({ date, kind: "portal-queries", json, markdown: report(date, result) }, files);
}

async function tell(files: ResultFiles, toBeWritten: boolean): Promise<void> {
  console.log(`\n${files.markdown}`);
  if (toBeWritten) console.log(`written to ${(await writeResultFiles(files)).join(" and ")}`);
}

await main();
