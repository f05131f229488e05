/** What the test runner runs: jobs, each a process for one file or for the unit tests of one folder, with what each one costs as it was measured. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

export interface Job {
  /** Its file, or what the files have in common. */
  readonly name: string;
  readonly files: readonly string[];
  /** Variables that its process gets beside those of the runner. */
  readonly environment?: { readonly [name: string]: string };
  /** A program and its arguments in the place of files: the job passes where it exits with 0. */
  readonly command?: readonly string[];
}

/** What a job took when it was measured last. */
export interface Cost {
  readonly seconds: number;
  /** Of the processor. */
  readonly processorSeconds: number;
}

/** The paths of the TypeScript files in the folders that have tests. */
export function sourcesOfTests(): string[] {
  return ["test", "bench/test"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => `${folder}/${file}`),
  );
}

const TABLE = "test/runner/costs.json";

/** A job that was never measured starts early, since it may be long. */
const UNKNOWN: Cost = { seconds: 60, processorSeconds: 30 };

export function readCosts(): Map<string, Cost> {
  return new Map(Object.entries(JSON.parse(readFileSync(TABLE, "utf8")) as Record<string, Cost>));
}

/** Writes what was measured. Jobs that were not measured keep what they had; those that no longer exist leave the table. */
export function writeCosts(measured: ReadonlyMap<string, Cost>, former: ReadonlyMap<string, Cost>, existing: ReadonlySet<string>): void {
  const round = (seconds: number): number => Number(seconds.toFixed(1));
  const table = [...new Map([...former, ...measured])]
    .filter(([name]) => existing.has(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([name, cost]) =>
        ` ${JSON.stringify(name)}: ${JSON.stringify({ seconds: round(cost.seconds), processorSeconds: round(cost.processorSeconds) })}`,
    );
  writeFileSync(TABLE, `{\n${table.join(",\n")}\n}\n`);
}

export function costOf(costs: ReadonlyMap<string, Cost>, job: Job): Cost {
  return costs.get(job.name) ?? UNKNOWN;
}

/** A job for each group of files that may share a process, and one for each other file; `groupOf` gives the group's name. */
export function jobsOf(files: readonly string[], groupOf: (file: string) => string | null): Job[] {
  const jobs = new Map<string, string[]>();
  for (const file of files) {
    const name = groupOf(file) ?? file;
    jobs.set(name, [...(jobs.get(name) ?? []), file]);
  }
  return [...jobs].map(([name, own]) => ({ name, files: own }));
}
