import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { IDENTIFIER_LENGTH_MAX } from "../../../engine/kernel/limits.ts";
import type { ZvtConnectionView, ZvtRouteView } from "../../../engine/zvt/administer-zvt.ts";
import {
  ZVT_DEFAULT,
  ZVT_NETWORKS_MAX,
  ZVT_ROUTES_MAX,
  ZVT_SERVICES,
  ZVT_TLS_WORDS,
  type ZvtConfig,
} from "../../../engine/zvt/zvt-config.ts";
import { iso, isoOrNull } from "../../endpoint/time.ts";
import { ReadOnly } from "../../endpoint/unknown-members.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { admin } from "./surface.ts";

const Level = Type.Union([Type.Literal("DEBUG"), Type.Literal("INFO"), Type.Literal("WARN"), Type.Literal("ERROR")], { title: "LogLevel" });

const Port = Type.Integer({ minimum: 1, maximum: 65_535 });
const orNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) => Type.Union([schema, Type.Null()]);

const RouteId = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: "^[A-Za-z0-9._-]+$",
  errorMessage: "must be 1 to 64 letters, digits, dots, underscores or dashes",
});

/** A network, as a text: the longest are those of IPv6 with all digits. */
const Networks = Type.Array(Type.String({ minLength: 1, maxLength: 49 }), { maxItems: ZVT_NETWORKS_MAX });

const route = {
  id: RouteId,
  terminalId: Type.String({ minLength: 1, maxLength: IDENTIFIER_LENGTH_MAX, description: "The terminal on which its registers pay." }),
  partnerUsername: Type.String({
    minLength: 1,
    maxLength: 128,
    description: "The partner that pays; it is looked up at each payment, and has to be enabled and permitted to send to the terminal.",
  }),
};

const service = Type.Union(
  ZVT_SERVICES.map((word) => Type.Literal(word)),
  { default: "PAYCC" },
);

const Route = Type.Object(
  {
    ...route,
    service: Type.String(),
    port: orNull(Type.Integer()),
    clients: Type.Array(Type.String()),
    hasPassword: Type.Boolean(),
    tid: orNull(Type.String()),
  },
  { title: "ZvtRoute" },
);

const RouteRequest = Type.Object(
  {
    ...route,
    service: Type.Optional(service),
    port: Type.Optional(orNull(Type.Integer({ minimum: 1, maximum: 65_535, description: "A port of its own; null: the listener's." }))),
    clients: Type.Optional(Networks),
    password: Type.Optional(
      orNull(
        Type.String({
          pattern: "^[0-9]{6}$",
          description:
            "The password of the register's 06-00. It selects the route among several, and secures nothing. Left out: the route keeps the one that it has. Null: none.",
        }),
      ),
    ),
    tid: Type.Optional(
      orNull(
        Type.String({
          pattern: "^[0-9]{8}$",
          description: "The terminal's number that registers get; null: made of the terminal id.",
        }),
      ),
    ),
    hasPassword: ReadOnly,
  },
  { title: "ZvtRouteRequest", additionalProperties: false },
);

const members = {
  enabled: Type.Boolean({ description: "Without routes nothing is listened on." }),
  port: Port,
  timeoutSeconds: Type.Integer({
    minimum: 1,
    maximum: 3_600,
    description:
      "From accepting a payment until the relay asks the terminal to cancel it; at most 150 for registers without intermediate status.",
  }),
  maxConnections: Type.Integer({ minimum: 1, maximum: 10_000, description: "Of each node." }),
  loggingLevel: Level,
  logRawBytes: Type.Boolean({ description: "Logs frames as they were parsed, card data and passwords blanked." }),
  bindHost: Type.String({ minLength: 2, maxLength: 45, description: "The address to listen on." }),
  allowedClients: Type.Array(Type.String({ minLength: 1, maxLength: 49 }), {
    maxItems: ZVT_NETWORKS_MAX,
    description: "Networks (CIDR) that may connect; required where bindHost is not a loopback address.",
  }),
  tls: Type.Union(
    ZVT_TLS_WORDS.map((word) => Type.Literal(word)),
    { title: "ZvtTls", description: "mutual: registers have to show a certificate that RELAY_TLS_CLIENT_CA has signed." },
  ),
  reattachSeconds: Type.Integer({
    minimum: 1,
    maximum: 600,
    description: "How long after a result, or after the end of the connection, the same amount again is the same sale and is not charged.",
  }),
  disconnectGraceSeconds: Type.Integer({
    minimum: 0,
    maximum: 600,
    description: "How long after the end of the connection a payment is cancelled.",
  }),
};

const Shown = Type.Object(
  {
    ...members,
    routes: Type.Array(Route),
    stored: Type.Boolean({ description: "False while nothing is stored and the defaults apply." }),
    restartRequired: Type.Boolean({ description: "A restart applies the stored configuration." }),
    message: Type.String(),
  },
  { title: "ZvtConfiguration" },
);

