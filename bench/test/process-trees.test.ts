import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { directoryOf } from "../../test/storage/kv/world.ts";
import { readTrees, residentBytes, WATCHER, watchTrees } from "../load/process-trees.ts";

const skip = process.platform === "linux" ? false : "only Linux tells of processes";

/** Burns processor time, and writes so many pages to the disk: itself, a child that runs on, and one that has ended. */
const PROGRAM = `
const { spawn, spawnSync } = require("node:child_process");
const { fsyncSync, openSync, writeSync } = require("node:fs");
const [file, depth] = [process.argv[1], Number(process.argv[2])];
const burn = (ms) => { for (const end = process.cpuUsage().user + ms * 1_000; process.cpuUsage().user < end; ); };
const written = openSync(file + depth, "w");
writeSync(written, Buffer.alloc(400_000, "x"));
fsyncSync(written);
burn(150);
if (depth === 0) {
  const args = ["-e", process.execArgv[1], file];
  spawnSync(process.execPath, [...args, "1"], { input: "" });
  spawn(process.execPath, [...args, "2"], { stdio: ["pipe", "inherit", "inherit"] });
} else console.log("used");
process.stdin.resume();
process.stdin.on("end", () => process.exit());
`;

async function running(test: TestContext): Promise<ChildProcess & { pid: number }> {
  const file = join(await directoryOf(test), "written");
  const child = spawn(process.execPath, ["-e", PROGRAM, file, "0"], { stdio: ["pipe", "pipe", "inherit"] });
  test.after(async () => {
    const ended = once(child, "exit");
    child.stdin.end();
    await ended;
  });
  if (child.pid === undefined) throw new Error("it did not start");
  await once(child.stdout, "data");
  return Object.assign(child, { pid: child.pid });
}

describe("what trees of processes use", { skip }, () => {
  it("is that of the process with children that have ended, and apart that of those that run", async (test) => {
    const { pid } = await running(test);
    const read = readTrees([{ name: "server", pid, children: "child" }]);
    const [server, child] = ["server", "child"].map((name) => read?.processes.get(name));
    assert.ok(server !== undefined && child !== undefined);
    assert.ok(server.cpuMs >= 290, `${server.cpuMs} ms of the process and the child that has ended`);
    assert.ok(child.cpuMs >= 140 && child.cpuMs < server.cpuMs + 140, `${child.cpuMs} ms of the child that runs`);
    // In a file system of memory nothing goes to a disk.
    if (child.writtenBytes === 0) return;
    assert.ok(server.writtenBytes >= 800_000, `${server.writtenBytes} bytes of the process and the child that has ended`);
    assert.ok(child.writtenBytes >= 400_000 && child.writtenBytes < 600_000, `${child.writtenBytes} bytes of the child that runs`);
  });

  it("is told between two readings, beside that of whoever watches and of the whole machine", async (test) => {
    const { pid } = await running(test);
    const used = watchTrees([{ name: "server", pid, children: "server" }]);
    const until = process.cpuUsage().user + 100_000;
    while (process.cpuUsage().user < until);
    const use = used();
    assert.ok(use !== null);
    const { server, [WATCHER]: watcher } = use.processes;
    assert.ok(server !== undefined && server.cpuMs < 100, `${server?.cpuMs} ms of a server that idled`);
    assert.ok(watcher !== undefined && watcher.cpuMs >= 80, `${watcher?.cpuMs} ms of this process`);
    assert.ok(use.machineBusyMs >= watcher.cpuMs * 0.8, `${use.machineBusyMs} ms of the machine`);
  });

  it("has the memory of all of them", async (test) => {
    const { pid } = await running(test);
    // Two Nodes that run, with thirty megabytes and more each.
    assert.ok(residentBytes([{ name: "server", pid, children: "server" }]) > 60e6);
  });
});
