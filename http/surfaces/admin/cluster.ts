import { Type } from "@sinclair/typebox";
import { okBody } from "../relay-envelope.ts";
import { admin } from "./surface.ts";

const Stream = Type.Object({
  waiting: Type.Integer({ description: "Entries that wait to be read." }),
  delayMs: Type.Integer({ description: "How old the last entry was when it was read." }),
  lost: Type.Integer({ description: "Entries that were trimmed before they could be read, since the start: the node was far behind." }),
});

const Report = Type.Object({
  terminals: Type.Integer({ description: "Terminals whose home it is and that were in use lately." }),
  sessions: Type.Integer({ description: "WebSocket subscriptions of the terminals whose home it is." }),
  commandsQueued: Type.Integer(),
  commandsSent: Type.Integer({ description: "Commands that were sent and have no result yet." }),
  conflicts: Type.Integer({
    description: "Steps that lost against another writer of the same record and were made again, since the start.",
  }),
  lapses: Type.Integer({ description: "How often its membership lapsed since the start: it slept, or was cut off from Redis." }),
  stream: Type.Union([Stream, Type.Null()], { description: "Messages of other nodes; null for a node by itself." }),
});

const Node = Type.Object({
  nodeId: Type.String(),
  incarnation: Type.String({ description: "One life of the node." }),
  version: Type.String(),
  shards: Type.Integer(),
  since: Type.String({ description: "ISO 8601 UTC." }),
  state: Type.Union([Type.Literal("live"), Type.Literal("draining"), Type.Literal("gone")], {
    description:
      "live: home to terminals. draining: on its way out, home to none. gone: left, or its membership lapsed, within the last hour, as far as this node saw it.",
  }),
  report: Type.Union([Report, Type.Null()], { description: "Null for a node that is gone or did not answer in time." }),
});

export const showCluster = admin.endpoint({
  name: "showCluster",
  method: "GET",
  path: "/admin/cluster",
  summary: "The nodes of this installation",
  description: "Any node answers for all of them. A node by itself answers with itself.",
  auth: "admin",
  responses: {
    200: {
      description: "The nodes, by name.",
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
    const data = nodes.map(({ sinceMs, ...node }) => ({ ...node, since: new Date(sinceMs).toISOString() }));
    return { status: 200, body: { status: "ok", data: { nodes: data } } };
  },
});
