/**
 * What bench/RESULTS.md is made of, one after the other, some half an hour: `npm --prefix bench run all`. Nothing else should run on the machine. What fails is told at the end, and the
 * others are measured all the same. `-- --only feed,links` leaves the others out.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { InvalidArgumentError } from "commander";
import { commandLine } from "../infra/command-line.ts";
import { ROOT } from "./root.ts";

const RUNS = {
  node: ["bench/run.ts", "--no-peers"],
  cluster: ["bench/run.ts", "--cluster"],
  feed: ["bench/run.ts", "--only-feed"],
  links: ["bench/links/run.ts"],
  packages: ["bench/packages.ts"],
} as const;
type Run = keyof typeof RUNS;
const NAMES: readonly Run[] = ["node", "cluster", "feed", "links", "packages"];

const { only } = commandLine("bench:all")
  .description(
    "Get, pay and push, the cluster, the feed, links and packages, written to bench/results, and their plots; see bench/README.md.",
  )
  .option("--only <names>", `some of ${NAMES.join(",")}`, namesIn, NAMES)
  .parse()
  .opts<{ only: readonly Run[] }>();

const failed: string[] = [];
for (const name of only) {
  console.log(`\n== ${name}`);
  if (!(await run(RUNS[name]))) failed.push(name);
}
if (!(await run(["bench/plots/run.ts"]))) failed.push("plots");
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

async function run(program: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, ["--import", "tsx", ...program], { cwd: ROOT, stdio: "inherit" });
  const [code] = await once(child, "exit");
  return code === 0;
}

function namesIn(text: string): readonly Run[] {
  const names = text.split(",");
  const known = NAMES.filter((name) => names.includes(name));
  if (known.length === names.length) return known;
  throw new InvalidArgumentError(`Names of ${NAMES.join(", ")}, each once, with commas between them.`);
}
