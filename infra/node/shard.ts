import { randomBytes, randomUUID } from "node:crypto";
import type { MessagePort } from "node:worker_threads";
import { createCheckGateway } from "../../engine/operations/check-gateway.ts";
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
import { createSpread } from "../../engine/runtime/spread.ts";
import { createTables } from "../../engine/runtime/tables.ts";
import { createShard } from "../../engine/runtime/terminals.ts";
import { createWaitingCounters } from "../../engine/runtime/waiting-counters.ts";
import { createAuthenticator } from "../../http/auth/authenticator.ts";
import { createPatternCompiler } from "../../http/auth/pattern.ts";
import type { RateLimitMemory } from "../../http/auth/rate-limiter.ts";
import { terminalPassword } from "../../http/auth/terminal-password.ts";
import { createServer, type Server } from "../../http/server/server.ts";
import { ADAPTER_BASE } from "../../http/surfaces/gateway-adapter/endpoints.ts";
import { adapterEnvelope } from "../../http/surfaces/gateway-adapter/surface.ts";
import { createLocalTime } from "../../http/surfaces/local-time.ts";
import { partnerApiEnvelope } from "../../http/surfaces/partner-v1/error-body.ts";
import { PARTNER_API_BASE } from "../../http/surfaces/partner-v1/surface.ts";
import { relayEnvelope } from "../../http/surfaces/relay-envelope.ts";
import { docsOperations } from "../../http/web/docs-endpoints.ts";
import { type ClusterBus, clusterAddress, createClusterBus, incarnationOf } from "../../storage/bus/cluster/cluster-bus.ts";
import { connectRedis } from "../../storage/bus/cluster/redis-connection.ts";
import { SharedWindows } from "../../storage/bus/cluster/shared-windows.ts";
import { createStreamWriter } from "../../storage/bus/cluster/stream-reader.ts";
import { createThreadBus } from "../../storage/bus/thread-bus.ts";
import { type EmbeddedKv, openEmbeddedKv } from "../../storage/kv/embedded.ts";
import { DirectoryRefused } from "../../storage/kv/embedded-directory.ts";
import type { Kv } from "../../storage/kv/kv.ts";
import type { RedisKv } from "../../storage/kv/redis.ts";
import { createRemoteKv, serveKv } from "../../storage/kv/remote.ts";
import { callbackOperations } from "../../storage/stores/callback-store.ts";
import { createDirectoryStore } from "../../storage/stores/directory-store.ts";
import { createPresenceStore } from "../../storage/stores/presence-store.ts";
import { createReceiptCleaner } from "../../storage/stores/receipt-cleaner.ts";
import { createTableStamps } from "../../storage/stores/table-stamps.ts";
import { createTerminalLogStore } from "../../storage/stores/terminal-log-store.ts";
import { COMMANDS, createTerminalStore } from "../../storage/stores/terminal-store.ts";
import { composeAdapter } from "./adapter.ts";
import { composeAdministration } from "./administration.ts";
import { composeApps } from "./apps.ts";
import { createCardGateway } from "./card-gateway.ts";
import { type ClockShift, createClock, createClockShift } from "./clock.ts";
import { type ClusterBoot, KEY_PREFIX, nodeIdOf, openClusterKv, weightName } from "./cluster.ts";
import { createClusterNodes, type ShardReport, sumOf } from "./cluster-nodes.ts";
import type { Config } from "./config.ts";
import { createCredentials } from "./credentials.ts";
import { bindSurfaces, openApiText, surfacesOf } from "./endpoints.ts";
import { createIdempotency } from "./idempotency.ts";
import { holdsLease, leasedAuthenticator } from "./lease.ts";
import { composeLinks } from "./links.ts";
import { createLog, type Log } from "./log.ts";
import { createShardMetrics, type ShardMetrics } from "./metrics.ts";
import type { NodeProtocol } from "./node-protocol.ts";
import { composeOverview, countStates } from "./overview.ts";
import { composePartnerApi } from "./partner-api.ts";
import { createPatience } from "./patience.ts";
import { createRateLimits, type OtherNodes } from "./rate-limits.ts";
import { createStompMount } from "./stomp-mount.ts";

