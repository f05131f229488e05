import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { watchThreads } from "../load/thread-load.ts";
import { type BenchedEngine, terminalIds } from "./payments.ts";

/** Two engines in one process, paid in turn. */
export interface PairTask {
  /** Folders of the checkouts, in the order in which they are loaded. */
  roots: readonly [string, string];
  /** What is done of each payment. */
  what: "pay" | "wholeLife";
  /** Measured slices of each. */
  slices: number;
  /** Payments of one slice. */
  payments: number;
  atOnce: number;
  terminals: number;
}

/** Microseconds of the thread for a payment, slice by slice, of the first and of the second. */
export type PairAnswer = { type: "measured"; micros: readonly [number[], number[]] } | { type: "failed"; reason: string };

/** Slices of each before any counts, in which their paths are compiled. */
const WARM_UP_SLICES = 10;

/** Each checkout brings its own way to compose its engine. */
async function openEngineOf(root: string): Promise<BenchedEngine> {
  const own: typeof import("./payments.ts") = await import(pathToFileURL(join(root, "bench/engine/payments.ts")).href);
  return own.openEngine();
}

async function measure({ roots, what, slices, payments, atOnce, terminals }: PairTask): Promise<readonly [number[], number[]]> {
  const engines = [await openEngineOf(roots[0]), await openEngineOf(roots[1])] as const;
  const ids = terminalIds(terminals);
  const micros: readonly [number[], number[]] = [[], []];
  let turn = 0;

  async function slice(engine: BenchedEngine): Promise<number> {
    let left = payments;
    const startedMs = performance.now();
    const watched = watchThreads(process.pid, String(process.pid));
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (left > 0) {
          left -= 1;
          turn += 1;
          await engine[what](ids[turn % ids.length] ?? "");
        }
      }),
    );
    const load = watched();
    const elapsedMs = performance.now() - startedMs;
    return ((load === null ? elapsedMs : load.servingShare * elapsedMs) * 1_000) / payments;
  }

  for (let round = 0; round < WARM_UP_SLICES + slices; round += 1) {
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const taken = await slice(engines[which]);
      if (round >= WARM_UP_SLICES) micros[which].push(taken);
    }
  }
  for (const engine of engines) await engine.close();
  return micros;
}

process.on("message", (task: PairTask) => {
  const answer = (message: PairAnswer) => process.send?.(message);
  measure(task).then(
    (micros) => answer({ type: "measured", micros }),
    (error: unknown) => answer({ type: "failed", reason: String(error) }),
  );
});
process.on("disconnect", () => process.exit());
