import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Worker } from "node:worker_threads";
import type { Address } from "../../../engine/kernel/bus.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { StorageUnavailable } from "../../../engine/kernel/kv.ts";
import { sharedCountsMemory } from "../../../engine/kernel/shared-counts.ts";
import { waitingCountersBuffer } from "../../../engine/terminals/waiting-counters.ts";
import { createAgentRateMemory } from "../../../http/auth/agent-rate.ts";
import { loadUws, type Uws, UwsMissing } from "../../../http/server/uws.ts";
import { loadDocs } from "../../../http/web/docs-files.ts";
import { madeOnce } from "../../../http/web/encoded-file.ts";
import { loadScripts } from "../../../http/web/script-files.ts";
import { loadWebApps } from "../../../http/web/web-app-files.ts";
import { createMesh } from "../../../storage/bus/mesh.ts";
import { createThreadBus, type ThreadBus } from "../../../storage/bus/thread-bus.ts";
import { noteFeedGap } from "../../../storage/feed/feed-gap.ts";
import { noteShopsSince } from "../../../storage/feed/shops-since.ts";
import type { RedisKv } from "../../../storage/kv/redis.ts";
import { type HistoryLost, isLockedOut } from "../../../storage/kv/redis-connection.ts";
import { RedisRefused } from "../../../storage/kv/redis-refused.ts";
import { createRemoteHistory, createRemoteKv } from "../../../storage/kv/remote.ts";
import { redisPlace } from "../../../storage/redis/sentinel-url.ts";
import { VersionRefused } from "../../../storage/schemas/agreement.ts";
import { checkSchemaMark, raiseSchemaMark } from "../../../storage/schemas/schema-mark.ts";
import { type ClockShift, createClock, createClockShift } from "../boot/clock.ts";
import type { Config } from "../boot/config.ts";
import { backgroundTimers, machineTimers } from "../boot/machine-timers.ts";
import { ownMetricsAccess } from "../boot/metrics-access.ts";
import type { NodeProtocol } from "../boot/node-protocol.ts";
import { createSecretBox } from "../boot/secret-box.ts";
import { serviceAddresses } from "../boot/service-addresses.ts";
import { MAIN, type OpenCounts, REQUESTS_OUTSTANDING_MAX, type ShardBoot, STORE_OWNER, type WebFiles } from "../boot/shard-boot.ts";
import { StartRefused } from "../boot/start-refused.ts";
import { VERSION } from "../boot/version.ts";
import { keepWitness, type WitnessWriter } from "../boot/witness-file.ts";
import { sharedSettings } from "../cluster/shared-settings.ts";
import { createLog, type Log } from "../observability/log.ts";
import { createStoreCommits } from "../observability/store-commits.ts";
import { administratorPassword } from "../wiring/access/credentials.ts";
import { documentTexts, rateLimitsOf, surfacesOf } from "../wiring/shared/endpoints.ts";
import { rateLimitMemories } from "../wiring/shared/rate-limits.ts";
import { startAnalytics } from "./analytics.ts";
import type { Analytics } from "./analytics-port.ts";
import { type Certificates, readCertificates } from "./certificates.ts";
import { createLostCommits, type LostCommits } from "./lost-commits.ts";
import { listenForMetrics, type MetricsListener } from "./metrics-listener.ts";
import { createReloading } from "./reload-node.ts";
import { seeToRestored } from "./restored.ts";
import { prepareSandboxMerchant } from "./sandbox-merchant.ts";
import { prepareSandboxOwner } from "./sandbox-owner.ts";
import { prepareSandboxPartner } from "./sandbox-partner.ts";
import { handleShardMessages } from "./shard-messages.ts";
import { startShardThreads } from "./shard-threads.ts";
import { prepareStoredSecrets } from "./stored-secrets.ts";

/** How long a shard has for each step of a start or a stop. A store of many gigabytes takes a while to recover. */
const START_STEP_MS = 120_000;
const STOP_STEP_MS = 10_000;

/** In a cluster, balancers have this long to notice that a node is not ready: twice the time that compose/haproxy.cfg needs. */
const STOP_ACCEPT_MS = 1_500;

/** How long a single node still accepts clients that are just connecting. */
const STOP_ACCEPT_ALONE_MS = 200;

/** How long requests and sockets may take to end when the node stops. */
const DRAIN_MS = 10_000;

