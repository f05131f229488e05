import { type Static, Type } from "@sinclair/typebox";
import { iso } from "../../endpoint/time.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { admin } from "./surface.ts";

const Stream = Type.Object(
  {
    waiting: Type.Integer({ description: "Entries that have not been read yet." }),
    delayMs: Type.Integer({ description: "Age of the last entry when it was read." }),
    lost: Type.Integer({
      description: "Entries that were trimmed from the stream before the node read them, since its start: the node was far behind.",
    }),
  },
  { title: "ClusterStream" },
);

const Report = Type.Object(
  {
    terminals: Type.Integer({ description: "Recently used terminals whose home is this node." }),
    sessions: Type.Integer({ description: "WebSocket subscriptions of the terminals whose home is this node." }),
    commandsQueued: Type.Integer(),
    commandsSent: Type.Integer({ description: "Commands that were sent and have no result yet." }),
    conflicts: Type.Integer({
      description: "Steps that were retried since the start, because another writer had changed the same record.",
    }),
    lapses: Type.Integer({
      description: "How often the node's membership expired since its start, because it was suspended or could not reach Redis.",
    }),
    stream: Type.Union([Stream, Type.Null()], { description: "The stream of messages from other nodes; null for a single node." }),
  },
  { title: "ClusterReport" },
);

const Node = Type.Object(
  {
    nodeId: Type.String(),
    incarnation: Type.String({ description: "Identifies one run of the node: it is new at each start." }),
    version: Type.String(),
    shards: Type.Integer(),
    since: Type.String({ description: "ISO 8601 UTC." }),
    state: Type.Union([Type.Literal("live"), Type.Literal("draining"), Type.Literal("gone")], {
      description:
        "live: can be the home of terminals. draining: is shutting down and is no terminal's home. gone: has left, or its membership has expired, within the last hour, as seen by the node that answers.",
    }),
    report: Type.Union([Report, Type.Null()], { description: "Null if the node is gone or did not answer in time." }),
  },
  { title: "ClusterNode" },
);

export type ClusterNodeJson = Static<typeof Node>;

export const showCluster = admin.endpoint({
  name: "showCluster",
  method: "GET",
  path: "/admin/cluster",
  summary: "List nodes of the installation",
  description: "Any node answers for all nodes. A single node lists itself.",
  auth: "admin",
  role: "read-only",
  refusesUnknown: "rows",
  responses: {
    200: {
      description: "The nodes, sorted by name.",
      body: okBody(Type.Object({ nodes: Type.Array(Node) })),
      example: {
        status: "ok",
        data: {
          nodes: [
            {
              nodeId: "node-1",
              incarnation: "node-1#5f0c21aa",
              version: "0.2.0",
              shards: 2,
              since: "2026-01-15T08:00:00.000Z",
              state: "live",
              report: {
                terminals: 412,
                sessions: 380,
                commandsQueued: 1,
                commandsSent: 7,
                conflicts: 0,
                lapses: 0,
                stream: { waiting: 0, delayMs: 1, lost: 0 },
              },
            },
          ],
        },
      },
    },
    ...admin.errors(401, 503),
  },
  handle: async ({ clusterNodes }) => {
    const nodes = await clusterNodes.list();
    const data = nodes.map(({ sinceMs, ...node }) => ({ ...node, since: iso(sinceMs) }));
    return { status: 200, body: { status: "ok", data: { nodes: data } } };
  },
});
