import assert from "node:assert/strict";
import { it } from "node:test";
import type { Cost, Job } from "./jobs.ts";
import { runInOrder } from "./schedule.ts";

const job = (name: string): Job => ({ name, files: [name] });
const costs = new Map<string, Cost>([
  ["computes", { seconds: 40, processorSeconds: 40 }],
  ["computes too", { seconds: 30, processorSeconds: 30 }],
  ["computes last", { seconds: 20, processorSeconds: 20 }],
  ["waits", { seconds: 10, processorSeconds: 0 }],
]);
const jobs = ["waits", "computes last", "computes too", "computes"].map(job);

/** Runs the jobs, and ends one whenever no further one starts; gives each start with what runs beside it. */
async function startsOf(cores: number, given: { signal?: AbortSignal; costs?: ReadonlyMap<string, Cost> } = {}): Promise<string[]> {
  const { signal = new AbortController().signal } = given;
  const running = new Map<string, () => void>();
  const starts: string[] = [];
  await runInOrder(jobs, given.costs ?? costs, cores, signal, ({ name }) => {
    starts.push([name, ...running.keys()].join(" | "));
    return new Promise<void>((resolve) => {
      running.set(name, resolve);
      setImmediate(() => {
        const [first] = running;
        if (first === undefined) return;
        running.delete(first[0]);
        first[1]();
      });
    });
  });
  return starts;
}

it("starts the longest first, and one more beside each that waits", async () => {
  const waiting = new Map<string, Cost>([...costs, ["computes too", { seconds: 30, processorSeconds: 3 }]]);
  assert.deepEqual(await startsOf(1.2, { costs: waiting }), ["computes", "computes too", "computes last | computes too", "waits"]);
  assert.deepEqual(await startsOf(2), ["computes", "computes too | computes", "computes last | computes too", "waits | computes last"]);
});

it("runs one job at a time where each is more than the machine has", async () => {
  assert.deepEqual(await startsOf(0.5), ["computes", "computes too", "computes last", "waits"]);
});

it("starts nothing after it was aborted", async () => {
  assert.deepEqual(await startsOf(2, { signal: AbortSignal.abort() }), []);
});
