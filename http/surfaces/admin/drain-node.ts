import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { LAST_LIVE_NODE, nodeToDrain } from "../../../engine/operators/node-to-drain.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { admin } from "./surface.ts";

export const drainNode = admin.endpoint({
  name: "drainNode",
  refusesUnknown: "limits",
  method: "POST",
  path: "/admin/cluster/nodes/{nodeId}/drain",
  summary: "Drain a node",
  description:
    "Stops a node as SIGTERM does, on whichever node this is called: it is no longer ready, hands its terminals over to the other nodes, finishes its requests, closes its WebSockets a few at a time, and its process exits with code 0. What starts the process decides whether it comes back. The response comes when the node has begun; `GET /admin/cluster` shows it as `draining`, and later as `gone`. A node that drains already is left alone. Drain one node after the other, each when the one before is back.",
  auth: "admin",
  role: "operator",
  machine: "operation",
  params: Type.Object({
    nodeId: Type.String({
      pattern: "^[A-Za-z0-9._-]{1,64}(#[0-9a-f]{8})?$",
      errorMessage: "must be a node's id or its incarnation",
      description: "The node's id, or its incarnation (`node-1%235f0c21aa`) where several nodes have the same id.",
    }),
  }),
  body: Type.Optional(
    Type.Object({
      allowLast: Type.Optional(
        Type.Boolean({ default: false, description: "Also drains the only live node. Nothing answers then until a node is started." }),
      ),
    }),
  ),
  audit: { action: "node.drain", subject: ({ params }) => params.nodeId },
  responses: {
    202: {
      description: "The node drains.",
      body: okBody(
        Type.Object({ nodeId: Type.String(), incarnation: Type.String(), state: Type.Literal("draining") }, { title: "DrainingNode" }),
      ),
      example: { status: "ok", data: { nodeId: "node-1", incarnation: "node-1#5f0c21aa", state: "draining" } },
    },
    ...admin.errors(400, 401, 404, 409, 503),
  },
  handle: async ({ clusterNodes }, { params, body }) => {
    const allowLast = body?.allowLast === true;
    const found = nodeToDrain(await clusterNodes.running(), params.nodeId, allowLast);
    if (found.type === "unknown") throw new RelayError("not_found", "There is no live node of this name");
    if (found.type === "ambiguous") {
      throw new RelayError("conflict", `Several nodes have this id; name one of the incarnations: ${found.incarnations.join(", ")}`);
    }
    if (found.type === "last") throw new RelayError("conflict", LAST_LIVE_NODE);
    const { nodeId, incarnation, state } = found.node;
    if (state === "live") await clusterNodes.drain(incarnation, { allowLast });
    return { status: 202, body: { status: "ok", data: { nodeId, incarnation, state: "draining" } } };
  },
});
