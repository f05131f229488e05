import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { forkChild } from "../load/child.ts";
import { POLLING_TERMINALS } from "../load/terminals.ts";
import { ROOT } from "../root.ts";
import { median } from "../summary.ts";
import type { PairAnswer, PairTask } from "./pair-child.ts";
import { measureNodes, type NodeLives } from "./pair-nodes.ts";
import { meanRatio, ratioOf } from "./ratio.ts";

const USAGE = `npm run bench:pair -- [options] FOLDER

Says what a payment's whole life (pay, poll, result) costs this checkout's engine and store, in parts of what it costs those of the checkout in FOLDER (with its
packages installed). Each checkout composes its engine by its own bench/engine/payments.ts.

With --node it takes lives through a whole node of each, over HTTP and with its row in ClickHouse, and tells what each step costs all of its processes.

  --rounds N      each with both loaded first once (3)
  --slices N      of a round, in turn (40; of nodes 6)
  --pay-only      accept payments only: no poll, no result
  --payments N    of a slice (2,000; of nodes 5,000, at most 10,000)
  --at-once N     payments under way (256; of nodes 64)
  --terminals N   that are paid at in turn; at most 8 commands of its one sender wait for each (20,000)
  --node          whole nodes instead of the engine and its store`;

const NEEDED = "bench/engine/payments.ts";

/** Without --node and with it. */
const DEFAULTS = {
  engine: { slices: "40", payments: "2000", "at-once": "256" },
  node: { slices: "6", payments: "5000", "at-once": "64" },
} as const;

class Refused extends Error {}

interface Options extends Omit<PairTask, "roots"> {
  rounds: number;
  other: string;
  node: boolean;
}

/** Null asks for the usage. Throws Refused with what is wrong. */
async function readOptions(args: string[]): Promise<Options | null> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "3" },
      slices: { type: "string" },
      payments: { type: "string" },
      "at-once": { type: "string" },
      terminals: { type: "string" },
      "pay-only": { type: "boolean", default: false },
      node: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const [folder, ...rest] = positionals;
  if (folder === undefined || rest.length > 0) throw new Refused("name one folder to compare with");
  const other = resolve(folder);
  await access(join(other, NEEDED)).catch(() => {
    throw new Refused(`${other} is not a checkout: it has no ${NEEDED}`);
  });
  const { node } = values;
  if (node && values["pay-only"]) throw new Refused("--pay-only is of the engine: with --node every step is told");
  if (node && values.terminals !== undefined)
    throw new Refused("--terminals is of the engine: with --node each payment of a slice has its own");
  const given = { terminals: "20000", ...DEFAULTS[node ? "node" : "engine"], ...values };
  const number = (name: "rounds" | "slices" | "payments" | "at-once" | "terminals", most = 1_000_000) => {
    const value = Number(given[name]);
    if (!Number.isInteger(value) || value < 1 || value > most) throw new Refused(`--${name} is a whole number from 1 to ${most}`);
    return value;
  };
  return {
    other,
    node,
    what: values["pay-only"] ? "pay" : "wholeLife",
    rounds: number("rounds"),
    slices: number("slices"),
    payments: number("payments", node ? POLLING_TERMINALS : undefined),
    atOnce: number("at-once"),
    terminals: number("terminals"),
  };
}

async function measured(task: PairTask): Promise<readonly [number[], number[]]> {
  const child = forkChild<PairTask, PairAnswer>("engine/pair-child.ts");
  try {
    const answer = await child.ask(task);
    if (answer.type === "failed") throw new Error(answer.reason);
    return answer.micros;
  } finally {
    await child.stop();
  }
}

/** Which of two is loaded first makes a difference of some 5%, so each round takes both orders. */
async function main(): Promise<void> {
  const options = await readOptions(process.argv.slice(2));
  if (options === null) {
    console.log(USAGE);
    return;
  }
  await (options.node ? compareNodes(options) : compareEngines(options));
}

async function compareEngines({ rounds, other, node: _, ...task }: Options): Promise<void> {
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const [before, here] = await measured({ ...task, roots: [other, ROOT] });
    const [hereFirst, beforeSecond] = await measured({ ...task, roots: [ROOT, other] });
    const ratio = meanRatio([ratioOf(before, here), 1 / ratioOf(hereFirst, beforeSecond)]);
    ratios.push(ratio);
    tellRound(round, [...before, ...beforeSecond], [...here, ...hereFirst], ratio);
  }
  tellTotal(task.what === "pay" ? "accepting a payment" : "a payment's whole life", ratios);
}

async function compareNodes({ rounds, other, slices, payments, atOnce }: Options): Promise<void> {
  const task = { slices, lives: payments, connections: atOnce };
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const [before, here] = await measureNodes({ ...task, roots: [other, ROOT] });
    const [hereFirst, beforeSecond] = await measureNodes({ ...task, roots: [ROOT, other] });
    const ratioBy = (of: (lives: NodeLives) => readonly number[]) =>
      meanRatio([ratioOf(of(before), of(here)), 1 / ratioOf(of(hereFirst), of(beforeSecond))]);
    const ratio = ratioBy(({ micros }) => micros);
    ratios.push(ratio);
    tellRound(round, [...before.micros, ...beforeSecond.micros], [...here.micros, ...hereFirst.micros], ratio);
    for (const step of Object.keys(here.microsByStep)) {
      const of = (lives: NodeLives) => lives.microsByStep[step] ?? [];
      console.log(
        `  ${step}: there ${microsOf([...of(before), ...of(beforeSecond)])}, here ${microsOf([...of(here), ...of(hereFirst)])}, ratio ${ratioBy(of).toFixed(3)}`,
      );
    }
    const bytes = (...lives: NodeLives[]) => `${Math.round(median(lives.flatMap((one) => one.bytes)))} bytes`;
    console.log(`  written: there ${bytes(before, beforeSecond)}, here ${bytes(here, hereFirst)}`);
  }
  tellTotal("a payment's whole life in a whole node", ratios);
}

function tellRound(round: number, there: readonly number[], here: readonly number[], ratio: number): void {
  console.log(`round ${round}: there ${microsOf(there)}, here ${microsOf(here)}, ratio ${ratio.toFixed(3)}`);
}

function tellTotal(what: string, ratios: readonly number[]): void {
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  console.log(
    `${what} here takes ${meanRatio(ratios).toFixed(3)} of what it takes there (rounds from ${low.toFixed(3)} to ${high.toFixed(3)})`,
  );
}

function microsOf(slices: readonly number[]): string {
  return `${median(slices).toFixed(1)} µs`;
}

/** What the caller did wrong; null for anything else. */
function usageErrorOf(error: unknown): string | null {
  if (error instanceof Refused) return error.message;
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS") ? error.message : null;
}

main().catch((error: unknown) => {
  const usageError = usageErrorOf(error);
  console.error(usageError === null ? error : `${usageError}\n\n${USAGE}`);
  process.exitCode = usageError === null ? 1 : 2;
});
