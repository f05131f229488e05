import { randomBytes, randomUUID } from "node:crypto";
import type { MessagePort } from "node:worker_threads";
import { createCommandLife } from "../../engine/operations/command-life.ts";
import { createFindTransaction } from "../../engine/operations/find-transaction.ts";
import { createRecordResult } from "../../engine/operations/record-result.ts";
import { createSendPayment } from "../../engine/operations/send-payment.ts";
import { createSendUtility } from "../../engine/operations/send-utility.ts";
import type { Address, Bus } from "../../engine/ports/bus.ts";
import type { Homes } from "../../engine/ports/homes.ts";
import { createDirectory } from "../../engine/runtime/directory.ts";
import { createPresenceTable } from "../../engine/runtime/presence-table.ts";
import { createRendezvousHomes } from "../../engine/runtime/rendezvous.ts";
import { createShard } from "../../engine/runtime/terminals.ts";
import { createWaitingCounters } from "../../engine/runtime/waiting-counters.ts";
import { createAuthenticator } from "../../http/auth/authenticator.ts";
import { createPatternCompiler } from "../../http/auth/pattern.ts";
import { openRateLimit, type RateLimitMemory } from "../../http/auth/rate-limiter.ts";
import { terminalPassword } from "../../http/auth/terminal-password.ts";
import { createServer, type Server } from "../../http/server/server.ts";
import { createLocalTime } from "../../http/surfaces/local-time.ts";
import { relayEnvelope } from "../../http/surfaces/relay-envelope.ts";
import { docsOperations } from "../../http/web/docs-endpoints.ts";
import { clusterAddress, createClusterBus, incarnationOf } from "../../storage/bus/cluster/cluster-bus.ts";
import { connectRedis } from "../../storage/bus/cluster/redis-connection.ts";
import { createStreamWriter } from "../../storage/bus/cluster/stream-reader.ts";
import { createThreadBus } from "../../storage/bus/thread-bus.ts";
import { type EmbeddedKv, openEmbeddedKv } from "../../storage/kv/embedded.ts";
import { DirectoryRefused } from "../../storage/kv/embedded-directory.ts";
import type { Kv } from "../../storage/kv/kv.ts";
import type { RedisKv } from "../../storage/kv/redis.ts";
import { createRemoteKv, serveKv } from "../../storage/kv/remote.ts";
import { createDirectoryStore } from "../../storage/stores/directory-store.ts";
import { createPresenceStore } from "../../storage/stores/presence-store.ts";
import { createTerminalLogStore } from "../../storage/stores/terminal-log-store.ts";
import { COMMANDS, createTerminalStore } from "../../storage/stores/terminal-store.ts";
import { type ClockShift, createClock, createClockShift } from "./clock.ts";
import { type ClusterBoot, KEY_PREFIX, nodeIdOf, openClusterKv, weightName } from "./cluster.ts";
import type { Config } from "./config.ts";
import { createCredentials } from "./credentials.ts";
import { bindSurfaces, openApiText, surfacesOf } from "./endpoints.ts";
import { createLog, type Log } from "./log.ts";
import { createShardMetrics, type ShardMetrics } from "./metrics.ts";
import type { NodeProtocol } from "./node-protocol.ts";
import { createPatience } from "./patience.ts";
import { createStompMount } from "./stomp-mount.ts";

/** The address of the main thread, and of the shard that holds the embedded store. */
export const MAIN: Address = "main";
export const STORE_OWNER: Address = "shard-0";

/** Asks between threads that may be under way at once. */
export const ASKS_OUTSTANDING_MAX = 100_000;

const TICK_MS = 50;
const SWEEP_MS = 1_000;
const PAGE_TIMEOUT_MS = 8_000;

/** What the main thread gives a shard when it starts it. */
export interface ShardBoot {
  config: Config;
  address: Address;
  shards: Address[];
  ports: Map<Address, MessagePort>;
  clockShift: ClockShift;
  waiting: SharedArrayBuffer;
  rateLimits: RateLimitMemory[];
  /** One Int32, 1 while the embedded store is away: written by the shard that holds it, read by all. */
  storeAway: SharedArrayBuffer;
  /** Null for a node by itself. */
  cluster: ClusterBoot | null;
}