/** Of 32 bits. */
const SEEDS = 2 ** 32;

const WRONG_SECRET_KEY =
  "RELAY_SECRET_KEY is not the key that encrypted the stored secrets; to change the key, set the previous one as RELAY_SECRET_KEY_OLD (infra/docs/secrets.md)";

export interface RunningNode {
  /** Base address of the listener. */
  url: string;
  port: number;
  /** Address of the metrics' own listener; null if there is none. */
  metricsUrl: string | null;
  /** Where cash registers can connect; no ports where none can, and why not if they should. */
  zvt: { ports: readonly number[]; problem: string | null };
  /** Resolves with the address of ClickHouse for analysts when it can be reached; null if it cannot run here. */
  clickhouse: Promise<string | null>;
  /** The services beside the node are ready: from now on the node is ready too. Does nothing if `readyWhen` is `listening`. */
  complete(): void;
  /**
   * Takes over what a running node can of a configuration that was read again (infra/node/boot/reload.ts). Throws StartRefused with the reason where some of it
   * cannot be used; nothing is changed then, or only what the reason does not name.
   */
  reload(config: Config): Promise<Certificates & { changed: boolean }>;
  /**
   * Not ready → (in a cluster, a moment later) stop accepting → finish requests → close sockets gradually → end. Never takes longer than
   * its deadlines.
   */
  stop(): Promise<void>;
}

export interface NodeOptions {
  config: Config;
  /** For tests, which move the clock of all threads. */
  clockShift?: ClockShift;
  /** A node is ready when it listens, or after `complete`, if its users depend on services beside it. */
  readyWhen?: "listening" | "complete";
  /**
   * Starts the shards' threads, or answers those that run already; called for every attempt. For tests also: they run a build of the same
   * sources.
   */
  threads?(): readonly Worker[];
  /**
   * The administrator's password was generated and stored. It has to be shown now, even if this start fails later, because it is never
   * shown again.
   */
  passwordGenerated?(password: string): void;
  /** An administrator has asked that this node be drained: the process is to stop as by SIGTERM. Absent: the node cannot be drained so. */
  drainRequested?(): void;
  /** A thread ended that should not have; the process cannot go on. */
  crashed(where: string, error: unknown): void;
}

export interface NodeAttempt extends NodeOptions {
  /** The administrator's password if there is none yet: the same for every attempt, so that one that was stored unconfirmed is still shown. */
  freshPassword: string;
  /** How long the store of a cluster may take to be there, ms. */
  storeWithinMs: number;
  /** It is not there yet, for this reason as far as it is known; called once. */
  storeAwaited(reason: string): void;
}

