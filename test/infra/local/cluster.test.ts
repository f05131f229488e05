import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { freePort, isFree } from "../../../infra/local/free-port.ts";
import { eventually, within } from "../../support/within.ts";

/** Nodes that look for servers where nothing listens: they live for some seconds, and need nothing. */
const NOWHERE = {
  RELAY_REDIS_URL: "redis://127.0.0.1:1",
  RELAY_KAFKA_BROKERS: "127.0.0.1:1",
  RELAY_CLICKHOUSE_URL: "http://127.0.0.1:1",
  RELAY_GATEWAY_URL: "http://127.0.0.1:1",
};

interface Cluster {
  child: ChildProcess;
  directory: string;
  output(): string;
}

async function startCluster(t: TestContext, port: number): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), "relay-cluster-"));
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "infra/local/cluster.ts", "--nodes", "2", "--port", String(port), "--dir", directory],
    {
      env: { ...process.env, ...NOWHERE },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  t.after(async () => {
    for (let signals = 0; signals < 2 && child.exitCode === null && child.signalCode === null; signals += 1) child.kill("SIGINT");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    await rm(directory, { recursive: true, force: true });
  });
  return { child, directory, output: () => output };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("Ctrl-C ends the cluster, also when a node was killed before", async (t) => {
  const cluster = await startCluster(t, await freePort());
  const pidOf = async (index: number) => Number(await readFile(join(cluster.directory, `node-${index}`, "pid"), "utf8"));
  await eventually(() => assert.match(cluster.output(), /over nodes on/));
  const pids = [await pidOf(1), await pidOf(2)];
  process.kill(pids[0] ?? 0, "SIGKILL");
  await eventually(() => assert.match(cluster.output(), /node-1 ended \(SIGKILL\)/));
  cluster.child.kill("SIGINT");
  const [code] = await within("its end", once(cluster.child, "exit"));
  assert.equal(code, 0, cluster.output());
  assert.deepEqual(pids.filter(isAlive), []);
});

test("a port that is taken is told before anything is started", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  t.after(() => taken.close());
  const address = taken.address();
  assert.ok(address !== null && typeof address === "object");
  // As the balancer's port, and as that of a node where the one below is free.
  for (const port of [address.port, address.port - 1]) {
    if (port !== address.port && !(await isFree(port))) continue;
    const cluster = await startCluster(t, port);
    const [code] = await within("its end", once(cluster.child, "exit"));
    assert.equal(code, 1);
    assert.equal(cluster.output(), `port ${address.port} is in use: stop what uses it, or name another (--port)\n`);
  }
});
