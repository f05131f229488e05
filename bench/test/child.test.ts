import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startProgram } from "../load/child.ts";

const READY = { environment: process.env, ready: /^listening on (\d+)$/ };

describe("a program that the benchmark starts", () => {
  it("is there when it says so, in its folder, and ends when it is stopped", async () => {
    const script = 'console.log("starting"); console.log("listening on " + process.cwd().length); setInterval(() => {}, 1000)';
    const { child, match } = await startProgram(process.execPath, ["-e", script], { ...READY, folder: "/" });
    assert.equal(match[1], "1");
    await child.stop();
    assert.throws(() => process.kill(child.pid, 0), { code: "ESRCH" });
  });

  it("is told of where it ends before that, or is not there at all", async () => {
    await assert.rejects(startProgram(process.execPath, ["-e", "process.exit(3)"], READY), /ended with 3/);
    await assert.rejects(startProgram("no-such-program", [], READY), { code: "ENOENT" });
  });
});