/** Tries to start a node: the main thread (feed, ClickHouse, metrics) and its shards. Throws StartRefused with the reason. */
export async function tryToStartNode({
  config,
  clockShift = createClockShift(),
  readyWhen = "listening",
  threads = () => startShardThreads(config.shards),
  drainRequested,
  crashed,
  freshPassword,
  storeWithinMs,
  storeAwaited,
  passwordGenerated,
}: NodeAttempt): Promise<RunningNode> {
  const certificates = await readCertificates(config);
  const clock = createClock(clockShift);
  const log = createLog(config.logLevel, MAIN, clock.monotonicMs, serviceAddresses(config));
  const { mode, shards: shardCount, dataDirectory } = config;
  log.starting({ version: VERSION, mode, shards: shardCount, dataDirectory, node: process.version });
  const uws = await chooseUws(config);
  log.httpLibrary(uws);
  if (config.mode === "production" && config.fleet !== null) log.sharedCredential();
  if (config.mode === "production" && config.partnerDefaultRule === "any") log.partnersUseAny();

  const shards = Array.from({ length: config.shards }, (_, index) => `shard-${index}`);
  const mesh = createMesh([MAIN, ...shards]);
  const bus = createThreadBus<NodeProtocol>({
    self: MAIN,
    shards,
    ports: portsOf(mesh, MAIN),
    // Deadlines of requests use this machine's clock, even if a test moves the relay's clock.
    clock: createClock(createClockShift()),
    timers: backgroundTimers,
    outstandingMax: REQUESTS_OUTSTANDING_MAX,
    onError: log.busFailed,
  });
  const surfaces = surfacesOf(config);
  const rateLimits = rateLimitMemories(rateLimitsOf(surfaces), config.shards);
  const agentRates = createAgentRateMemory(config.shards);
  const counts = () => sharedCountsMemory(randomInt(SEEDS));
  const open: OpenCounts = { sockets: counts(), socketsWithoutLogin: counts(), waits: counts() };
  const waiting = waitingCountersBuffer();
  const storeAway = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const incomplete = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  if (readyWhen === "complete") Atomics.store(incomplete, 0, 1);

  // A node by itself loads nothing of Redis.
  const parts = config.cluster === null ? null : await import("../cluster/cluster.ts");
  const cluster =
    config.cluster === null || parts === null
      ? null
      : parts.createNodeCluster({
          redisUrl: config.cluster.redisUrl,
          nodeId: config.nodeId,
          version: VERSION,
          settings: sharedSettings(config),
          shards,
          bus,
          clock,
          clockShift,
          log,
        });

  const self = {
    nodeId: config.nodeId,
    incarnation: config.nodeId,
    version: VERSION,
    shards: config.shards,
    sinceMs: clock.nowMs(),
    state: "live",
  } as const;
  let stopping = false;
  const workers = threads();
  for (const [index, thread] of workers.entries()) {
    const address = shards[index];
    if (address === undefined) throw new Error("a thread has no shard");
    const boot: ShardBoot = {
      config,
      uwsLibrary: uws.library,
      address,
      shards,
      ports: portsOf(mesh, address),
      clockShift,
      waiting,
      rateLimits,
      agentRates,
      open,
      storeAway,
      incomplete: incomplete.buffer,
      cluster: cluster?.boot ?? null,
    };
    thread.on("error", (error) => crashed(address, error));
    thread.on("exit", (code) => {
      if (!stopping) crashed(address, new Error(`ended with code ${code}`));
    });
    thread.postMessage(boot, [...boot.ports.values()]);
  }

  let redis: RedisKv | null = null;
  let analytics: Analytics | null = null;
  let witness: WitnessWriter | null = null;
  let lostCommits: LostCommits | null = null;
  let metrics: MetricsListener | null = null;
  async function abandon(): Promise<void> {
    stopping = true;
    lostCommits?.stop();
    await metrics?.close();
    await witness?.stop();
    await analytics?.stop();
    await closeShards(bus, log);
    await cluster?.leave();
    await cluster?.close();
    await redis?.close();
    await Promise.all(workers.map((worker) => worker.terminate()));
    bus.close();
  }

  const webFiles = loadWebFiles();
  try {
    await openStore(bus);
    const commits = createStoreCommits("redis");
    const committed = (durationMs: number) => commits.observe("redis", durationMs);
    if (config.cluster !== null && parts !== null) {
      const place = redisPlace(config.cluster.redisUrl);
      const waiting = (reason: string | null) => storeAwaited(`${place} cannot be used${reason === null ? "" : `: ${reason}`}`);
      const historyLost = (loss: HistoryLost) => lostCommits?.noticed(loss);
      redis = await parts.openClusterKv(config, config.cluster, { log, historyLost, committed, openWithinMs: storeWithinMs, waiting });
    }
    const opened = redis;
    const kv = opened ?? createRemoteKv(bus, STORE_OWNER);
    const losses = createLostCommits({ kv, redis: opened, timers: backgroundTimers, nowMs: clock.nowMs, log });
    lostCommits = losses;
    await cluster?.admit();
    await checkSchemaMark(kv);
    const history = opened ?? (await createRemoteHistory(bus, STORE_OWNER));
    analytics = startAnalytics({ config, kv, clock, log });
    const { storeId } = await seeToRestored({
      config,
      kv,
      history,
      analytics,
      othersLive: async () => cluster !== null && (await cluster.othersLive()),
      nowMs: clock.nowMs,
      log,
      lostCommits: losses,
      refuse: (reason) => {
        throw new StartRefused(reason);
      },
    });
    const { versionsPerMs } = history;
    const lastVersion = () => history.lastVersion();
    witness = keepWitness({
      file: config.witnessFile,
      storeId,
      versionsPerMs,
      lastVersion,
      timers: machineTimers,
      failed: log.witnessFailed,
    });
    const box = createSecretBox(config.secretKeys);
    const secrets = await prepareStoredSecrets(kv, box);
    if (secrets.type === "unreadable") throw new StartRefused(WRONG_SECRET_KEY);
    if (secrets.renewed > 0) log.secretsRenewed(secrets.renewed);
    await raiseSchemaMark(kv, VERSION);
    await noteShopsSince(kv, clock.nowMs);
    if (config.clickhouse.type === "off") await noteFeedGap(kv, clock.nowMs());
    await prepareSandboxPartner(kv, config, box, clock.nowMs());
    await prepareSandboxMerchant(kv, config, box, clock);
    await prepareSandboxOwner(kv, config, box, clock);
    const password = await administratorPassword(kv, config, freshPassword);
    if (password.generated !== null) passwordGenerated?.(password.generated);
    const reloading = createReloading({ config, certificates, bus, log });
    const docs = madeOnce(() => loadDocs(documentTexts(config)));
    const { collectMetrics } = handleShardMessages({
      ...{ bus, analytics, docs, cluster, self, drainRequested, log },
      redis: opened === null ? null : { isUp: () => opened.available(), commits },
      lostCommits: losses,
      httpLibrary: uws.packageName,
      dataDirectory: config.dataDirectory,
      certificates: reloading.certificates,
    });
    metrics = await openMetrics(config, collectMetrics, log);
    const start = { administratorPasswordSha256: password.sha256, webFiles: await webFiles };
    await Promise.all(shards.map((shard) => bus.request(shard, "shard.start", start, START_STEP_MS)));
    if (cluster !== null) {
      // Before other nodes hand terminals over to a node that then exits.
      await refuseTakenPort(config);
      await cluster.join();
    }
    await Promise.all(shards.map((shard) => bus.request(shard, "shard.rearm", undefined, START_STEP_MS)));
    const port = await listen(bus, config);
    const { listener: zvt } = await bus.request(STORE_OWNER, "zvt.node", undefined, START_STEP_MS);
    const url = `${config.tls === null ? "http" : "https"}://${hostOf(config.host)}:${port}`;
    log.listening({ url });
    analytics.feed();
    if (config.mode === "production" && config.publicUrl === null) log.publicUrlMissing(url);
    const [running, witnessing, metricsListener] = [analytics, witness, metrics];
    if (metricsListener !== null) log.metricsListening({ url: metricsListener.url });
    return {
      url,
      port,
      metricsUrl: metricsListener?.url ?? null,
      zvt,
      clickhouse: running.ready,
      complete: () => {
        Atomics.store(incomplete, 0, 0);
        // Before somebody asks for them, and not before the sandbox is ready; the first request tries it again and says what is wrong.
        docs().catch(() => undefined);
      },
      reload: reloading.reload,
      stop: async () => {
        if (stopping) return;
        stopping = true;
        losses.stop();
        // Other nodes are the homes from now on. Requests here finish while the node is still a member, so that it learns of withdrawn
        // credentials.
        await cluster?.drain();
        await stop({ bus, analytics: running, witness: witnessing, log }, cluster === null ? STOP_ACCEPT_ALONE_MS : STOP_ACCEPT_MS);
        await metricsListener?.close();
        await cluster?.leave();
        await cluster?.close();
        await opened?.close();
        await Promise.all(workers.map((worker) => worker.terminate()));
        bus.close();
      },
    };
  } catch (error) {
    await abandon();
    throw refusalOf(error, config);
  }
}

