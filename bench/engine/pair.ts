import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { forkChild } from "../load/child.ts";
import { ROOT } from "../root.ts";
import { median } from "../summary.ts";
import type { PairAnswer, PairTask } from "./pair-child.ts";
import { meanRatio, ratioOf } from "./ratio.ts";

const USAGE = `npm run bench:pair -- [options] FOLDER

Says what a payment's whole life (pay, poll, result) costs this checkout's engine and store, in parts of what it costs those of the checkout in FOLDER (with its
packages installed). Each checkout composes its engine by its own bench/engine/payments.ts.

  --rounds N      each with both loaded first once (3)
  --slices N      of a round, in turn (40)
  --pay-only      accept payments only: no poll, no result
  --payments N    of a slice (2,000)
  --at-once N     payments under way (256)
  --terminals N   that are paid at in turn; at most 8 commands of its one sender wait for each (20,000)`;

const NEEDED = "bench/engine/payments.ts";

class Refused extends Error {}

interface Options extends Omit<PairTask, "roots"> {
  rounds: number;
  other: string;
}

/** Null asks for the usage. Throws Refused with what is wrong. */
async function readOptions(args: string[]): Promise<Options | null> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "3" },
      slices: { type: "string", default: "40" },
      payments: { type: "string", default: "2000" },
      "at-once": { type: "string", default: "256" },
      terminals: { type: "string", default: "20000" },
      "pay-only": { type: "boolean", default: false },
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
  const number = (name: "rounds" | "slices" | "payments" | "at-once" | "terminals") => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1 || value > 1_000_000) throw new Refused(`--${name} is a whole number from 1 to 1000000`);
    return value;
  };
  return {
    other,
    what: values["pay-only"] ? "pay" : "wholeLife",
    rounds: number("rounds"),
    slices: number("slices"),
    payments: number("payments"),
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
  const { rounds, other, ...task } = options;
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const [before, here] = await measured({ ...task, roots: [other, ROOT] });
    const [hereFirst, beforeSecond] = await measured({ ...task, roots: [ROOT, other] });
    const ratio = meanRatio([ratioOf(before, here), 1 / ratioOf(hereFirst, beforeSecond)]);
    ratios.push(ratio);
    const micros = (ofBoth: number[]) => `${median(ofBoth).toFixed(1)} µs`;
    console.log(
      `round ${round}: there ${micros([...before, ...beforeSecond])}, here ${micros([...here, ...hereFirst])}, ratio ${ratio.toFixed(3)}`,
    );
  }
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  const measuredLife = task.what === "pay" ? "accepting a payment" : "a payment's whole life";
  console.log(
    `${measuredLife} here takes ${meanRatio(ratios).toFixed(3)} of what it takes there (rounds from ${low.toFixed(3)} to ${high.toFixed(3)})`,
  );
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