const MESSAGE = "A restart is required to apply the configuration.";

function shown(config: ZvtConfig, stored: boolean): Static<typeof Shown> {
  const routes = config.routes.map(({ sealedPassword, clients, ...rest }) => ({
    ...rest,
    clients: [...clients],
    hasPassword: sealedPassword !== null,
  }));
  return { ...config, allowedClients: [...config.allowedClients], routes, stored, restartRequired: true, message: MESSAGE };
}

const exampleRoute = { id: "till-1", terminalId: "SIM00001", partnerUsername: "shop", clients: ["10.1.2.0/24"] };

const example = {
  status: "ok",
  data: {
    ...ZVT_DEFAULT,
    enabled: true,
    routes: [{ ...exampleRoute, service: "PAYCC", port: null, hasPassword: false, tid: null }],
    ...{ stored: true, restartRequired: true, message: MESSAGE },
  },
};

const showZvtConfig = admin.endpoint({
  name: "showZvtConfig",
  method: "GET",
  path: "/admin/zvt/config",
  summary: "Get the ZVT configuration",
  description: "Cash registers that speak ZVT over TCP pay on a terminal of the relay. Passwords of routes are not shown.",
  auth: "admin",
  role: "read-only",
  responses: { 200: { description: "The stored configuration, or the defaults.", body: okBody(Shown), example }, ...admin.errors(401) },
  handle: ({ administerZvt }) => {
    const { config, stored } = administerZvt.config();
    return { status: 200 as const, body: { status: "ok" as const, data: shown(config, stored) } };
  },
});

/** As many routes as there may be, each with some networks. */
const CONFIG_BODY_BYTES_MAX = 262_144;

const saveZvtConfig = admin.endpoint({
  name: "saveZvtConfig",
  method: "POST",
  path: "/admin/zvt/config",
  summary: "Set the ZVT configuration",
  description:
    "Members that are left out keep their values; unknown members are ignored. `routes` replaces all routes. Routes that a register could not tell apart by port, network and password are refused. A restart of each node applies it.",
  auth: "admin",
  role: "operator",
  machine: "terminals",
  bodyBytesMax: CONFIG_BODY_BYTES_MAX,
  body: Type.Partial(Type.Object({ ...members, routes: Type.Array(RouteRequest, { maxItems: ZVT_ROUTES_MAX }) })),
  bodyExample: { enabled: true, port: 40_007, timeoutSeconds: 120, routes: [exampleRoute] },
  audit: { action: "zvt.configure", subject: () => "zvt" },
  responses: {
    200: { description: "The configuration as it is now stored.", body: okBody(Shown), example },
    ...admin.errors(400, 401, 413, 415, 503),
  },
  handle: async ({ administerZvt }, { body }) => {
    const { enabled, port, timeoutSeconds, maxConnections, loggingLevel, logRawBytes, routes } = body;
    const { bindHost, allowedClients, tls, reattachSeconds, disconnectGraceSeconds } = body;
    const given = {
      ...{ enabled, port, timeoutSeconds, maxConnections, loggingLevel, logRawBytes, routes },
      ...{ bindHost, allowedClients, tls, reattachSeconds, disconnectGraceSeconds },
    };
    const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const config = await administerZvt.save(change);
    return { status: 200, body: { status: "ok", data: shown(config, true) } };
  },
});

const Connection = Type.Object(
  {
    node: Type.String(),
    address: Type.String(),
    since: Type.String({ description: "ISO 8601 UTC." }),
  },
  { title: "ZvtConnection" },
);

const RouteState = Type.Object(
  {
    id: Type.String(),
    terminalId: Type.String(),
    partnerUsername: Type.String(),
    connections: Type.Array(Connection, { description: "Sockets of registers that are open now, on every node that answered in time." }),
    open: Type.Union(
      [
        Type.Object({
          uuid: Type.String({ description: "The payment's, as everywhere." }),
          amountCents: Type.Integer(),
          state: Type.Union([Type.Literal("paying"), Type.Literal("undelivered"), Type.Literal("unknown")], {
            description:
              "paying: it runs. undelivered: its result waits for the register. unknown: its outcome is not known, and the same amount is refused until a result comes or the route is released.",
          }),
          acceptedAt: Type.String({ description: "ISO 8601 UTC." }),
          endedAt: Type.Union([Type.String(), Type.Null()]),
        }),
        Type.Null(),
      ],
      { description: "The payment that is open." },
    ),
    lastOutcome: Type.Union(
      [
        Type.Object({
          uuid: Type.String(),
          amountCents: Type.Integer(),
          outcome: Type.Union([Type.Literal("paid"), Type.Literal("notPaid"), Type.Literal("unknown")]),
          code: Type.Union([Type.String(), Type.Null()], {
            description: "The ZVT result code of what was not paid, two hexadecimal digits.",
          }),
          at: Type.String({ description: "ISO 8601 UTC." }),
        }),
        Type.Null(),
      ],
      { description: "How the last payment ended." },
    ),
  },
  { title: "ZvtRouteState" },
);