/** Of this process: they are shared memory that nobody writes, and making them of their sources keeps the thread busy. */
let webFilesOfProcess: Promise<WebFiles> | null = null;

/** While the shards load; a failure is one of the start, even if that has failed before. */
function loadWebFiles(): Promise<WebFiles> {
  if (webFilesOfProcess !== null) return webFilesOfProcess;
  const loaded = Promise.all([loadWebApps(), loadScripts()]).then(([webApps, scripts]) => ({ webApps, scripts }));
  loaded.catch(() => {
    webFilesOfProcess = null;
  });
  webFilesOfProcess = loaded;
  return loaded;
}

/** Loaded here too, so that a failure is reported before any shard starts. */
async function chooseUws({ httpLibrary }: Config): Promise<Uws> {
  try {
    return await loadUws(httpLibrary);
  } catch (error) {
    throw error instanceof UwsMissing ? new StartRefused(error.message) : error;
  }
}

/** Errors that an operator can fix are reported without a stack. */
function refusalOf(error: unknown, { dataDirectory, cluster }: Config): unknown {
  if (error instanceof VersionRefused) return new StartRefused(error.message);
  const unreadable = error instanceof StorageUnavailable || (error instanceof RelayError && error.code === "unavailable");
  if (cluster !== null) {
    const place = redisPlace(cluster.redisUrl);
    if (error instanceof RedisRefused) {
      return new StartRefused(
        `RELAY_REDIS_URL: ${place} could lose acknowledged data, which production does not accept: ${error.problems.join("; ")}`,
      );
    }
    if (!unreadable) return error;
    const reason = error instanceof StorageUnavailable ? error.message : "Redis did not answer in time";
    return new StartRefused(`RELAY_REDIS_URL: ${place} cannot be used: ${reason}`, { mayPass: !isLockedOut(reason) });
  }
  if (!unreadable) return error;
  // Damage to the store may be noticed only when the node reads it at the start.
  return new StartRefused(
    `the data in ${dataDirectory}/state cannot be read (the log says what failed): restore a backup, or copy the directory and run "npm run repair-store -- ${dataDirectory}/state", which keeps what can be read`,
  );
}