/** Composes a shard and serves what the main thread asks of it; runs in a worker thread. */
export function runShard(boot: ShardBoot): void {
  const { config, address, shards, ports } = boot;
  const clock = createClock(boot.clockShift);
  // How long threads and requests have to answer is a matter of this machine: a clock that is moved must not make them late.
  const machineClock = createClock(createClockShift());
  const log = createLog(config.logLevel, address, clock.monotonicMs);
  const threads = createThreadBus<NodeProtocol>({
    self: address,
    shards,
    ports,
    clock: machineClock,
    outstandingMax: ASKS_OUTSTANDING_MAX,
    onError: log.busFailed,
  });
  let store: EmbeddedKv | null = null;
  let running: Running | null = null;

  const { cluster } = boot;
  let clusterShards: readonly Address[] = cluster === null ? [] : [clusterAddress(cluster.incarnation, address)];
  const homes = createRendezvousHomes(cluster === null ? shards : clusterShards, weightName);
  threads.serve("cluster.view", ({ shards: live }) => {
    // The last node that leaves has nobody to hand over to, and still finishes what is under way.
    if (live.length === 0) return undefined;
    clusterShards = live;
    homes.update(live);
    return undefined;
  });
  threads.serve("cluster.lapsed", async () => {
    await running?.lapse();
    return undefined;
  });
  const writer = cluster === null ? null : connectRedis(cluster.redisUrl, (error) => log.cluster("redis", error));
  const bus: Bus<NodeProtocol> =
    cluster === null || writer === null
      ? threads
      : createClusterBus<NodeProtocol>({
          threads,
          incarnation: cluster.incarnation,
          write: createStreamWriter(writer, KEY_PREFIX),
          shards: () => clusterShards,
          clock: machineClock,
          redisNowMs: clock.redisNowMs,
          outstandingMax: ASKS_OUTSTANDING_MAX,
          onError: log.busFailed,
        });
  let redis: RedisKv | null = null;

  bus.serve("shard.open", async () => {
    if (cluster !== null) return { type: "opened" };
    try {
      store = await openEmbeddedKv({
        directory: `${config.dataDirectory}/state`,
        nowMs: clock.nowMs,
        mostlyAbsentPrefix: COMMANDS,
        onFailure: log.storeFailed,
      });
    } catch (error) {
      if (error instanceof DirectoryRefused) return { type: "refused", reason: error.message };
      throw error;
    }
    serveKv(store, bus);
    return { type: "opened" };
  });
  bus.serve("shard.start", async ({ administratorPasswordSha256 }) => {
    if (cluster !== null) redis = await openClusterKv(config, cluster.redisUrl, log);
    const kv = redis ?? store ?? createRemoteKv(bus, STORE_OWNER);
    const sweep = async () => (redis ?? store)?.sweep();
    const isAway = () => (redis === null ? store !== null && store.stats().state !== "open" : !redis.available());
    running = await start({ boot, clock, machineClock, log, bus, kv, store, homes, sweep, isAway, administratorPasswordSha256 });
    return undefined;
  });
  bus.serve("shard.rearm", async () => {
    await running?.rearm();
    return undefined;
  });
  bus.serve("shard.listen", async ({ port, exclusive }) => {
    if (running === null) throw new Error("the shard has not started");
    try {
      return { type: "listening", port: await running.server.listen(config.host, port, { exclusive }) };
    } catch (error) {
      return { type: "refused", reason: error instanceof Error ? error.message : String(error) };
    }
  });
  bus.serve("shard.metrics", async () => (running === null ? [] : running.metrics.collect()));
  bus.serve("shard.drain", async ({ deadlineMs }) => (running === null ? 0 : running.drain(deadlineMs)));
  bus.serve("shard.close", async () => {
    await running?.close();
    await store?.close();
    await redis?.close();
    writer?.disconnect();
    // After the answer has left.
    setTimeout(() => {
      threads.close();
      process.exit(0);
    }, 50);
    return undefined;
  });
}

interface Running {
  server: Server;
  rearm(): Promise<void>;
  /** The membership had lapsed: sockets are ended, and nothing in memory counts any more. */
  lapse(): Promise<void>;
  metrics: ShardMetrics;
  drain(deadlineMs: number): Promise<number>;
  close(): Promise<void>;
}

interface Parts {
  boot: ShardBoot;
  clock: ReturnType<typeof createClock>;
  machineClock: ReturnType<typeof createClock>;
  log: Log;
  bus: Bus<NodeProtocol>;
  kv: Kv;
  store: EmbeddedKv | null;
  homes: Homes;
  /** Removes what has expired, where this thread has a store of its own to see to. */
  sweep(): Promise<unknown>;
  /** Whether the store of this thread cannot be used now. */
  isAway(): boolean;
  administratorPasswordSha256: string;
}

