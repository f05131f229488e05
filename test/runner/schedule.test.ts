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
async function startsOf(cores: number, signal = new AbortController().signal): Promise<string[]> {
  const running = new Map<string, () => void>();
  const starts: string[] = [];
  await runInOrder(jobs, costs, cores, signal, ({ name }) => {
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

it("starts the longest first, and those that wait beside those that compute", async () => {
  assert.deepEqual(await startsOf(2.2), [
    "computes",
    "computes too | computes",
    "waits | computes | computes too",
    "computes last | computes too | waits",
  ]);
});

it("runs a job alone where its share is more than the machine has", async () => {
  assert.deepEqual(await startsOf(0.5), ["computes", "computes too", "computes last", "waits"]);
});

it("starts nothing after it was aborted", async () => {
  assert.deepEqual(await startsOf(2, AbortSignal.abort()), []);
});
