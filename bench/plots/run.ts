/** Draws the results, deletes what is older than the newest two of each kind, and writes the figures of bench/RESULTS.md. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commandLine } from "../../infra/command-line.ts";
import { ROOT } from "../root.ts";
import { withFigures } from "./results-page.ts";
import { tidyResults } from "./stored-results.ts";

commandLine("bench:plots")
  .description("Draws the plots of bench/results, deletes results older than the newest two of each kind, and renews bench/RESULTS.md.")
  .parse();

const page = join(ROOT, "bench/RESULTS.md");
const { kept, newest, older } = await tidyResults(join(ROOT, "bench/results"));
await writeFile(page, withFigures(await readFile(page, "utf8"), newest));
for (const { result } of newest) console.log(`${result.kind ?? "a node by itself"}: ${result.name}`);
for (const file of older) console.log(`deleted bench/results/${file}`);
console.log(`${kept.filter(({ svg }) => svg !== null).length} plots drawn, ${older.length} files deleted, bench/RESULTS.md written`);