async function start({
  boot,
  clock,
  machineClock,
  log,
  bus,
  kv,
  store,
  homes,
  sweep,
  isAway,
  administratorPasswordSha256,
}: Parts): Promise<Running> {
  const { config, address } = boot;
  const ids = { uuid: () => randomUUID() };
  // Unique among all writers that ever were: a restart within the same millisecond must not reuse an outbox key.
  const writer = `${address}-${randomBytes(4).toString("hex")}`;
  const retentionMs = Math.max(config.uuidRetentionDays, config.resultRetentionDays) * 86_400_000;
  const patterns = createPatternCompiler();

  const table = createPresenceTable(clock);
  const waiting = createWaitingCounters(boot.waiting);
  const gauges = {
    sessions: () => 0,
    actors: () => 0,
    waiters: () => 0,
    outstanding: () => ({ queued: 0, sent: 0 }),
    pendingRequests: () => 0,
    store: () => store?.stats() ?? null,
  };
  const metrics = createShardMetrics(address, gauges);
  let fed = false;
  const terminalStore = createTerminalStore({ kv, nowMs: clock.nowMs, retentionMs, writer });
  const shard = createShard({
    nodeId: config.nodeId,
    store: {
      ...terminalStore,
      commit: async (change) => {
        const outcome = await terminalStore.commit(change);
        if (change.rows.length > 0) fed = true;
        return outcome;
      },
    },
    presences: createPresenceStore(kv),
    table,
    waiting,
    clock,
    bus,
    homes,
    ...(boot.cluster === null ? {} : { nodeOf: nodeIdOf }),
    isOwnNode: (candidate) => incarnationOf(candidate) === incarnationOf(bus.self),
    failed: log.engineFailed,
    finished: metrics.commandFinished,
  });
  const { terminals, home } = shard;
  const patience = createPatience(terminals);

  const directory = createDirectory({
    store: createDirectoryStore(kv),
    patterns,
    bus,
    changed: () => {
      for (const terminalId of directory.deniedTerminals()) stomp.closeTerminal(terminalId);
      stomp.recheckWhitelist();
    },
  });
  await directory.load();
  const credentials = await createCredentials(config, administratorPasswordSha256, directory);
  const authenticator = createAuthenticator(credentials, clock.monotonicMs);
  const recordResult = createRecordResult({ terminals });
  const { mount, stomp } = createStompMount({
    anonymousAllowed: config.mode === "sandbox",
    serverName: "terminal-relay",
    sessions: shard.sessions,
    directory,
    authenticator,
    recordResult,
    clock,
    ids,
    onEvent: log.stomp,
  });

  const storeAway = new Int32Array(boot.storeAway);
  let draining = false;
  const surfaces = surfacesOf({ openTerminalLogs: config.openTerminalLogs });
  const openApi = openApiText(surfaces);
  const endpoints = bindSurfaces(surfaces, {
    sendPayment: createSendPayment({ terminals, clock, ids }),
    sendUtility: createSendUtility({ terminals, clock, ids }),
    recordResult,
    findTransaction: createFindTransaction({
      terminals: { ...terminals, ...patience.lookups },
      list: { page: (query) => bus.ask(MAIN, "node.transactions", query, PAGE_TIMEOUT_MS) },
    }),
    commandLife: createCommandLife({ terminals, ids }),
    terminals,
    logs: createTerminalLogStore(kv, writer),
    localTime: createLocalTime(config.timeZone),
    clock,
    directory,
    terminalPassword: (terminalId) => terminalPassword(config.terminalSecret, terminalId),
    notReadyBecause: () => {
      if (draining) return "draining";
      return Atomics.load(storeAway, 0) === 1 ? "the store is not available" : null;
    },
    metrics: () => bus.ask(MAIN, "node.metrics", undefined, PAGE_TIMEOUT_MS),
    ...docsOperations(() => openApi),
  });
  const buckets = new Map(boot.rateLimits.map((memory) => [memory.bucket, openRateLimit(memory, clock.monotonicMs)]));
  const server = createServer({
    endpoints,
    authenticator,
    rateLimit: (bucket) => {
      const limit = buckets.get(bucket);
      if (limit === undefined) throw new Error(`there is no rate limit named ${bucket}`);
      return limit;
    },
    clock: machineClock,
    ids,
    envelope: relayEnvelope,
    webSockets: [mount],
    trustedProxies: config.trustedProxies,
    ...(config.servicePrefix === null ? {} : { servicePrefix: config.servicePrefix }),
    ...(config.tls === null ? {} : { tls: config.tls }),
    observe: {
      answered: metrics.answered,
      aborted: metrics.aborted,
      rateLimitTableFull: (endpoint) => {
        metrics.rateLimitTableFull(endpoint);
        log.rateLimitTableFull(endpoint);
      },
      failed: log.requestFailed,
    },
  });
  gauges.sessions = () => home.counts().sessions;
  gauges.actors = () => home.counts().actors;
  gauges.waiters = () => home.counts().waiters;
  gauges.outstanding = () => home.counts();
  gauges.pendingRequests = () => server.pending();

  const timers = [
    setInterval(() => {
      shard.tick();
      stomp.tick();
      if (boot.cluster !== null || store !== null) Atomics.store(storeAway, 0, isAway() ? 1 : 0);
      if (fed) bus.tell(MAIN, "node.fed", undefined);
      fed = false;
    }, TICK_MS),
    setInterval(() => {
      sweep().catch(log.storeFailed);
    }, SWEEP_MS),
  ];

  return {
    server,
    metrics,
    rearm: shard.start,
    lapse: async () => {
      stomp.endAll("the node was away");
      await directory.load();
      await shard.lapse();
    },
    drain: async (deadlineMs) => {
      draining = true;
      patience.end();
      return server.drain(deadlineMs);
    },
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      server.close();
      await home.flush();
    },
  };
}
