import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createRendezvousHomes } from "../../engine/routing/rendezvous.ts";
import { startBalancer } from "../../infra/local/balancer.ts";
import { freePort } from "../../infra/local/free-port.ts";
import { weightName } from "../../infra/node/cluster/address-names.ts";
import { type NodeProcess, startNodeProcess } from "../fault/node-process.ts";
import { atEnd, type Scope, suiteScope } from "../storage/kv/world.ts";
import { CREDENTIALS, HttpClient } from "../support/http/http-client.ts";
import { startTcpProxy, type TcpProxy } from "../support/node/tcp-proxy.ts";
import { eventually } from "../support/within.ts";
import { type OwnServers, ownServers, type SharedServers, sharedServers } from "./servers.ts";

/** A dead node's terminals are to work elsewhere within this time. */
const TAKEN_OVER_MS = 7_000;

/**
 * A node sleeps while `withdraw` takes away, at another one, what `ask` at the sleeping node is answered for: it accepts none of the requests that come first when it
 * wakes, and refuses them once it is ready. `ask` resolves with a status.
 */
export async function assertRefusedAfterSleep(
  sleeper: NodeProcess | undefined,
  withdraw: () => Promise<void>,
  ask: () => Promise<number>,
): Promise<void> {
  assert.ok(sleeper !== undefined);
  sleeper.signal("SIGSTOP");
  await withdraw();
  // These wait in its sockets: they are the first that it sees when it wakes up.
  const early = Array.from({ length: 10 }, ask);
  sleeper.signal("SIGCONT");
  const seen = await Promise.all(early);
  await eventually(async () => {
    seen.push(await ask());
    assert.equal(seen.at(-1), 401);
  });
  assert.ok(
    seen.every((status) => status === 401 || status === 503),
    `what was withdrawn was accepted for a while: ${seen.join(" ")}`,
  );
}

/** Between two questions of who watches a machine, and what a node takes for one with its Redis on a machine that nobody else uses. */
const WATCH_PAUSE_MS = 50;
const USUAL_ANSWER_MS = 50;

/**
 * Measures for how long a busy machine kept this process, a node that lives and its Redis from what takes milliseconds otherwise: so much later everything else
 * is. `caller`: of that node. `stop` resolves with milliseconds.
 */
export function watchBusyMachine(test: TestContext, caller: HttpClient): { stop(): Promise<number> } {
  let isWatching = true;
  let busyMs = 0;
  const watching = (async () => {
    while (isWatching) {
      const sinceMs = performance.now();
      await Promise.all([caller.life(randomUUID()).catch(() => undefined), delay(WATCH_PAUSE_MS)]);
      busyMs += Math.max(0, performance.now() - sinceMs - WATCH_PAUSE_MS - USUAL_ANSWER_MS);
    }
  })();
  const stop = async (): Promise<number> => {
    isWatching = false;
    await watching;
    return busyMs;
  };
  atEnd(test, stop);
  return { stop };
}

/**
 * For a fault that begins with this call: `assertInTime` fails where it was felt for longer than it may be, by more than the machine was busy meanwhile and
 * `allowanceMs`. `caller`: of a node that lives.
 */
export function watchTakeover(test: TestContext, caller: HttpClient): { assertInTime(allowanceMs?: number): Promise<void> } {
  const sinceMs = performance.now();
  const busy = watchBusyMachine(test, caller);
  return {
    assertInTime: async (allowanceMs = 0) => {
      const tookMs = Math.round(performance.now() - sinceMs);
      const busyMs = Math.round(await busy.stop());
      test.diagnostic(`works again after ${tookMs} ms, for ${busyMs} of which the machine was busy`);
      assert.ok(tookMs < TAKEN_OVER_MS + busyMs + allowanceMs, `it took ${tookMs} ms, for ${busyMs} of which the machine was busy`);
    },
  };
}

/** Between two looks at whether nodes are there: each look costs them what they start with. */
const LOOK_PAUSE_MS = 100;

/** Nodes in processes of their own, `node-0` and so on. */
export interface TestCluster extends SharedServers {
  readonly nodes: readonly NodeProcess[];
  /** Leads to the nodes in turn, past those that refuse. */
  readonly balancerUrl: string;
  /** Between one node (the last, where nothing else is asked for) and Redis. */
  readonly redisProxy: TcpProxy;
  /** Index of the node that is home to a terminal while all of `live` are (all nodes, where absent). */
  homeOf(terminalId: string, live?: readonly number[]): number;
  /** A caller of one node, or of the balancer, at an address of its own. */
  caller(node: number | "balancer", credential: keyof typeof CREDENTIALS): HttpClient;
  /** Starts a node (again) on its port and folder; resolves when it is ready. */
  start(node: number): Promise<void>;
  /** Wakes the nodes that sleep and starts those that have ended; resolves when each knows all of them. */
  makeWhole(): Promise<void>;
  /** Starts one more, which ends with the test. */
  intrude(scope: Scope, nodeId: string, port: number): NodeProcess;
}

