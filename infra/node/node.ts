import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { createSecureContext } from "node:tls";
import { Worker } from "node:worker_threads";
import { RelayError } from "../../engine/domain/errors.ts";
import type { Address } from "../../engine/ports/bus.ts";
import { waitingCountersBuffer } from "../../engine/runtime/waiting-counters.ts";
import { createRateLimitMemory } from "../../http/auth/rate-limiter.ts";
import { createMesh } from "../../storage/bus/mesh.ts";
import { createThreadBus, type ThreadBus } from "../../storage/bus/thread-bus.ts";
import { StorageUnavailable } from "../../storage/kv/kv.ts";
import { createRemoteKv } from "../../storage/kv/remote.ts";
import { type Analytics, startAnalytics } from "./analytics.ts";
import { type ClockShift, createClock, createClockShift } from "./clock.ts";
import { createNodeCluster, openClusterKv } from "./cluster.ts";
import type { Config } from "./config.ts";
import { administratorPassword } from "./credentials.ts";
import { rateLimitsOf, surfacesOf } from "./endpoints.ts";
import { createLog, type Log } from "./log.ts";
import { createNodeMetrics, joinMetrics } from "./metrics.ts";
import type { NodeProtocol } from "./node-protocol.ts";
import { ASKS_OUTSTANDING_MAX, MAIN, type ShardBoot, STORE_OWNER } from "./shard.ts";

/** How long a shard has for each step of a start or a stop. A store of many gigabytes takes a while to recover. */
const START_STEP_MS = 120_000;
const STOP_STEP_MS = 10_000;
const METRICS_MS = 5_000;

/**
 * Of a shard's heap; 48 is what a thread has otherwise. 192, 64 and 32 were tried in separate runs of two to four rounds, not interleaved:
 * 64 had the shortest waits at half load, by a margin that such runs do not prove.
 */
const YOUNG_GENERATION_MB = 64;

/** Requests and sockets have this long to end when the node stops. */
export const DRAIN_MS = 10_000;

/** The node cannot start, for a reason that its operator can do something about. */
export class StartRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "StartRefused";
  }
}

export interface RunningNode {
  /** Base address of the listener. */
  url: string;
  port: number;
  /** Resolves with where analysts reach ClickHouse, once it is there; null when it cannot run here. */
  clickhouse: Promise<string | null>;
  /** Not ready → stop accepting → finish what is under way → close sockets, paced → end. Never takes longer than its deadlines. */
  stop(): Promise<void>;
}

export interface NodeOptions {
  config: Config;
  /** For tests, which move the clock of all threads. */
  clockShift?: ClockShift;
  /** The administrator's password was generated and stored: to be shown now, whatever becomes of this start, for it is never told again. */
  passwordGenerated?(password: string): void;
  /** A thread ended that should not have; the process cannot go on. */
  crashed(where: string, error: unknown): void;
}

/** Starts a node: the main thread (feed, ClickHouse, metrics) and its shards. Throws StartRefused with the reason. */
export async function startNode({
  config,
  clockShift = createClockShift(),
  crashed,
  passwordGenerated,
}: NodeOptions): Promise<RunningNode> {
  await refuseUnusableTls(config);
  const clock = createClock(clockShift);
  const log = createLog(config.logLevel, MAIN, clock.monotonicMs);
  log.starting({ mode: config.mode, shards: config.shards, dataDirectory: config.dataDirectory });
  if (config.mode === "production" && config.fleet !== null) log.sharedCredential();

  const shards = Array.from({ length: config.shards }, (_, index) => `shard-${index}`);
  const mesh = createMesh([MAIN, ...shards]);
  const bus = createThreadBus<NodeProtocol>({
    self: MAIN,
    shards,
    ports: portsOf(mesh, MAIN),
    // Asks have as long as this machine takes, whatever the clock is moved to.
    clock: createClock(createClockShift()),
    outstandingMax: ASKS_OUTSTANDING_MAX,
    onError: log.busFailed,
  });
  const surfaces = surfacesOf({ openTerminalLogs: config.openTerminalLogs });
  const rateLimits = [...rateLimitsOf(surfaces)].map(([bucket, perSecond]) => createRateLimitMemory(bucket, perSecond));
  const waiting = waitingCountersBuffer();
  const storeAway = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

  const cluster =
    config.cluster === null
      ? null
      : createNodeCluster({ redisUrl: config.cluster.redisUrl, nodeId: config.nodeId, shards, bus, clock, clockShift, log });

  let stopping = false;
  const workers = shards.map((address) => {
    const boot: ShardBoot = {
      config,
      address,
      shards,
      ports: portsOf(mesh, address),
      clockShift,
      waiting,
      rateLimits,
      storeAway,
      cluster: cluster?.boot ?? null,
    };
    const worker = startWorker(boot);
    worker.on("error", (error) => crashed(address, error));
    worker.on("exit", (code) => {
      if (!stopping) crashed(address, new Error(`ended with code ${code}`));
    });
    return worker;
  });

  let analytics: Analytics | null = null;
  async function abandon(): Promise<void> {
    stopping = true;
    await analytics?.stop();
    await cluster?.leave();
    await cluster?.close();
    await Promise.all(workers.map((worker) => worker.terminate()));
    bus.close();
  }

  try {
    await openStore(bus);
    const redis = config.cluster === null ? null : await openClusterKv(config, config.cluster.redisUrl, log);
    const kv = redis ?? createRemoteKv(bus, STORE_OWNER);
    const password = await administratorPassword(kv, config);
    if (password.generated !== null) {
      log.generatedPassword(config.administrator.username);
      passwordGenerated?.(password.generated);
    }
    analytics = startAnalytics({ config, kv, clock, log });
    serve(bus, analytics, log);
    await Promise.all(
      shards.map((shard) => bus.ask(shard, "shard.start", { administratorPasswordSha256: password.sha256 }, START_STEP_MS)),
    );
    await cluster?.join();
    await Promise.all(shards.map((shard) => bus.ask(shard, "shard.rearm", undefined, START_STEP_MS)));
    const port = await listen(bus, config);
    const url = `${config.tls === null ? "http" : "https"}://${hostOf(config.host)}:${port}`;
    log.listening({ url });
    const running = analytics;
    return {
      url,
      port,
      clickhouse: running.ready,
      stop: async () => {
        if (stopping) return;
        stopping = true;
        await cluster?.leave();
        await stop(bus, running, log);
        await cluster?.close();
        await redis?.close();
        await Promise.all(workers.map((worker) => worker.terminate()));
        bus.close();
      },
    };
  } catch (error) {
    await abandon();
    throw refusalOf(error, config);
  }
}

