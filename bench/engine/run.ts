/**
 * Payments through the engine and the embedded store alone, in this process: no sockets, no other process. Tells second by second what a payment
 * costs. Run as `npm run bench:engine -- [seconds] [at once] [terminals]`; two versions are compared by `npm run bench:pair`.
 */
import { PerformanceObserver } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { commandLine } from "../../infra/command-line.ts";
import { numberBetween } from "../argument.ts";
import { watchThreads } from "../load/thread-load.ts";
import { openEngine, terminalIds } from "./payments.ts";

const SECONDS = 10;
const AT_ONCE = 64;
/** Each is paid at in turn, and none polls: their commands wait. */
const TERMINALS = 200_000;

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function main(seconds: number, atOnce: number, terminals: number): Promise<void> {
  const engine = await openEngine();
  let collectedMs = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) collectedMs += entry.duration;
  }).observe({ entryTypes: ["gc"] });
  const ids = terminalIds(terminals);
  const before = heapBytes();
  let payments = 0;
  let running = true;
  const payers = Array.from({ length: atOnce }, async () => {
    while (running) {
      payments += 1;
      await engine.pay(ids[payments % ids.length] ?? "");
    }
  });
  for (let second = 1; second <= seconds; second += 1) {
    const [paidBefore, collectedBefore] = [payments, collectedMs];
    const watched = watchThreads(process.pid, String(process.pid));
    await delay(1_000);
    const paid = payments - paidBefore;
    const load = watched();
    const thread = load === null ? "" : `, ${((load.servingShare * 1e6) / paid).toFixed(1)} µs of the thread`;
    const all = load === null ? "" : `, ${((load.processShare * 1e6) / paid).toFixed(1)} µs of all threads`;
    console.log(`${second}: ${paid}/s${thread}${all}, of it ${(((collectedMs - collectedBefore) * 1e3) / paid).toFixed(1)} µs collecting`);
  }
  running = false;
  await Promise.all(payers);
  console.log(`${((heapBytes() - before) / payments).toFixed(0)} bytes kept for each of ${payments} that wait`);
  await engine.close();
}

await commandLine("bench:engine")
  .description("Payments through the engine and the embedded store alone, in this process.")
  .argument("[seconds]", "how long", numberBetween(1, 3_600), SECONDS)
  .argument("[at once]", "payments under way", numberBetween(1, 10_000), AT_ONCE)
  .argument(
    "[terminals]",
    "that are paid at in turn; at most 8 payments of its one sender wait for each",
    numberBetween(1, 1_000_000),
    TERMINALS,
  )
  .action(main)
  .parseAsync();
