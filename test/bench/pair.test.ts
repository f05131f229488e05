import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { meanRatio, ratioOf } from "../../bench/engine/ratio.ts";

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
      [[], /name one folder/],
      [["infra/docs"], /infra\/docs is not a checkout/],
      [["--slices", "none", "."], /--slices is a whole number/],
      [["--unknown", "."], /Unknown option '--unknown'/],
    ] as const;
    for (const [args, usageError] of wrong) {
      const { code, stdout, stderr } = await pair(...args);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
      assert.match(stderr, usageError);
    }
  });
});
