import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Caller } from "../../../../engine/access/caller.ts";
import type { Address, Bus, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Ids } from "../../../../engine/kernel/ids.ts";
import { KeyedMutex } from "../../../../engine/kernel/keyed-mutex.ts";
import type { SecretBox } from "../../../../engine/kernel/secret-box.ts";
import type { Timers } from "../../../../engine/kernel/timers.ts";
import type { Partners } from "../../../../engine/partners/partners.ts";
import { createRecordStore, SERVICE_SETTINGS } from "../../../../engine/tables/record-store.ts";
import type { Tables } from "../../../../engine/tables/replicated-table.ts";
import {
  type AdministerZvt,
  configOver,
  createAdministerZvt,
  selectorsOf,
  type ZvtConnectionView,
  type ZvtNodeView,
} from "../../../../engine/zvt/administer-zvt.ts";
import type { RelayForZvt } from "../../../../engine/zvt/payment-run.ts";
import { createZvtPayments, type RunningZvtPayments } from "../../../../engine/zvt/payments.ts";
import { createRouteChanges } from "../../../../engine/zvt/route-changes.ts";
import { createZvtRouteStore } from "../../../../engine/zvt/route-store.ts";
import { type StoredZvtConfig, ZVT_DEFAULT, ZVT_KEY, type ZvtConfig } from "../../../../engine/zvt/zvt-config.ts";
import type { ZvtListenOptions, ZvtPayments, ZvtReports } from "../../../../engine/zvt/zvt-payments.ts";
import { compileAddressList, compileNetwork } from "../../../../http/auth/address-list.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import { startZvtListener, type ZvtListener } from "../../../../http/zvt/listener.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { NodeProtocol } from "../../boot/node-protocol.ts";
import { DEMO_PARTNER_USERNAME, SIMULATED_TERMINAL_ID } from "../../boot/sandbox-names.ts";
import { type ConnectedStore, STORE_OWNER } from "../../boot/shard-boot.ts";
import { VERSION } from "../../boot/version.ts";
import type { Log } from "../../observability/log.ts";
import type { ShardMetrics } from "../../observability/metrics.ts";

/** The list of connections omits a node that does not respond within this time. */
const NODE_MS = 1_500;

/** The reasons for closing that are rejections. */
const REFUSING: ReadonlySet<string> = new Set([
  "no_route",
  "not_zvt",
  "frame_too_large",
  "partial_frame",
  "wrong_passwords",
  "too_many_frames",
  "too_many_refusals",
  "gave_way",
]);

/**
 * The interval of checking routes. A block ends, and an unattended payment is followed, within this
 * time.
 */
const TEND_MS = 10_000;

export interface ZvtParts {
  config: Config;
  store: Pick<ConnectedStore, "kv" | "lostVersion">;
  tables: Tables;
  box: SecretBox;
  partners: Partners;
  relay: RelayForZvt;
  bus: Bus<NodeProtocol>;
  homes: Homes;
  /** Reads the live shards of all nodes, including draining ones. */
  liveShards(): Promise<readonly Address[]>;
  /** Null for a single node. */
  cluster: object | null;
  /** Unique among all writers. */
  writer: string;
  clock: Clock;
  timers: Timers;
  ids: Ids;
  log: Pick<Log, "zvt" | "zvtListening" | "zvtNotListening" | "engineFailed">;
  metrics: Pick<ShardMetrics, "gauge" | "zvt">;
}

export interface ComposedZvt {
  administerZvt: AdministerZvt;
  /** The stored state of registers' payments. */
  routes: ReturnType<typeof createZvtRouteStore>["all"];
  /** Loads nothing, and listens together with the shard. One thread of a node must run it. */
  listener(): Lifecycle;
}

/** In the sandbox, registers on this machine pay on the simulated terminal as the demo partner. */
const SANDBOX_DEFAULT: ZvtConfig = {
  ...ZVT_DEFAULT,
  enabled: true,
  routes: [
    {
      id: "sandbox",
      terminalId: SIMULATED_TERMINAL_ID,
      partnerUsername: DEMO_PARTNER_USERNAME,
      ...{ service: "PAYCC", port: null, clients: [], sealedPassword: null, tid: null },
    },
  ],
};

/**
 * Cash registers that use ZVT: the configuration on every shard, and the listener on the first
 * shard of each node.
 */
