import { RelayError } from "../kernel/errors.ts";
import { isTerminalId } from "../kernel/identifiers.ts";
import { holdsSchemePan } from "../kernel/mask.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { AdministeredRecords } from "../tables/replicated-table.ts";
import type { CompileRange } from "./address-range.ts";
import type { RouteChanges } from "./route-changes.ts";
import { withoutOpen, type ZvtLastOutcome, type ZvtOpen } from "./route-record.ts";
import { conflictOf, type RouteSelector } from "./route-selection.ts";
import type { ZvtRouteStore } from "./route-store.ts";
import {
  type StoredZvtConfig,
  tidOf,
  ZVT_KEY,
  ZVT_NETWORKS_MAX,
  ZVT_ROUTES_MAX,
  type ZvtConfig,
  type ZvtRouteConfig,
  type ZvtService,
  zvtConfigOf,
  zvtPasswordPlace,
} from "./zvt-config.ts";

/** A route as an administrator writes it. `password` left out: the one that the route has; null: none. */
export interface ZvtRouteChange {
  id: string;
  terminalId: string;
  partnerUsername: string;
  service?: ZvtService;
  port?: number | null;
  clients?: readonly string[];
  password?: string | null;
  tid?: string | null;
}

/** What is left out stays. */
export type ZvtConfigChange = Partial<Omit<ZvtConfig, "routes">> & { routes?: readonly ZvtRouteChange[] };

/** A socket of a register, of any node. */
export interface ZvtConnectionView {
  nodeId: string;
  /** Null until a password has told. */
  routeId: string | null;
  address: string;
  sinceMs: number;
}

/** What a node listens on. `problem`: why it does not, in a sentence. */
export interface ZvtListenerView {
  nodeId: string;
  ports: readonly number[];
  problem: string | null;
}

export interface ZvtNodeView {
  listener: ZvtListenerView;
  connections: readonly ZvtConnectionView[];
}

export interface ZvtRouteView {
  id: string;
  terminalId: string;
  partnerUsername: string;
  connections: readonly ZvtConnectionView[];
  /** `paying`: it runs. `undelivered`: its result waits for the register. `unknown`: the route is held for this amount. */
  open: (Pick<ZvtOpen, "uuid" | "amountCents" | "acceptedAtMs" | "endedAtMs"> & { state: "paying" | "undelivered" | "unknown" }) | null;
  lastOutcome: ZvtLastOutcome | null;
}

export type ReleaseOutcome = { type: "released"; uuid: string } | { type: "nothing_held" } | { type: "not_found" };

/** The ZVT listener, as administrators configure it and see it. Rejects with RelayError `unavailable` where the store cannot answer. */
export interface AdministerZvt {
  config(): { config: ZvtConfig; stored: boolean };
  /** Checks and stores it; a restart applies it. Rejects with RelayError `invalid_request` naming the member, never quoting a password. */
  save(change: ZvtConfigChange): Promise<ZvtConfig>;
  routes(): Promise<{ listeners: readonly ZvtListenerView[]; routes: readonly ZvtRouteView[] }>;
  /** Gives a route free that an unknown outcome holds: the same amount is a new sale from then on. */
  release(routeId: string): Promise<ReleaseOutcome>;
}

export interface AdministerZvtOptions {
  settings: Pick<AdministeredRecords<StoredZvtConfig>, "get" | "change">;
  /** What applies while nothing is stored. */
  defaults: ZvtConfig;
  store: ZvtRouteStore;
  changes: RouteChanges;
  box: SecretBox;
  clock: { nowMs(): number };
  compileRange: CompileRange;
  hasPartner(username: string): boolean;
  /** Certificates of this node; `clientCa`: of those who sign the registers'. */
  tls: { certificate: boolean; clientCa: boolean };
  /** False in the sandbox, which listens for this machine alone. */
  mayBindOutside: boolean;
  nodes(): Promise<readonly ZvtNodeView[]>;
}

const LOOPBACK = ["127.0.0.0/8", "::1/128"];

/** What is stored, over what applies where nothing is. */
export function configOver(defaults: ZvtConfig, stored: StoredZvtConfig | undefined): ZvtConfig {
  return stored === undefined ? defaults : zvtConfigOf(stored);
}

/** What selects each route. Throws RelayError `invalid_request` for a network that is none. */
export function selectorsOf(
  { port, routes }: Pick<ZvtConfig, "port" | "routes">,
  box: SecretBox,
  compileRange: CompileRange,
): RouteSelector[] {
  return routes.map((route) => ({
    id: route.id,
    tid: tidOf(route),
    port: route.port ?? port,
    ranges: route.clients.map(compileRange),
    password: route.sealedPassword === null ? null : box.open(route.sealedPassword, zvtPasswordPlace(route.id)),
  }));
}