/** What a damaged store keeps from being read may show only when the node reads it to start. */
function refusalOf(error: unknown, { dataDirectory }: Config): unknown {
  const unreadable = error instanceof StorageUnavailable || (error instanceof RelayError && error.code === "unavailable");
  if (!unreadable) return error;
  return new StartRefused(
    `the data in ${dataDirectory}/state cannot be read (the log says what failed): restore a backup, or copy the directory and run "npm run repair-store -- ${dataDirectory}/state", which keeps what can be read`,
  );
}

function portsOf(mesh: ReturnType<typeof createMesh>, address: Address): ShardBoot["ports"] {
  const ports = mesh.get(address);
  if (ports === undefined) throw new Error(`${address} has no ports`);
  return ports;
}

function startWorker(boot: ShardBoot): Worker {
  return new Worker(new URL("./shard-worker.mjs", import.meta.url), {
    workerData: boot,
    transferList: [...boot.ports.values()],
    execArgv: [],
    // Requests leave short-lived objects; with room for many of them the collector comes less often and finds less alive.
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}

async function openStore(bus: ThreadBus<NodeProtocol>): Promise<void> {
  const opened = await bus.ask(STORE_OWNER, "shard.open", undefined, START_STEP_MS);
  if (opened.type === "refused") throw new StartRefused(opened.reason);
}

function serve(bus: ThreadBus<NodeProtocol>, analytics: Analytics, log: Log): void {
  const metrics = createNodeMetrics({ feed: analytics.stats });
  bus.serve("node.transactions", (query) =>
    analytics.list.page(query).catch((error: unknown) => {
      // Only the public part of an error crosses to the shard.
      if (error instanceof Error && error.cause !== undefined) log.clickhouse("list failed", error.cause);
      throw error;
    }),
  );
  bus.serve("node.fed", () => {
    analytics.nudge();
    return undefined;
  });
  bus.serve("node.metrics", async () => {
    const threads = bus.shards.map((shard) => bus.ask(shard, "shard.metrics", undefined, METRICS_MS));
    return joinMetrics([await metrics.collect(), ...(await Promise.all(threads))]);
  });
}

/** All shards listen on one port; where that may be any, the first one takes it. */
async function listen(bus: ThreadBus<NodeProtocol>, config: Config): Promise<number> {
  let port = config.port;
  // One shard takes the port for itself, so that a second node on it is refused instead of sharing it silently.
  const exclusive = bus.shards.length === 1;
  if (!exclusive && port !== 0) await refuseTakenPort(config.host, port);
  for (const shard of bus.shards) {
    const listening = await bus.ask(shard, "shard.listen", { port, exclusive }, START_STEP_MS);
    if (listening.type === "refused") throw new StartRefused(listening.reason);
    port = listening.port;
  }
  return port;
}

/** Shards share their port with whoever asks to, also with those of another node: only a listener that does not share finds that out. */
async function refuseTakenPort(host: string, port: number): Promise<void> {
  const probe = createServer((connection) => connection.destroy());
  try {
    probe.listen({ host, port, exclusive: true });
    await once(probe, "listening");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartRefused(`cannot listen on ${host}, port ${port}: is it in use? (${reason})`);
  }
  probe.close();
  await once(probe, "close");
}

/** uWebSockets does not say what is wrong with a certificate. */
async function refuseUnusableTls({ tls }: Config): Promise<void> {
  if (tls === null) return;
  try {
    createSecureContext({ cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartRefused(`RELAY_TLS_CERT (${tls.certFile}) and RELAY_TLS_KEY (${tls.keyFile}) cannot be used: ${reason}`);
  }
}

function hostOf(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

async function stop(bus: ThreadBus<NodeProtocol>, analytics: Analytics, log: Log): Promise<void> {
  const drained = bus.shards.map((shard) => bus.ask(shard, "shard.drain", { deadlineMs: DRAIN_MS }, DRAIN_MS + STOP_STEP_MS));
  const left = await Promise.allSettled(drained);
  const unfinished = left.reduce((sum, shard) => sum + (shard.status === "fulfilled" ? shard.value : 0), 0);
  await analytics.stop();
  // The shard that holds the store goes last: the others still write what they know.
  for (const shard of [...bus.shards].reverse()) {
    await bus.ask(shard, "shard.close", undefined, STOP_STEP_MS).catch((error: unknown) => log.engineFailed("close", error));
  }
  log.stopped({ unfinished });
}
