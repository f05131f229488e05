import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it, type TestContext } from "node:test";
import { Worker } from "node:worker_threads";
import { backgroundTimers, machineTimers } from "../../../../infra/node/boot/machine-timers.ts";

/** Answers by a message when it is asked, and says by the shared number that the answer is there. */
const ANSWERING = `
const { parentPort, workerData } = require("node:worker_threads");
parentPort.on("message", () => {
  parentPort.postMessage("answer");
  Atomics.store(workerData, 0, 1);
  Atomics.notify(workerData, 0);
});
parentPort.postMessage("ready");`;

const DUE_MS = 5;

/** Sets timers, asks, and stands still until they are due and the answer is there; resolves with what happened then, in order. */
async function stoodStill(test: TestContext, set: (told: (what: string) => void) => void): Promise<string[]> {
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(ANSWERING, { eval: true, workerData: answered });
  test.after(() => worker.terminate());
  await once(worker, "message");
  const happened: string[] = [];
  const both = new Promise<void>((resolve) => {
    const told = (what: string): void => {
      happened.push(what);
      if (new Set(happened).size === 2) resolve();
    };
    worker.on("message", told);
    // In a turn of its own: where a message is read, those that come meanwhile are read too.
    setImmediate(() => {
      set(told);
      worker.postMessage("question");
      const dueAt = performance.now() + 2 * DUE_MS;
      Atomics.wait(answered, 0, 0);
      while (performance.now() < dueAt);
    });
  });
  await both;
  return happened.slice(0, 2);
}

describe("the machine's timers", () => {
  for (const [name, timers] of Object.entries({ machineTimers, backgroundTimers })) {
    it(`let what has arrived be read first where the thread stood still: ${name}`, async (test) => {
      assert.deepEqual(await stoodStill(test, (told) => timers.set(DUE_MS, () => told("deadline"))), ["answer", "deadline"]);
      assert.deepEqual(
        await stoodStill(test, (told) => {
          const again = timers.every(DUE_MS, () => told("look"));
          test.after(() => again.clear());
        }),
        ["answer", "look"],
      );
    });

    it(`do nothing once they are cleared, also where they were due: ${name}`, async () => {
      let done = 0;
      const work = () => {
        done += 1;
      };
      const cleared = [timers.set(0, work), timers.every(1, work)];
      // Behind both in the same turn, before what they would do: all three are due when the thread goes on.
      const clearing = new Promise<void>((resolve) => {
        setTimeout(() => {
          for (const timer of cleared) timer.clear();
          resolve();
        }, 1);
      });
      const dueAt = performance.now() + DUE_MS;
      while (performance.now() < dueAt);
      await clearing;
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
      assert.equal(done, 0);
    });
  }
});
