import { watchThreads } from "../load/thread-load.ts";
import { openEngine, type PaidEngine, terminalIds } from "./payments.ts";

/** Two engines in one process, paid in turn. */
export interface PairTask {
  /** Folders of the checkouts, in the order in which they are loaded. */
  roots: readonly [string, string];
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

async function measure({ roots, slices, payments, atOnce, terminals }: PairTask): Promise<readonly [number[], number[]]> {
  const engines = [await openEngine(roots[0]), await openEngine(roots[1])] as const;
  const ids = terminalIds(terminals);
  const micros: readonly [number[], number[]] = [[], []];
  let turn = 0;

  async function slice(engine: PaidEngine): Promise<number> {
    let left = payments;
    const startedMs = performance.now();
    const watched = watchThreads(process.pid, String(process.pid));
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (left > 0) {
          left -= 1;
          turn += 1;
          await engine.pay(ids[turn % ids.length] ?? "");
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