export function composeZvt(parts: ZvtParts): ComposedZvt {
  const { config, tables, box, partners, bus, homes, cluster, clock, timers, log } = parts;
  const defaults = config.mode === "sandbox" ? SANDBOX_DEFAULT : ZVT_DEFAULT;
  const settings = tables.administered(createRecordStore<StoredZvtConfig>(parts.store.kv, SERVICE_SETTINGS));
  const store = createZvtRouteStore(parts.store);

  /** Returns the first shard of each node, which has its listener. */
  function listenerShards(): string[] {
    return cluster === null ? [STORE_OWNER] : homes.shards().filter((address) => address.endsWith(`/${STORE_OWNER}`));
  }

  async function nodes(): Promise<ZvtNodeView[]> {
    const asked = listenerShards().map((address) => bus.request(address, "zvt.node", undefined, NODE_MS).catch(() => null));
    return (await Promise.all(asked)).filter((view) => view !== null);
  }

  const administerZvt = createAdministerZvt({
    ...{ settings, defaults, store, box, clock, nodes },
    changes: createRouteChanges({ store, mutex: new KeyedMutex(), timers, failed: log.engineFailed }),
    compileRange: compileNetwork,
    hasPartner: (username) => partners.byUsername(username) !== null,
    tls: { certificate: config.tls !== null, clientCa: config.tlsClientCaFile !== null },
    mayBindOutside: config.mode === "production",
  });

  return {
    administerZvt,
    routes: store.all,
    listener: () => listenerOf(parts, () => configOver(defaults, settings.get(ZVT_KEY)), store),
  };
}

