import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { commandLine } from "../../infra/command-line.ts";
import { numberBetween } from "../argument.ts";
import { forkChild } from "../load/child.ts";
import { POLLING_TERMINALS } from "../load/terminals.ts";
import { ROOT } from "../root.ts";
import { median } from "../summary.ts";
import type { PairAnswer, PairTask } from "./pair-child.ts";
import { measureNodes, type NodeLives } from "./pair-nodes.ts";
import { meanRatio, ratioOf } from "./ratio.ts";

const NEEDED = "bench/engine/payments.ts";

/** Without --node and with it. */
const DEFAULTS = {
  engine: { slices: 40, payments: 2_000, atOnce: 256 },
  node: { slices: 6, payments: 5_000, atOnce: 64 },
} as const;

interface Options extends Omit<PairTask, "roots"> {
  rounds: number;
  other: string;
  node: boolean;
}

interface Flags {
  rounds: number;
  slices?: number;
  payments?: number;
  atOnce?: number;
  terminals?: number;
  payOnly: boolean;
  node: boolean;
}

const COUNT = numberBetween(1, 1_000_000);

/** Reads the command line; ends the process with a message where it is wrong, or asks for help. */
async function readOptions(): Promise<Options> {
  const command = commandLine("bench:pair")
    .description(
      "Says what a payment's whole life (pay, poll, result) costs this checkout's engine and store, in parts of what it costs those of another checkout. " +
        "Each checkout composes its engine by its own bench/engine/payments.ts. With --node it takes lives through a whole node of each, over HTTP and with its " +
        "row in ClickHouse, and tells what each step costs all of its processes.",
    )
    .argument("<folder>", "the other checkout, with its packages installed")
    .option("--rounds <n>", "each with both loaded first once", COUNT, 3)
    .option("--slices <n>", "of a round, in turn (40; of nodes 6)", COUNT)
    .option("--pay-only", "accept payments only: no poll, no result", false)
    .option("--payments <n>", `of a slice (2,000; of nodes 5,000, at most ${POLLING_TERMINALS})`, COUNT)
    .option("--at-once <n>", "payments under way (256; of nodes 64)", COUNT)
    .option("--terminals <n>", "that are paid at in turn; at most 8 commands of its one sender wait for each (20,000)", COUNT)
    .option("--node", "whole nodes instead of the engine and its store", false)
    .parse();
  const refuse = (reason: string): never => command.error(`error: ${reason}`);
  const other = resolve(command.args[0] ?? "");
  await access(join(other, NEEDED)).catch(() => refuse(`${other} is not a checkout: it has no ${NEEDED}`));
  const { node, payOnly, rounds, ...given } = command.opts<Flags>();
  if (node && payOnly) refuse("--pay-only is of the engine: with --node every step is told");
  if (node && given.terminals !== undefined) refuse("--terminals is of the engine: with --node each payment of a slice has its own");
  const options = { ...DEFAULTS[node ? "node" : "engine"], terminals: 20_000, ...given };
  if (node && options.payments > POLLING_TERMINALS) refuse(`--payments is a whole number from 1 to ${POLLING_TERMINALS}`);
  return { ...options, other, node, rounds, what: payOnly ? "pay" : "wholeLife" };
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
  const options = await readOptions();
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

await main();
