import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { freePorts, isFree } from "../../../infra/local/free-port.ts";
import { runCommand } from "../../../infra/local/run-command.ts";
import { redisMissing, startTestRedis } from "../../support/node/redis.ts";
import { eventually, within } from "../../support/within.ts";

/** Nodes that look for servers where nothing listens: they live for some seconds, and need nothing. */
const NOWHERE = {
  RELAY_REDIS_URL: "redis://127.0.0.1:1",
  RELAY_KAFKA_BROKERS: "127.0.0.1:1",
  RELAY_CLICKHOUSE_URL: "http://127.0.0.1:1",
  RELAY_GATEWAY_URL: "http://127.0.0.1:1",
};

/** At the ports behind that of the balancer. */
const NODES = 2;

interface Cluster {
  child: ChildProcess;
  directory: string;
  output(): string;
}

const PROGRAM = ["--import", "tsx", "infra/local/cluster.ts"];

async function startCluster(t: TestContext, port: number, environment: { [name: string]: string } = {}): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), "relay-cluster-"));
  const child = spawn(process.execPath, [...PROGRAM, "--nodes", String(NODES), "--port", String(port), "--dir", directory], {
    env: { ...process.env, ...NOWHERE, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, which can be told what a terminal tells it.
    detached: true,
  });
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

const missing = await redisMissing();

/** Two nodes that are ready, over a Redis of the test's own. */
async function startReadyCluster(t: TestContext): Promise<Cluster & { port: number }> {
  const redis = await startTestRedis();
  const port = await freePorts(1 + NODES);
  const cluster = await startCluster(t, port, { RELAY_REDIS_URL: redis.url });
  t.after(() => redis.stop());
  for (const nodePort of [port + 1, port + 2]) {
    await eventually(async () => assert.equal((await fetch(`http://127.0.0.1:${nodePort}/health/ready`)).status, 200), START_MAX_MS);
  }
  return { ...cluster, port };
}

/** Nodes run from their sources here. */
const START_MAX_MS = 90_000;

const logOf = ({ directory }: Cluster, node: number) => readFile(join(directory, `node-${node}`, "log"), "utf8");
const pidOf = async ({ directory }: Cluster, node: number) => Number(await readFile(join(directory, `node-${node}`, "pid"), "utf8"));

const restart = (cluster: Cluster, ...nodes: string[]) =>
  runCommand(process.execPath, [...PROGRAM, "restart", ...nodes, "--dir", cluster.directory], START_MAX_MS);

test("Ctrl-C, which the terminal tells to all of its processes and npm once more, drains the nodes", { skip: missing }, async (t) => {
  const cluster = await startReadyCluster(t);
  for (let told = 0; told < 2; told += 1) process.kill(-(cluster.child.pid ?? 0), "SIGINT");
  const [code] = await within("its end", once(cluster.child, "exit"), 60_000);
  assert.equal(code, 0, cluster.output());
  for (const node of [1, 2]) {
    assert.match(await logOf(cluster, node), /"event":"stopping","signal":"SIGTERM"[\s\S]*"event":"stopped","unfinished":0/);
    assert.equal(isAlive(await pidOf(cluster, node)), false);
  }
});

test("a node is restarted by draining it, and clients of the balancer notice nothing", { skip: missing }, async (t) => {
  const cluster = await startReadyCluster(t);
  const before = [await pidOf(cluster, 1), await pidOf(cluster, 2)];
  const ended = new AbortController();
  const failures: unknown[] = [];
  let answered = 0;
  const asking = (async () => {
    while (!ended.signal.aborted) {
      const response = await fetch(`http://127.0.0.1:${cluster.port}/health/live`, { headers: { connection: "close" } }).catch(
        (error) => error,
      );
      if (response instanceof Response && response.status === 200) answered += 1;
      else failures.push(response);
      if (response instanceof Response) await response.text();
    }
  })();
  const { exitCode, output } = await restart(cluster, "2");
  ended.abort();
  await asking;
  assert.equal(exitCode, 0, output);
  assert.equal(output, "node-2 drains\nnode-2 has ended (0)\nnode-2 starts\nnode-2 is ready\n");
  assert.deepEqual(failures, []);
  assert.ok(answered > 0);
  assert.equal(await pidOf(cluster, 1), before[0]);
  assert.notEqual(await pidOf(cluster, 2), before[1]);
  assert.equal(isAlive(before[1] ?? 0), false);

  // One that has died is started.
  process.kill(await pidOf(cluster, 1), "SIGKILL");
  await eventually(() => assert.match(cluster.output(), /node-1 ended \(SIGKILL\)/));
  const again = await restart(cluster, "1");
  assert.equal(again.output, "node-1 starts\nnode-1 is ready\n");
  const unknown = await restart(cluster, "3");
  assert.deepEqual([unknown.exitCode, unknown.output], [1, "there is no node 3: they are 1 to 2\n"]);
});

test("a restart says that no cluster runs, and what its argument is", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "relay-cluster-"));
  t.after(() => rm(directory, { recursive: true }));
  const nowhere = await runCommand(process.execPath, [...PROGRAM, "restart", "1", "--dir", directory], START_MAX_MS);
  assert.equal(nowhere.exitCode, 1);
  assert.match(
    nowhere.output,
    /^no cluster of .*relay-cluster-\w+ is running \(.*ENOENT.*\): start one with npm run cluster, or name its folder with --dir\n$/,
  );
  const wrong = await runCommand(process.execPath, [...PROGRAM, "restart", "node-1", "--dir", directory], START_MAX_MS);
  assert.equal(wrong.exitCode, 1);
  assert.match(wrong.output, /a positive integer/);
});

test("Ctrl-C ends the cluster, also when a node was killed before", async (t) => {
  const cluster = await startCluster(t, await freePorts(1 + NODES));
  await eventually(() => assert.match(cluster.output(), /over nodes on/));
  const pids = [await pidOf(cluster, 1), await pidOf(cluster, 2)];
  process.kill(pids[0] ?? 0, "SIGKILL");
  await eventually(() => assert.match(cluster.output(), /node-1 ended \(SIGKILL\)/));
  cluster.child.kill("SIGINT");
  const [code] = await within("its end", once(cluster.child, "exit"));
  assert.equal(code, 0, cluster.output());
  assert.deepEqual(pids.filter(isAlive), []);
});

test("a second cluster of the same folder is refused, and one that was killed is not in the way", async (t) => {
  const first = await startCluster(t, await freePorts(1 + NODES));
  await eventually(() => assert.match(first.output(), /over nodes on/));
  const args = [...PROGRAM, "--nodes", "1", "--port", String(await freePorts(2)), "--dir", first.directory];
  const second = await runCommand(process.execPath, args, START_MAX_MS, { ...process.env, ...NOWHERE });
  assert.equal(second.exitCode, 1);
  assert.match(second.output, /^a cluster of .* is already running\n$/);
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  const nowhere = await restart(first, "1");
  assert.match(nowhere.output, /^no cluster of .* is running \(.*ECONNREFUSED/);
  for (const node of [1, 2]) process.kill(await pidOf(first, node), "SIGKILL");
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
