import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { planSandboxGateway, type SandboxGatewayProcess } from "../../../../infra/node/process/sandbox-gateway.ts";
import { eventually } from "../../../support/within.ts";

const START_MS = 30_000;

async function folderOf(test: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-process-"));
  test.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function isThere(url: string): Promise<boolean> {
  return fetch(`${url}/control`).then(
    (response) => response.ok,
    () => false,
  );
}

test("the gateway answers where it was planned, comes back when it dies, and ends when told to", async (t) => {
  const lines: string[] = [];
  const deaths: string[] = [];
  const gateway = await planSandboxGateway({
    port: 0,
    dataDirectory: await folderOf(t),
    printed: (line) => lines.push(line),
    died: (exit) => deaths.push(exit),
  });
  await gateway.start();
  t.after(gateway.stop);
  await eventually(async () => assert.equal(await isThere(gateway.url), true), START_MS);
  const pidOf = () => Number(/pid=(\d+)/.exec(lines.join("\n"))?.[1]);
  // It may answer before the line that it wrote has come through the pipe.
  await eventually(() => assert.ok(pidOf() > 0, `its process is told: ${lines}`), START_MS);
  const pid = pidOf();
  process.kill(pid, "SIGKILL");
  await eventually(() => assert.deepEqual(deaths, ["SIGKILL"]), START_MS);
  await eventually(async () => assert.equal(await isThere(gateway.url), true), START_MS);
  await gateway.stop();
  assert.equal(await isThere(gateway.url), false);
});

function plan(dataDirectory: string): Promise<SandboxGatewayProcess> {
  return planSandboxGateway({
    port: 0,
    dataDirectory,
    printed: () => undefined,
    died: (exit, reason) => assert.fail(`${exit}: ${reason}`),
  });
}

test("the gateway is at the same address after a restart, so that its links still work, unless that is taken", async (t) => {
  const folder = join(await folderOf(t), "data");
  const first = await plan(folder);
  await first.start();
  t.after(first.stop);
  await eventually(async () => assert.equal(await isThere(first.url), true), START_MS);
  await first.stop();
  assert.equal((await plan(folder)).url, first.url);

  const taken = createServer().listen(Number(new URL(first.url).port), "127.0.0.1");
  await once(taken, "listening");
  t.after(() => taken.close());
  assert.notEqual((await plan(folder)).url, first.url);
});

test("the gateway takes any free port where what is kept of the last one is none", async (t) => {
  const folder = await folderOf(t);
  for (const text of ["", "http", "99999\n", "-1\n", "0\n"]) {
    await writeFile(join(folder, "sandbox-gateway.port"), text);
    assert.match((await plan(folder)).url, /^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
  }
});

test("a port that is taken is told, with the reason", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  t.after(() => taken.close());
  const address = taken.address();
  assert.ok(address !== null && typeof address === "object", "the listener has a port");
  const deaths: string[] = [];
  const gateway = await planSandboxGateway({
    port: address.port,
    dataDirectory: await folderOf(t),
    printed: () => undefined,
    died: (exit, reason) => deaths.push(`${exit} ${reason}`),
  });
  await gateway.start();
  t.after(gateway.stop);
  await eventually(() => assert.match(deaths[0] ?? "", /^1 .*EADDRINUSE/), START_MS);
});

test("the gateway ends with its parent, however that ends", async (t) => {
  const parent = spawn(process.execPath, ["--import", "tsx", "test/infra/node/process/sandbox-gateway-parent.ts", await folderOf(t)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => parent.kill("SIGKILL"));
  const url = await firstLine(parent);
  await eventually(async () => assert.equal(await isThere(url), true), START_MS);
  parent.kill("SIGKILL");
  await eventually(async () => assert.equal(await isThere(url), false), START_MS);
});

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  assert.ok(stdout, "the parent's output is read");
  const [line] = await once(createInterface(stdout), "line");
  return String(line);
}
