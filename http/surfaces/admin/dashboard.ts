import { Type } from "@sinclair/typebox";
import { SET_ASIDE_COUNTED_MAX } from "../../../engine/operators/overview.ts";
import { okBody } from "../relay-envelope.ts";
import { admin } from "./surface.ts";

const Counts = Type.Record(Type.String(), Type.Integer());

const CountOrUnknown = Type.Union([Type.Integer(), Type.Null()]);

const Dashboard = Type.Object({
  at: Type.String({ description: "ISO 8601 UTC." }),
  day: Type.String({ description: "Today, in the installation's time zone." }),
  terminals: Type.Object({
    ONLINE: Type.Integer(),
    WEBSOCKET: Type.Integer({ description: "Of those that are ONLINE." }),
    POLLING: Type.Integer({ description: "Of those that are ONLINE." }),
    OFFLINE: Type.Integer({ description: "Seen before, and not there now. Counted once a minute." }),
  }),
  commands: Type.Object({
    queued: Type.Integer({ description: "Wait for their terminal, now." }),
    sent: Type.Integer({ description: "Await their result, now." }),
    today: Type.Record(Type.String(), Type.Integer(), { description: "Came to their end today, by state." }),
  }),
  results: Type.Record(Type.String(), Counts, { description: "Stored today, by method and status." }),
  links: Type.Object({
    PENDING: Type.Integer({ description: "Payment links that are followed, now." }),
    today: Type.Record(Type.String(), Type.Integer(), { description: "Came to their end today, by state." }),
  }),
  deployments: Type.Record(Type.String(), Type.Integer(), { description: "App deployments by state." }),
  outbox: Type.Object(
    {
      depth: CountOrUnknown,
      depthCapped: Type.Union([Type.Boolean(), Type.Null()], {
        description: "True: there are more than `depth`, which is counted up to 100,000.",
      }),
      oldestAgeSeconds: CountOrUnknown,
      setAside: Type.Integer({
        description: `Rows that ClickHouse or Kafka refused, missing for analysts until \`npm run rebuild-analytics\`: 0 where all is well. At most ${SET_ASIDE_COUNTED_MAX} are counted; \`GET /admin/attention\` names them (feed_refused).`,
      }),
    },
    { description: "Rows that ClickHouse does not hold yet, wherever they wait for it. Null is what cannot be learned just now." },
  ),
  nodes: Type.Array(Type.Object({ nodeId: Type.String(), shards: Type.Integer(), startedAt: Type.String() })),
});

export const showDashboard = admin.endpoint({
  name: "showDashboard",
  method: "GET",
  path: "/admin/dashboard",
  summary: "All nodes at a glance",
  description:
    "Counted where things happen. Today's counts may miss the last five seconds before a crash; for exact figures ask ClickHouse.",
  auth: "admin",
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
      at: new Date(atMs).toISOString(),
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
      nodes: nodes.map(({ nodeId, shards, startedAtMs }) => ({ nodeId, shards, startedAt: new Date(startedAtMs).toISOString() })),
    };
    return { status: 200, body: { status: "ok", data } };
  },
});