function listenerOf(parts: ZvtParts, configured: () => ZvtConfig, store: ReturnType<typeof createZvtRouteStore>): Lifecycle {
  const { config, box, partners, relay, bus, homes, liveShards, cluster, writer, clock, timers, ids, log, metrics } = parts;
  const connections = new Map<string, ZvtConnectionView>();
  let payments: RunningZvtPayments | null = null;
  let listener: ZvtListener | null = null;
  /** The configuration when it started to listen. A change needs a restart. */
  let listensWith: Pick<ZvtConfig, "tls"> = { tls: "off" };
  let starting: Promise<void> = Promise.resolve();
  let problem: string | null = null;
  let tending = false;
  let tendAtMs = 0;

  metrics.gauge("relay_zvt_connections", "Connections of cash registers to this node.", () => connections.size);
  metrics.gauge(
    "relay_zvt_undelivered",
    "Approved payments whose result the cash register has not received, of all nodes.",
    () => payments?.counts().undelivered ?? 0,
  );
  metrics.gauge(
    "relay_zvt_unknown_holds",
    "Routes of cash registers that a payment with an unknown outcome blocks, of all nodes.",
    () => payments?.counts().unknownHolds ?? 0,
  );
  bus.handle("zvt.node", async () => {
    await starting;
    const ports = [...(listener?.ports ?? [])];
    return { listener: { nodeId: config.nodeId, ports, problem }, connections: [...connections.values()] };
  });

  function partnerCaller(username: string): Caller | null {
    const partner = partners.byUsername(username);
    if (partner === null || !partner.record.enabled) return null;
    return { type: "partner", partnerId: partner.record.id, username, terminals: partner.terminals };
  }

  function paymentsOf(zvt: ZvtConfig): RunningZvtPayments {
    return createZvtPayments({
      ...{ config: zvt, store, relay, partnerCaller, clock, timers, ids },
      selectors: selectorsOf(zvt, box, compileNetwork),
      self: { shard: bus.self, writer },
      // A draining shard is no home, and a new one may not be known here yet.
      isLive: async ({ shard }) =>
        cluster !== null && shard !== bus.self && (homes.shards().includes(shard) || (await liveShards()).includes(shard)),
      sha1: (bytes) => createHash("sha1").update(bytes).digest(),
      observe: {
        paymentEnded: (outcome, durationMs) => {
          metrics.zvt.paymentEnded(outcome, durationMs);
          log.zvt(zvt.loggingLevel, { type: "payment ended", outcome, durationMs });
        },
        reattached: metrics.zvt.reattached,
        failed: log.engineFailed,
      },
    });
  }

  function reportsOf({ loggingLevel }: ZvtConfig): ZvtReports {
    return {
      opened: ({ id, address }) => {
        connections.set(id, { nodeId: config.nodeId, routeId: null, address, sinceMs: clock.nowMs() });
        log.zvt(loggingLevel, { type: "connected", connection: id, address });
      },
      closed: ({ id, address }, routeId, reason, refusals) => {
        connections.delete(id);
        if (REFUSING.has(reason)) metrics.zvt.refused(reason);
        log.zvt(loggingLevel, { type: "closed", connection: id, address, routeId, reason, refusals });
      },
      frame: metrics.zvt.frame,
      refused: (reason, address) => {
        metrics.zvt.refused(reason);
        log.zvt(loggingLevel, { type: "refused", address, reason });
      },
      raw: ({ id }, direction, text) => log.zvt(loggingLevel, { type: "frame", connection: id, direction, text }),
    };
  }

  /**
   * Adds the data for a list of connections, and the configured port if this node listens on
   * another one.
   */
  function withRoutes(of: RunningZvtPayments, zvt: ZvtConfig): ZvtPayments {
    const ownPorts = new Set(zvt.routes.flatMap(({ port }) => (port === null ? [] : [port])));
    return {
      ...of,
      route: (connection, password) => {
        const port = ownPorts.has(connection.port) ? connection.port : zvt.port;
        const choice = of.route({ ...connection, port }, password);
        const known = connections.get(connection.id);
        if (choice.type === "route" && known !== undefined) connections.set(connection.id, { ...known, routeId: choice.route.routeId });
        return choice;
      },
    };
  }

  async function listenOptions(zvt: ZvtConfig): Promise<ZvtListenOptions> {
    const own = zvt.routes.flatMap(({ port }) => (port === null || port === zvt.port ? [] : [port]));
    return {
      host: zvt.bindHost,
      ports: [config.zvtPort ?? zvt.port, ...new Set(own)],
      maxConnections: zvt.maxConnections,
      routeIds: zvt.routes.map(({ id }) => id),
      allows: compileAddressList(zvt.allowedClients),
      isProxy: config.trustedProxies.length === 0 ? () => false : compileAddressList(config.trustedProxies),
      logRawBytes: zvt.logRawBytes,
      tls: await tlsOf(zvt, config),
    };
  }

  async function start(): Promise<void> {
    const zvt = configured();
    if (!zvt.enabled || zvt.routes.length === 0) return;
    try {
      payments = paymentsOf(zvt);
      const options = await listenOptions(zvt);
      const localTime = createLocalTime(config.timeZone);
      listener = await startZvtListener(options, {
        ...{ clock, timers, ids, version: VERSION, payments: withRoutes(payments, zvt), reports: reportsOf(zvt) },
        localTimeOf: (atMs) => {
          const [date = "", time = ""] = localTime.format(atMs).split("T");
          return { date: date.slice(5).replace("-", ""), time: time.slice(0, 8).replaceAll(":", "") };
        },
      });
      listensWith = zvt;
      log.zvtListening({ host: options.host, ports: listener.ports });
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      log.zvtNotListening(problem);
    }
  }

  async function tend(of: RunningZvtPayments): Promise<void> {
    tending = true;
    try {
      await of.tend();
    } catch (error) {
      log.engineFailed("zvt routes", error);
    } finally {
      tending = false;
      tendAtMs = clock.monotonicMs() + TEND_MS;
    }
  }

  return {
    listening: () => {
      starting = start();
    },
    everySecond: () => {
      if (payments !== null && !tending && clock.monotonicMs() >= tendAtMs) void tend(payments);
    },
    reload: async ({ config: next, certificatesChanged }) => {
      await starting;
      const tls = certificatesChanged && listener !== null ? await tlsOf(listensWith, next) : null;
      if (tls !== null) listener?.renewTls(tls);
    },
    drain: () => payments?.drain(),
    finish: async (withinMs) => {
      await starting;
      await listener?.stop(withinMs);
    },
    close: async () => {
      await starting;
      await listener?.stop(0);
    },
  };
}

async function tlsOf({ tls }: Pick<ZvtConfig, "tls">, config: Pick<Config, "tls" | "tlsClientCaFile">): Promise<ZvtListenOptions["tls"]> {
  if (tls === "off") return null;
  if (config.tls === null) throw new Error("RELAY_TLS_CERT and RELAY_TLS_KEY are not set");
  const [cert, key] = await Promise.all([readFile(config.tls.certFile, "utf8"), readFile(config.tls.keyFile, "utf8")]);
  if (tls === "on") return { cert, key, clientCa: null };
  if (config.tlsClientCaFile === null) throw new Error("RELAY_TLS_CLIENT_CA is not set");
  return { cert, key, clientCa: await readFile(config.tlsClientCaFile, "utf8") };
}
