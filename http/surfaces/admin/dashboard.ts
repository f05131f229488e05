import { type Static, Type } from "@sinclair/typebox";
import { SET_ASIDE_COUNTED_MAX } from "../../../engine/operators/overview.ts";
import { iso } from "../../endpoint/time.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { admin } from "./surface.ts";

const Counts = Type.Record(Type.String(), Type.Integer());

const CountOrUnknown = Type.Union([Type.Integer(), Type.Null()]);

const Dashboard = Type.Object(
  {
    at: Type.String({ description: "ISO 8601 UTC." }),
    day: Type.String({ description: "The current day, in the installation's time zone." }),
    terminals: Type.Object({
      ONLINE: Type.Integer(),
      WEBSOCKET: Type.Integer({ description: "How many of the ONLINE terminals use a WebSocket." }),
      POLLING: Type.Integer({ description: "How many of the ONLINE terminals poll." }),
      OFFLINE: Type.Integer({ description: "Terminals that connected before and are not connected now. Counted once a minute." }),
    }),
    commands: Type.Object({
      queued: Type.Integer({ description: "Commands that wait for their terminal now." }),
      sent: Type.Integer({ description: "Commands that were sent and wait for their results now." }),
      today: Type.Record(Type.String(), Type.Integer(), { description: "Commands that ended today, by state." }),
    }),
    results: Type.Record(Type.String(), Counts, { description: "Results stored today, by method and status." }),
    links: Type.Object({
      PENDING: Type.Integer({
        description: "Payment links that can be paid now: they are neither paid nor ended, and their time is not over.",
      }),
      today: Type.Record(Type.String(), Type.Integer(), { description: "Payment links that ended today, by state." }),
    }),
    deployments: Type.Record(Type.String(), Type.Integer(), { description: "App deployments by state." }),
    outbox: Type.Object(
      {
        depth: CountOrUnknown,
        depthCapped: Type.Union([Type.Boolean(), Type.Null()], {
          description: "True if there are more rows than `depth` says: the relay counts up to 100,000.",
        }),
        oldestAgeSeconds: CountOrUnknown,
        setAside: Type.Integer({
          description: `Rows that ClickHouse or Kafka refused. They are missing from ClickHouse until \`npm run rebuild-analytics\` sends them again. Normally 0. The relay counts up to ${SET_ASIDE_COUNTED_MAX}; \`GET /admin/attention\` lists them (feed_refused).`,
        }),
      },
      { description: "Rows that are stored and not in ClickHouse yet. A member is null if its value cannot be determined at the moment." },
    ),
    nodes: Type.Array(Type.Object({ nodeId: Type.String(), shards: Type.Integer(), startedAt: Type.String() })),
  },
  { title: "Dashboard" },
);

export type DashboardJson = Static<typeof Dashboard>;

export const showDashboard = admin.endpoint({
  name: "showDashboard",
  method: "GET",
  path: "/admin/dashboard",
  summary: "Get the dashboard",
  description:
    "Each node counts its own events. After a crash, today's counts may miss the last five seconds; query ClickHouse for exact figures.",
  auth: "admin",
  role: "read-only",
  refusesUnknown: "rows",
  responses: {
    200: {
      description: "Counts.",
      body: okBody(Dashboard),
      example: {
        status: "ok",
        data: {
          at: "2025-11-21T04:40:00.000Z",
          day: "2025-11-21",
          terminals: { ONLINE: 120, WEBSOCKET: 100, POLLING: 20, OFFLINE: 8 },
          commands: { queued: 2, sent: 5, today: { done: 1_200, unknown: 1, expired: 3 } },
          results: { CARD: { OK: 1_100, KO: 60 }, SATISPAY: { OK: 40 } },
          links: { PENDING: 12, today: { success: 30, expired: 4 } },
          deployments: { active: 2, superseded: 5 },
          outbox: { depth: 3, depthCapped: false, oldestAgeSeconds: 1, setAside: 0 },
          nodes: [{ nodeId: "relay-1", shards: 3, startedAt: "2025-11-20T10:00:00.000Z" }],
        },
      },
    },
    ...admin.errors(401, 503),
  },
  handle: async ({ overview }) => {
    const { atMs, day, terminals, commands, commandsToday, resultsToday, links, deployments, outbox, setAside, nodes } = await overview();
    const online = terminals.websocket + terminals.polling;
    const data = {
      at: iso(atMs),
      day,
      terminals: {
        ONLINE: online,
        WEBSOCKET: terminals.websocket,
        POLLING: terminals.polling,
        OFFLINE: Math.max(0, terminals.known - online),
      },
      commands: { ...commands, today: commandsToday },
      results: resultsToday,
      links: { PENDING: links.pending, today: links.today },
      deployments,
      outbox: {
        depth: outbox?.depth ?? null,
        depthCapped: outbox?.capped ?? null,
        oldestAgeSeconds: outbox === null ? null : Math.round(outbox.oldestAgeMs / 1_000),
        setAside,
      },
      nodes: nodes.map(({ nodeId, shards, startedAtMs }) => ({ nodeId, shards, startedAt: iso(startedAtMs) })),
    };
    return { status: 200, body: { status: "ok", data } };
  },
});