/** The address of the main thread, and of the shard that holds the embedded store. */
export const MAIN: Address = "main";
export const STORE_OWNER: Address = "shard-0";

/** Asks between threads that may be under way at once. */
export const ASKS_OUTSTANDING_MAX = 100_000;

const TICK_MS = 50;
const SWEEP_MS = 1_000;
const PAGE_TIMEOUT_MS = 8_000;
const LOOK_TIMEOUT_MS = 2_000;

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
  let liveNodes = 1;
  const homes = createRendezvousHomes(cluster === null ? shards : clusterShards, weightName);
  let known: readonly Address[] = clusterShards;
  threads.serve("cluster.view", ({ shards: live, draining }) => {
    const before = known;
    known = [...live, ...draining];
    liveNodes = new Set(known.map(incarnationOf)).size;
    // The last node that leaves has nobody to hand over to, and still finishes what is under way.
    if (live.length > 0) {
      clusterShards = live;
      homes.update(live);
    }
    // After the homes: who asked a node that is gone asks the one that is home now.
    const gone = before.filter((shard) => !known.includes(shard));
    clusterBus?.left(gone);
    running?.left(gone);
    return undefined;
  });
  threads.serve("cluster.lapsed", async () => {
    await running?.lapse();
    return undefined;
  });
  const writer = cluster === null ? null : connectRedis(cluster.redisUrl, (error) => log.cluster("redis", error));
  const others: OtherNodes | null = writer === null ? null : { windows: new SharedWindows(writer, KEY_PREFIX), count: () => liveNodes };
  const clusterBus: ClusterBus<NodeProtocol> | null =
    cluster === null || writer === null
      ? null
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
  const bus: Bus<NodeProtocol> = clusterBus ?? threads;
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
    if (config.cluster !== null) redis = await openClusterKv(config, config.cluster, log, () => running?.historyLost());
    const kv = redis ?? store ?? createRemoteKv(bus, STORE_OWNER);
    const sweep = async () => (redis ?? store)?.sweep();
    const isAway = () => (redis === null ? store !== null && store.stats().state !== "open" : !redis.available());
    const lostVersion = () => redis?.lostVersion() ?? 0;
    running = await start({
      boot,
      clock,
      machineClock,
      log,
      bus,
      kv,
      store,
      lostVersion,
      others,
      homes,
      sweep,
      isAway,
      administratorPasswordSha256,
    });
    return undefined;
  });
  bus.serve("shard.rearm", async () => {
    await running?.rearm();
    return undefined;
  });
  bus.serve("shard.listen", async ({ port, exclusive }) => {
    if (running === null) throw new Error("the shard has not started");
    try {
      const taken = await running.server.listen(config.host, port, { exclusive });
      running.listening(taken);
      return { type: "listening", port: taken };
    } catch (error) {
      return { type: "refused", reason: error instanceof Error ? error.message : String(error) };
    }
  });
  bus.serve("shard.metrics", async () => (running === null ? [] : running.metrics.collect()));
  bus.serve("shard.report", () => running?.report() ?? sumOf([]));
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
  listening(port: number): void;
  rearm(): Promise<void>;
  /** The membership had lapsed: sockets are ended, and nothing in memory counts any more. */
  lapse(): Promise<void>;
  historyLost(): void;
  /** These shards of other nodes are gone, and their sockets with them. */
  left(shards: readonly Address[]): void;
  report(): ShardReport;
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
  lostVersion(): number;
  /** Null for a node by itself. */
  others: OtherNodes | null;
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
  lostVersion,
  others,
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
  const presences = createPresenceStore(kv);
  const waiting = createWaitingCounters(boot.waiting);
  const gauges = {
    sessions: () => 0,
    actors: () => 0,
    waiters: () => 0,
    outstanding: () => ({ queued: 0, sent: 0 }),
    pendingRequests: () => 0,
    linksDue: () => 0,
    store: () => store?.stats() ?? null,
  };
  const metrics = createShardMetrics(address, gauges);
  let fed = false;
  let conflicts = 0;
  const terminalStore = createTerminalStore({ kv, nowMs: clock.nowMs, retentionMs, lostVersion, writer });
  const shard = createShard({
    nodeId: config.nodeId,
    store: {
      ...terminalStore,
      commit: async (change) => {
        const outcome = await terminalStore.commit(change);
        if (change.rows.length > 0) fed = true;
        if (outcome.type === "stale") {
          conflicts += 1;
          metrics.commitConflict();
        }
        return outcome;
      },
    },
    presences,
    table,
    waiting,
    clock,
    bus,
    homes,
    ...(boot.cluster === null ? {} : { nodeOf: nodeIdOf }),
    isOwnNode: (candidate) => incarnationOf(candidate) === incarnationOf(bus.self),
    failed: log.engineFailed,
    recorded: ({ method, status, createdAtMs }) => overview.counter.count(method, status, createdAtMs),
    merchantOf: (terminalId) => administration.cloudConfigs.get(terminalId)?.merchantId ?? null,
    finished: (state, kind) => {
      metrics.commandFinished(state, kind);
      overview.commandFinished(state);
    },
  });
  const { terminals, home } = shard;
  const patience = createPatience(terminals);
  const overview = composeOverview({
    config,
    kv,
    bus,
    homes,
    clock,
    presences,
    mainAddress: MAIN,
    counts: () => {
      const { queued, sent } = home.counts();
      return { ...table.counts(), queued, sent };
    },
    deployments: () => countStates(apps.operations.appCatalog.deployments()),
    failed: log.engineFailed,
  });

  const spread = createSpread({
    bus,
    stamps: createTableStamps(kv),
    clock: machineClock,
    liveShards: async () => (boot.cluster === null ? bus.shards : bus.ask(MAIN, "cluster.look", undefined, LOOK_TIMEOUT_MS)),
    failed: log.engineFailed,
  });
  const directory = createDirectory({
    store: createDirectoryStore(kv),
    patterns,
    spread,
    manages: (identity, target) => administration.terminalGroups.managedBy(identity)?.has(target) === true,
    changed: () => {
      for (const terminalId of directory.deniedTerminals()) stomp.closeTerminal(terminalId);
      stomp.recheckWhitelist();
    },
  });
  // Sessions are there once all tables are.
  let loaded = false;
  const cardGateway = createCardGateway(config, log);
  const tables = createTables(spread);
  const administration = composeAdministration({
    config,
    kv,
    tables,
    patterns,
    clock,
    ids,
    terminals,
    writer,
    failed: log.engineFailed,
    groupsChanged: () => {
      if (loaded) stomp.recheckWhitelist();
    },
    partnerOfMerchant: (merchantId) => partnerApi.partnerOfMerchant(merchantId),
  });
  const partnerApi = composePartnerApi({ kv, tables, clock, ...administration });
  const apps = await composeApps({
    config,
    kv,
    spread,
    terminals,
    merchants: { merchantOf: (terminalId) => administration.cloudConfigs.get(terminalId)?.merchantId ?? null },
    clock,
    ids,
    writer,
    failed: log.engineFailed,
  });
  await Promise.all([directory.load(), tables.load(), apps.load()]);
  loaded = true;
  const credentials = createCredentials(config, administratorPasswordSha256, directory, administration);
  const unleased = createAuthenticator(credentials, clock.monotonicMs, partnerApi.credentials);
  const authenticator = boot.cluster === null ? unleased : leasedAuthenticator(unleased, boot.cluster.lease, machineClock.monotonicMs);
  const lease = boot.cluster?.lease ?? null;
  const adapter = composeAdapter({
    config,
    kv,
    clock,
    machineClock,
    partners: administration.partners,
    box: administration.box,
    lease,
    log,
  });
  // One thread of the node sends what is owed.
  const callbackSender = address === STORE_OWNER ? adapter.sender() : null;
  const recordResult = createRecordResult({ terminals });
  const { mount, stomp } = createStompMount({
    anonymousAllowed: config.mode === "sandbox",
    serverName: "terminal-relay",
    sessions: shard.sessions,
    directory,
    greeting: administration.configureTerminal.greeting,
    authenticator,
    recordResult,
    clock,
    ids,
    onEvent: log.stomp,
  });

  const configuredFamily = (terminalId: string) => administration.cloudConfigs.get(terminalId)?.family ?? null;
  const storeAway = new Int32Array(boot.storeAway);
  let draining = false;
  const surfaces = surfacesOf(config);
  const openApi = openApiText(surfaces);
  const once = createIdempotency({ kv, clock, ids, secretBox: administration.box, failed: log.engineFailed });
  const links = composeLinks({
    config,
    kv,
    bus,
    homes,
    clock,
    gateway: cardGateway,
    accounts: administration.gatewayAccounts,
    retentionMs,
    writer,
    alongside: [callbackOperations],
    fed: () => {
      fed = true;
    },
    verified: metrics.linkVerified,
    ended: (state) => {
      overview.linkEnded(state);
      metrics.linkEnded(state);
    },
    failed: log.engineFailed,
  });
  gauges.linksDue = () => links.due();
  const endpoints = bindSurfaces(surfaces, {
    ...links.operations,
    sendPayment: createSendPayment({ terminals, clock, ids, configuredFamily }),
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
    ...administration,
    callbacks: adapter.callbacks,
    adapterMerchantOf: adapter.merchantOf,
    receiptCleaner: createReceiptCleaner({ kv, monotonicMs: machineClock.monotonicMs, retentionMs }),
    overview: overview.overview,
    checkGateway: createCheckGateway({ gateway: cardGateway, ids }),
    ...apps.operations,
    ...partnerApi.operations,
    notReadyBecause: () => {
      if (draining) return "draining";
      if (boot.cluster !== null && !holdsLease(boot.cluster.lease, machineClock.monotonicMs)) return "cut off from the other nodes";
      return Atomics.load(storeAway, 0) === 1 ? "the store is not available" : null;
    },
    clusterNodes: createClusterNodes(bus, MAIN),
    metrics: () => bus.ask(MAIN, "node.metrics", undefined, PAGE_TIMEOUT_MS),
    ...docsOperations(() => openApi),
  }).map(once);
  const server = createServer({
    endpoints,
    authenticator,
    signatures: adapter.signatures,
    rateLimit: createRateLimits(boot.rateLimits, clock.monotonicMs, others),
    clock: machineClock,
    ids,
    envelope: relayEnvelope,
    envelopes: [
      { under: PARTNER_API_BASE, envelope: partnerApiEnvelope },
      { under: `${config.adapterContextPath}${ADAPTER_BASE}`, envelope: adapterEnvelope },
    ],
    webSockets: [mount],
    limits: { fileBytesPerSecond: config.downloadBytesPerSecond / boot.shards.length },
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
      links.tick();
      overview.counter.tick();
      spread.tick();
      callbackSender?.tick();
      stomp.tick();
      if (boot.cluster !== null || store !== null) Atomics.store(storeAway, 0, isAway() ? 1 : 0);
      if (fed) bus.tell(MAIN, "node.fed", undefined);
      fed = false;
    }, TICK_MS),
    setInterval(() => {
      sweep().catch(log.storeFailed);
      partnerApi.flush().catch((error: unknown) => log.engineFailed("partner calls", error));
    }, SWEEP_MS),
  ];

  return {
    server,
    listening: (port) => {
      apps.listening(port);
      links.listening(port);
    },
    metrics,
    rearm: async () => {
      // Changes made before this node was a member were not told to it.
      await spread.load();
      if (address === STORE_OWNER) await apps.tidy();
      await shard.start();
    },
    lapse: async () => {
      stomp.endAll("the node was away");
      await spread.load();
      await shard.lapse();
    },
    left: home.leave,
    report: () => {
      const { actors, sessions, queued, sent } = home.counts();
      return { terminals: actors, sessions, commandsQueued: queued, commandsSent: sent, conflicts };
    },
    historyLost: () => {
      shard.historyLost().catch((error: unknown) => log.engineFailed("history", error));
    },
    drain: async (deadlineMs) => {
      draining = true;
      patience.end();
      links.pause();
      // Not waited for longer than requests are: what is cut off is sent again by whoever comes next.
      callbackSender?.stop().catch((error: unknown) => log.engineFailed("callbacks", error));
      return server.drain(deadlineMs);
    },
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      server.close();
      await links.stop();
      cardGateway.close();
      await home.flush();
      await overview.counter.flush().catch((error: unknown) => log.engineFailed("result counts", error));
      await partnerApi.flush().catch((error: unknown) => log.engineFailed("partner calls", error));
    },
  };
}
