import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { addSlice, emptyLives } from "../engine/pair-nodes.ts";
import { meanRatio, ratioOf } from "../engine/ratio.ts";
import { type TreesUse, WATCHER } from "../load/process-trees.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

function pair(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["--import", "tsx", "bench/engine/pair.ts", ...args], { cwd: ROOT }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

describe("ratio of two engines", () => {
  it("compares slices that ran one after the other, whatever the machine did meanwhile", () => {
    assert.equal(ratioOf([10, 20, 40], [9, 18, 36]), 0.9);
  });

  it("is one where each order flatters the one that was loaded first", () => {
    assert.equal(meanRatio([1.05, 1 / 1.05]), 1);
  });
});

describe("lives that whole nodes took in turn", () => {
  const usage = (cpuMs: number, writtenBytes: number): TreesUse => ({
    processes: { node: { cpuMs, writtenBytes }, [WATCHER]: { cpuMs: 999, writtenBytes: 999_999 } },
    machineBusyMs: 9_999,
    seconds: 1,
  });
  const stepOf = (step: string, use: TreesUse | null, unexpected = 0) => ({
    step,
    requests: 100,
    perSecond: 100,
    answer: { count: 100, p50: 1, p99: 1, p999: 1, max: 1 },
    use,
    unexpected,
  });

  it("are told slice by slice with all steps and what is done later, of the server alone", () => {
    const taken = emptyLives();
    const steps = [stepOf("pay", usage(10, 50_000)), stepOf("receipt", usage(20, 100_000))];
    addSlice(taken, { type: "steps", steps, rest: usage(5, 0) }, 100);
    addSlice(taken, { type: "steps", steps, rest: usage(15, 10_000) }, 100);
    assert.deepEqual(taken, {
      micros: [350, 450],
      bytes: [1_500, 1_600],
      microsByStep: { pay: [100, 100], receipt: [200, 200], later: [50, 150] },
    });
  });

  it("count for nothing where a request was refused, or nothing tells of processes", () => {
    const refused = { type: "steps", steps: [stepOf("pay", usage(10, 0), 3)], rest: usage(1, 0) } as const;
    assert.throws(() => addSlice(emptyLives(), { ...refused, steps: [...refused.steps] }, 100), /3 requests were not answered 200/);
    const blind = { type: "steps" as const, steps: [stepOf("pay", null)], rest: null };
    assert.throws(() => addSlice(emptyLives(), blind, 100), /does not tell what processes use/);
  });
});

describe("npm run bench:pair", () => {
  for (const [options, measured] of [
    [[], "a payment's whole life"],
    [["--pay-only"], "accepting a payment"],
  ] as const) {
    it(`takes ${measured} through both checkouts in turn, in both orders`, async () => {
      const { code, stdout, stderr } = await pair("--rounds", "1", "--slices", "2", "--payments", "64", "--at-once", "16", ...options, ".");
      assert.equal(code, 0, stderr);
      const [round = "", total = ""] = stdout.trim().split("\n");
      assert.match(round, /^round 1: there \d+\.\d µs, here \d+\.\d µs, ratio \d\.\d{3}$/);
      const rest = / here takes \d\.\d{3} of what it takes there \(rounds from \d\.\d{3} to \d\.\d{3}\)$/;
      assert.match(total, rest);
      assert.equal(total.replace(rest, ""), measured);
    });
  }

  it("says what is wrong with its arguments", async () => {
    const wrong = [
      [[], /missing required argument 'folder'/],
      [["infra/docs"], /infra\/docs is not a checkout/],
      [["--slices", "none", "."], /argument 'none' is invalid. It is a whole number from 1 to 1000000/],
      [["--node", "--pay-only", "."], /--pay-only is of the engine/],
      [["--node", "--terminals", "100", "."], /--terminals is of the engine/],
      [["--node", "--payments", "10001", "."], /--payments is a whole number from 1 to 10000/],
      [["--unknown", "."], /unknown option '--unknown'/],
    ] as const;
    for (const [args, usageError] of wrong) {
      const { code, stdout, stderr } = await pair(...args);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
      assert.match(stderr, usageError);
    }
  });
});