export function createAdministerZvt(options: AdministerZvtOptions): AdministerZvt {
  const { settings, defaults, store, changes, box, clock, compileRange, hasPartner, tls, mayBindOutside, nodes } = options;

  function routeOf(change: ZvtRouteChange, before: readonly ZvtRouteConfig[]): ZvtRouteConfig {
    const { id, terminalId, partnerUsername, service = "PAYCC", port = null, clients = [], password, tid = null } = change;
    const kept = before.find((route) => route.id === id)?.sealedPassword ?? null;
    const sealed = password === undefined || password === null ? null : box.seal(password, zvtPasswordPlace(id));
    return { id, terminalId, partnerUsername, service, port, clients, sealedPassword: password === undefined ? kept : sealed, tid };
  }

  function merged(before: ZvtConfig, { routes, ...change }: ZvtConfigChange): ZvtConfig {
    const config = { ...before, ...change };
    return routes === undefined ? config : { ...config, routes: routes.map((route) => routeOf(route, before.routes)) };
  }

  function check(config: ZvtConfig): void {
    checkRoutes(config);
    checkListener(config);
    inMember("allowedClients", () => config.allowedClients.forEach(compileRange));
    const conflict = inMember("routes", () => conflictOf(selectorsOf(config, box, compileRange)));
    if (conflict !== null) {
      const [one, other] = conflict;
      refuse(`routes: ${one} and ${other} cannot be distinguished by port, network and password`);
    }
  }

  function checkRoutes({ routes }: ZvtConfig): void {
    if (routes.length > ZVT_ROUTES_MAX) refuse(`routes: may have at most ${ZVT_ROUTES_MAX} items`);
    const ids = new Set<string>();
    for (const [index, { id, terminalId, partnerUsername, clients }] of routes.entries()) {
      if (ids.has(id)) refuse(`routes.${index}.id: is already used by another route`);
      ids.add(id);
      // Logs, metrics and the store have it.
      if (holdsSchemePan(id)) refuse(`routes.${index}.id: must not be a card number`);
      if (!isTerminalId(terminalId)) refuse(`routes.${index}.terminalId: is not a terminal id`);
      if (!hasPartner(partnerUsername)) refuse(`routes.${index}.partnerUsername: no partner has this name`);
      if (clients.length > ZVT_NETWORKS_MAX) refuse(`routes.${index}.clients: may have at most ${ZVT_NETWORKS_MAX} items`);
      inMember(`routes.${index}.clients`, () => clients.forEach(compileRange));
    }
  }

  function checkListener({ bindHost, allowedClients, tls: word }: ZvtConfig): void {
    if (bindHost.includes("/")) refuse("bindHost: must be an address");
    inMember("bindHost", () => compileRange(bindHost));
    const isLoopback = LOOPBACK.some((network) => compileRange(network).contains(bindHost));
    if (!isLoopback && !mayBindOutside) refuse("bindHost: must be a loopback address in the sandbox");
    if (!isLoopback && allowedClients.length === 0) refuse("allowedClients: is required if bindHost is not a loopback address");
    if (word !== "off" && !tls.certificate) refuse("tls: RELAY_TLS_CERT and RELAY_TLS_KEY are not set");
    if (word === "mutual" && !tls.clientCa) refuse("tls: RELAY_TLS_CLIENT_CA is not set");
  }

  function viewOf(
    { id, terminalId, partnerUsername }: ZvtRouteConfig,
    open: ZvtOpen | null,
  ): Omit<ZvtRouteView, "connections" | "lastOutcome"> {
    if (open === null || open.delivered) return { id, terminalId, partnerUsername, open: null };
    const { uuid, amountCents, acceptedAtMs, endedAtMs, outcome } = open;
    const state = outcome === null ? "paying" : outcome.type === "unknown" ? "unknown" : "undelivered";
    return { id, terminalId, partnerUsername, open: { uuid, amountCents, acceptedAtMs, endedAtMs, state } };
  }

  return {
    config: () => {
      const stored = settings.get(ZVT_KEY);
      return { config: configOver(defaults, stored), stored: stored !== undefined };
    },
    save: async (change) => {
      const stored = await settings.change(ZVT_KEY, (before) => {
        const config = merged(configOver(defaults, before), change);
        check(config);
        return { ...config, schema: 1, updatedAtMs: clock.nowMs() };
      });
      return configOver(defaults, stored);
    },
    routes: async () => {
      const { routes } = configOver(defaults, settings.get(ZVT_KEY));
      const [views, records] = await Promise.all([nodes(), store.all()]);
      const connections = views.flatMap((view) => view.connections);
      const byId = new Map(records.map(({ routeId, record }) => [routeId, record]));
      return {
        listeners: views.map(({ listener }) => listener),
        routes: routes.map((route) => ({
          ...viewOf(route, byId.get(route.id)?.open ?? null),
          connections: connections.filter(({ routeId }) => routeId === route.id),
          lastOutcome: byId.get(route.id)?.lastOutcome ?? null,
        })),
      };
    },
    release: (routeId) =>
      changes.change<ReleaseOutcome>(routeId, (stored) => {
        const isConfigured = configOver(defaults, settings.get(ZVT_KEY)).routes.some(({ id }) => id === routeId);
        if (stored === null) return { change: null, result: { type: isConfigured ? "nothing_held" : "not_found" } };
        const { record } = stored;
        if (record.open?.outcome?.type !== "unknown") return { change: null, result: { type: "nothing_held" } };
        return { change: { record: withoutOpen(record) }, result: { type: "released", uuid: record.open.uuid } };
      }),
  };
}

function refuse(message: string): never {
  throw new RelayError("invalid_request", message);
}

/** What is wrong within a member is said with its name. */
function inMember<T>(member: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RelayError && error.code === "invalid_request") refuse(`${member}: ${error.message}`);
    throw error;
  }
}