function portsOf(mesh: ReturnType<typeof createMesh>, address: Address): ShardBoot["ports"] {
  const ports = mesh.get(address);
  if (ports === undefined) throw new Error(`${address} has no ports`);
  return ports;
}

async function openStore(bus: ThreadBus<NodeProtocol>): Promise<void> {
  const opened = await bus.request(STORE_OWNER, "shard.open", undefined, START_STEP_MS);
  if (opened.type === "refused") throw new StartRefused(opened.reason);
}

async function openMetrics(config: Config, collect: () => Promise<string>, log: Log): Promise<MetricsListener | null> {
  const { host, port } = config.metrics;
  if (port === null) return null;
  try {
    return await listenForMetrics({
      host,
      port,
      mayRead: ownMetricsAccess(config),
      collect,
      failed: (error) => log.engineFailed("metrics", error),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartRefused(`RELAY_METRICS_PORT: cannot listen on ${host}, port ${port}: ${reason}`);
  }
}

/** All shards listen on one port; if any port will do, the first shard chooses it. */
async function listen(bus: ThreadBus<NodeProtocol>, config: Config): Promise<number> {
  let port = config.port;
  // One shard takes the port for itself, so that a second node on it is refused instead of sharing it silently.
  const exclusive = bus.shards.length === 1;
  if (!exclusive) await refuseTakenPort(config);
  for (const shard of bus.shards) {
    const listening = await bus.request(shard, "shard.listen", { port, exclusive }, START_STEP_MS);
    if (listening.type === "refused") throw new StartRefused(listening.reason);
    port = listening.port;
  }
  return port;
}

/** Shards listen on a shared port, which another node's shards could also share: only a listener that does not share can detect that. */
async function refuseTakenPort({ host, port }: Config): Promise<void> {
  if (port === 0) return;
  const probe = createServer((connection) => connection.destroy());
  try {
    probe.listen({ host, port, exclusive: true });
    await once(probe, "listening");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartRefused(`cannot listen on ${host}, port ${port}: ${reason}`);
  }
  probe.close();
  await once(probe, "close");
}

function hostOf(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

interface Stopped {
  bus: ThreadBus<NodeProtocol>;
  analytics: Analytics;
  witness: WitnessWriter;
  log: Log;
}

async function stop({ bus, analytics, witness, log }: Stopped, acceptMs: number): Promise<void> {
  const options = { acceptMs, deadlineMs: DRAIN_MS };
  const drained = bus.shards.map((shard) => bus.request(shard, "shard.drain", options, acceptMs + DRAIN_MS + STOP_STEP_MS));
  const left = await Promise.allSettled(drained);
  const unfinished = left.reduce((sum, shard) => sum + (shard.status === "fulfilled" ? shard.value : 0), 0);
  await analytics.stop();
  await witness.stop();
  await closeShards(bus, log);
  log.stopped({ unfinished });
}

/**
 * Lets the shards close their resources: a thread that is terminated while the store reads or writes in the background can crash the whole
 * process. The shard that holds the store is last, because the others still write to it.
 */
async function closeShards(bus: ThreadBus<NodeProtocol>, log: Log): Promise<void> {
  for (const shard of [...bus.shards].reverse()) {
    await bus.request(shard, "shard.close", undefined, STOP_STEP_MS).catch((error: unknown) => log.engineFailed("close", error));
  }
}