export interface ClusterOptions {
  nodes: number;
  environment?: { readonly [name: string]: string };
  /** What one node has otherwise. */
  environmentOf?: (node: number) => { readonly [name: string]: string };
  /** The node that reaches Redis through `redisProxy`; the last one, where absent, and null for none. */
  proxiedNode?: number | null;
  /** All nodes have the balancer as RELAY_PUBLIC_URL: what they name to others is the same, and leads to each of them in turn. */
  isPublic?: boolean;
}

/** Starts nodes over the servers that all tests of this process share; the nodes end with the test. */
export async function startCluster(scope: Scope, options: ClusterOptions): Promise<TestCluster> {
  return startNodes(scope, await sharedServers(scope), options);
}

/** Nodes whose servers a test kills, pauses or configures. */
export type ClusterWithOwnServers = TestCluster & OwnServers;

/** Starts servers and nodes; all end with the test. */
export async function startClusterWithOwnServers(scope: Scope, options: ClusterOptions): Promise<ClusterWithOwnServers> {
  const servers = await ownServers(scope);
  return { ...(await startNodes(scope, servers, options)), ...servers };
}

/**
 * One cluster for all tests of the suite in which this is called. It starts when the first of them calls what this returns, and ends after the last one; between
 * them it is made whole.
 */
export function clusterOfSuite(options: ClusterOptions): () => Promise<TestCluster> {
  const suite = suiteScope();
  let starting: Promise<TestCluster> | null = null;
  return async () => {
    if (starting === null) {
      starting = startCluster(suite, options);
      return starting;
    }
    const cluster = await starting;
    await cluster.makeWhole();
    return cluster;
  };
}

async function startNodes(
  scope: Scope,
  servers: SharedServers,
  { nodes: count, environment = {}, environmentOf = () => ({}), proxiedNode = count - 1, isPublic = false }: ClusterOptions,
): Promise<TestCluster> {
  const directory = await mkdtemp(join(tmpdir(), "relay-cluster-"));
  atEnd(scope, () => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const redisProxy = await startTcpProxy(servers.redis.port);
  atEnd(scope, () => redisProxy.stop());
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const balancer = await startBalancer(0, ports);
  atEnd(scope, () => balancer.stop());
  const balancerUrl = `http://127.0.0.1:${balancer.port}`;
  const nodes: NodeProcess[] = [];
  const ended = new Set<number>();
  const startProcess = (ends: Scope, folder: string, port: number, own: { readonly [name: string]: string }): NodeProcess =>
    startNodeProcess(ends, {
      port,
      dataDirectory: join(directory, folder),
      environment: {
        ...servers.environment,
        ...{ RELAY_SHARDS: "1", RELAY_NODE_ID: folder },
        ...(isPublic ? { RELAY_PUBLIC_URL: balancerUrl } : {}),
        ...environment,
        ...own,
      },
    });
  const start = async (node: number): Promise<void> => {
    const redis = node === proxiedNode ? { RELAY_REDIS_URL: `redis://127.0.0.1:${redisProxy.port}/0` } : {};
    const started = startProcess(scope, `node-${node}`, ports[node] ?? 0, { ...redis, ...environmentOf(node) });
    nodes[node] = started;
    ended.delete(node);
    void started.exited.then(() => {
      if (nodes[node] === started) ended.add(node);
    });
    await started.ready();
  };
  // A node is ready as soon as it is a member itself; of the others it hears a moment later.
  const everyNode = (check: (url: string) => Promise<void>) =>
    eventually(() => Promise.all(nodes.map(({ url }) => check(url))), undefined, LOOK_PAUSE_MS);
  const knowEachOther = () =>
    everyNode(async (url) => assert.match(await (await fetch(`${url}/metrics`)).text(), new RegExp(`^relay_cluster_nodes ${count}$`, "m")));
  await Promise.all(ports.map((_, node) => start(node)));
  await knowEachOther();
  // ClickHouse is reached in the background (three nodes that bring its schema up to date at once may have to try again); until then a list is refused.
  await everyNode(async (url) => {
    const listed = await new HttpClient(() => url, CREDENTIALS.partner, "127.9.0.0").get("/api/v1/NONE/transactions");
    assert.equal(listed.status, 200, listed.text);
  });
  let addresses = 0;
  return {
    ...servers,
    nodes,
    balancerUrl,
    redisProxy,
    homeOf: (terminalId, live = ports.map((_, node) => node)) => {
      const homes = createRendezvousHomes(
        live.map((node) => `node-${node}#0/shard-0`),
        weightName,
      );
      return Number(/^node-(\d+)/.exec(homes.homeOf(terminalId))?.[1]);
    },
    caller: (node, credential) => {
      addresses += 1;
      const url = () => (node === "balancer" ? balancerUrl : (nodes[node]?.url ?? ""));
      return new HttpClient(url, CREDENTIALS[credential], `127.9.${addresses >> 8}.${addresses & 255}`);
    },
    start,
    makeWhole: async () => {
      for (const node of nodes) node.signal("SIGCONT");
      await Promise.all([...ended].map(start));
      await knowEachOther();
    },
    intrude: (intruded, nodeId, port) => startProcess(intruded, `${nodeId}-beside`, port, { RELAY_NODE_ID: nodeId }),
  };
}
