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
import { type EmbeddedClickHouse, startEmbeddedClickHouse } from "../../storage/clickhouse/embedded/supervisor.ts";
import { type NodeProcess, startNodeProcess } from "../fault/node-process.ts";
import { ADMIN, ANALYST } from "../storage/clickhouse/clickhouse-world.ts";
import { atEnd } from "../storage/kv/world.ts";
import { CREDENTIALS, HttpClient } from "../support/http-client.ts";
import { startTestKafka, type TestKafka } from "../support/kafka.ts";
import { startTestRedis, type TestRedis } from "../support/redis.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { eventually } from "../support/within.ts";

/** A dead node's terminals are to work elsewhere within this time. */
const TAKEN_OVER_MS = 7_000;

/** `allowanceMs` is blamed on the machine, where a test itself keeps it busy. */
export function assertTakenOver(test: { diagnostic(text: string): void }, sinceMs: number, allowanceMs = 0): void {
  const tookMs = Math.round(performance.now() - sinceMs);
  test.diagnostic(`works again after ${tookMs} ms`);
  assert.ok(tookMs < TAKEN_OVER_MS + allowanceMs, `it took ${tookMs} ms`);
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

/** A ClickHouse that a test kills and starts again on its port and data. */
export interface ClusterClickHouse {
  /** As the nodes are told, credentials included. */
  readonly url: string;
  readonly directory: string;
  /** kill -9; nothing starts it again but `start`. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What all nodes of a cluster share: a real Redis, Kafka and ClickHouse. */
export interface SharedServers {
  readonly redis: TestRedis;
  readonly kafka: TestKafka;
  readonly clickhouse: ClusterClickHouse;
  /** The variables that name them. */
  readonly environment: { readonly [name: string]: string };
  stop(): Promise<void>;
}

export async function startSharedServers(): Promise<SharedServers> {
  const [redis, kafka, clickhouse] = await Promise.all([startTestRedis(), startTestKafka(), startClusterClickHouse()]);
  const folder = await mkdtemp(join(tmpdir(), "relay-shared-"));
  return {
    redis,
    kafka,
    clickhouse,
    environment: {
      RELAY_REDIS_URL: redis.url,
      RELAY_KAFKA_BROKERS: kafka.brokers.join(","),
      RELAY_CLICKHOUSE_URL: clickhouse.url,
      RELAY_PACKAGE_DIR: join(folder, "packages"),
      RELAY_EXPORT_DIR: join(folder, "exports"),
    },
    stop: async () => {
      await rm(folder, { recursive: true, force: true });
      await Promise.all([redis.stop(), kafka.stop(), clickhouse.stop()]);
    },
  };
}

async function startClusterClickHouse(): Promise<ClusterClickHouse> {
  const directory = await mkdtemp(join(tmpdir(), "relay-clickhouse-"));
  const start = (port: number) =>
    startEmbeddedClickHouse({
      directory,
      host: "127.0.0.1",
      port,
      adminPassword: ADMIN.password,
      readerUsername: ANALYST.username,
      readerPassword: ANALYST.password,
      onLog: () => undefined,
    });
  let running: EmbeddedClickHouse | null = await start(0);
  const address = new URL(running.url);
  const port = Number(address.port);
  [address.username, address.password] = [ADMIN.username, ADMIN.password];
  const kill = async (): Promise<void> => {
    const pid = running?.pid() ?? null;
    if (pid !== null) process.kill(pid, "SIGKILL");
    await running?.stop();
    running = null;
  };
  return {
    url: address.href,
    directory,
    kill,
    start: async () => {
      running ??= await start(port);
    },
    stop: async () => {
      await kill();
      await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** Nodes in processes of their own, `node-0` and so on, over servers of their own. */
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
  /** Starts one more on the port of a node. */
  intrude(nodeId: string, node: number): NodeProcess;
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

/** Starts servers and nodes; all end with the test. */
export async function startCluster(
  test: TestContext,
  { nodes: count, environment = {}, environmentOf = () => ({}), proxiedNode = count - 1, isPublic = false }: ClusterOptions,
): Promise<TestCluster> {
  const directory = await mkdtemp(join(tmpdir(), "relay-cluster-"));
  atEnd(test, () => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const servers = await startSharedServers();
  atEnd(test, () => servers.stop());
  const redisProxy = await startTcpProxy(servers.redis.port);
  atEnd(test, () => redisProxy.stop());
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const balancer = await startBalancer(0, ports);
  atEnd(test, () => balancer.stop());
  const balancerUrl = `http://127.0.0.1:${balancer.port}`;
  const nodes: NodeProcess[] = [];
  const startProcess = (nodeId: string, node: number, own: { readonly [name: string]: string }): NodeProcess =>
    startNodeProcess(test, {
      port: ports[node] ?? 0,
      dataDirectory: join(directory, nodeId),
      environment: {
        ...servers.environment,
        ...{ RELAY_SHARDS: "1", RELAY_NODE_ID: nodeId },
        ...(isPublic ? { RELAY_PUBLIC_URL: balancerUrl } : {}),
        ...environment,
        ...own,
      },
    });
  const start = async (node: number): Promise<void> => {
    const redis = node === proxiedNode ? { RELAY_REDIS_URL: `redis://127.0.0.1:${redisProxy.port}/0` } : {};
    const started = startProcess(`node-${node}`, node, { ...redis, ...environmentOf(node) });
    nodes[node] = started;
    await started.ready();
  };
  await Promise.all(ports.map((_, node) => start(node)));
  // A node is ready as soon as it is a member itself; of the others it hears a moment later.
  await eventually(async () => {
    for (const { url } of nodes)
      assert.match(await (await fetch(`${url}/metrics`)).text(), new RegExp(`^relay_cluster_nodes ${count}$`, "m"));
  });
  // ClickHouse is reached in the background (three nodes that bring its schema up to date at once may have to try again); until then a list is refused.
  await eventually(async () => {
    for (const { url } of nodes) {
      const listed = await new HttpClient(() => url, CREDENTIALS.partner, "127.9.0.0").get("/api/v1/NONE/transactions");
      assert.equal(listed.status, 200, listed.text);
    }
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
    intrude: (nodeId, node) => startProcess(nodeId, node, {}),
  };
}