const Listener = Type.Object(
  {
    node: Type.String(),
    ports: Type.Array(Type.Integer(), { description: "What it listens on; empty where it does not." }),
    problem: Type.Union([Type.String(), Type.Null()], { description: "Why it does not listen; null where it does, or is not to." }),
  },
  { title: "ZvtListener" },
);

function shownConnection({ nodeId, address, sinceMs }: ZvtConnectionView): Static<typeof Connection> {
  return { node: nodeId, address, since: iso(sinceMs) };
}

function shownRoute({ id, terminalId, partnerUsername, connections, open, lastOutcome }: ZvtRouteView): Static<typeof RouteState> {
  return {
    ...{ id, terminalId, partnerUsername },
    connections: connections.map(shownConnection),
    open:
      open === null
        ? null
        : {
            ...{ uuid: open.uuid, amountCents: open.amountCents, state: open.state },
            acceptedAt: iso(open.acceptedAtMs),
            endedAt: isoOrNull(open.endedAtMs),
          },
    lastOutcome:
      lastOutcome === null
        ? null
        : {
            ...{ uuid: lastOutcome.uuid, amountCents: lastOutcome.amountCents, outcome: lastOutcome.type },
            code: lastOutcome.code === null ? null : lastOutcome.code.toString(16).padStart(2, "0").toUpperCase(),
            at: iso(lastOutcome.atMs),
          },
  };
}

const listZvtRoutes = admin.endpoint({
  name: "listZvtRoutes",
  method: "GET",
  path: "/admin/zvt/routes",
  summary: "List ZVT routes",
  description:
    "Of the stored configuration, which nodes that were not restarted since do not listen by yet. Any node answers for all nodes.",
  auth: "admin",
  role: "read-only",
  refusesUnknown: "rows",
  responses: {
    200: {
      description: "The routes, and what each node listens on.",
      body: okBody(Type.Object({ listeners: Type.Array(Listener), routes: Type.Array(RouteState) })),
      example: {
        status: "ok",
        data: {
          listeners: [{ node: "node-1", ports: [40_007], problem: null }],
          routes: [
            {
              ...{ id: "till-1", terminalId: "SIM00001", partnerUsername: "shop" },
              connections: [{ node: "node-1", address: "10.1.2.3", since: "2026-01-15T08:00:00.000Z" }],
              open: null,
              lastOutcome: {
                ...{ uuid: "0f4c1f1e-6a0e-5f6e-9d0c-2f9a1b7c3d4e", amountCents: 1_050, outcome: "paid", code: null },
                at: "2026-01-15T08:01:00.000Z",
              },
            },
          ],
        },
      },
    },
    ...admin.errors(401, 503),
  },
  handle: async ({ administerZvt }) => {
    const { listeners, routes } = await administerZvt.routes();
    const nodes = listeners.map(({ nodeId, ports, problem }) => ({ node: nodeId, ports, problem }));
    return { status: 200, body: { status: "ok", data: { listeners: nodes, routes: routes.map(shownRoute) } } };
  },
});

const releaseZvtRoute = admin.endpoint({
  name: "releaseZvtRoute",
  method: "POST",
  path: "/admin/zvt/routes/{routeId}/release",
  summary: "Release a ZVT route",
  description:
    "Do it once it is known, at the terminal or at its bank, whether the customer was charged: afterwards the register can sell for the same amount again, which is another charge. The payment itself stays `unknown`, and a late result is still recorded.",
  auth: "admin",
  role: "operator",
  machine: "terminals",
  params: Type.Object({ routeId: RouteId }),
  audit: { action: "zvt.release", subject: ({ params }) => params.routeId },
  responses: {
    200: {
      description: "The route is free.",
      body: okBody(Type.Object({ uuid: Type.String({ description: "The payment that had held it." }) })),
      example: { status: "ok", data: { uuid: "0f4c1f1e-6a0e-5f6e-9d0c-2f9a1b7c3d4e" } },
    },
    ...admin.errors(400, 401, 404, 409, 503),
  },
  handle: async ({ administerZvt }, { params }) => {
    const outcome = await administerZvt.release(params.routeId);
    if (outcome.type === "not_found") throw new RelayError("not_found", "There is no such route");
    if (outcome.type === "nothing_held") throw new RelayError("conflict", "No unknown outcome holds this route");
    return { status: 200, body: { status: "ok", data: { uuid: outcome.uuid } } };
  },
});

export const zvtEndpoints = [showZvtConfig, saveZvtConfig, listZvtRoutes, releaseZvtRoute];
