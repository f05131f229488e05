import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterNode } from "../../../engine/operators/cluster-nodes.ts";
import { nodeToDrain } from "../../../engine/operators/node-to-drain.ts";

type Listed = Omit<ClusterNode, "report">;

const node = (incarnation: string, state: Listed["state"]): Listed => ({
  nodeId: incarnation.replace(/#.*$/, ""),
  incarnation,
  version: "0.2.0",
  shards: 1,
  sinceMs: 0,
  state,
});

const [ONE, TWO] = [node("node-1#1", "live"), node("node-2#2", "live")];

const CASES: [title: string, nodes: Listed[], name: string, allowLast: boolean, expected: ReturnType<typeof nodeToDrain>][] = [
  ["by its id", [ONE, TWO], "node-2", false, { type: "found", node: TWO }],
  ["by its incarnation", [ONE, TWO], "node-1#1", false, { type: "found", node: ONE }],
  ["a name that no node has", [ONE, TWO], "node-3", true, { type: "unknown" }],
  ["one that is gone", [ONE, node("node-2#2", "gone")], "node-2", true, { type: "unknown" }],
  ["its next run, beside one that is gone", [node("node-1#0", "gone"), ONE, TWO], "node-1", false, { type: "found", node: ONE }],
  [
    "an id of two nodes",
    [ONE, node("node-1#3", "live"), TWO],
    "node-1",
    false,
    { type: "ambiguous", incarnations: ["node-1#1", "node-1#3"] },
  ],
  ["the only node", [ONE], "node-1", false, { type: "last" }],
  ["the only node, when that is wanted", [ONE], "node-1", true, { type: "found", node: ONE }],
  ["the only one that does not drain", [ONE, node("node-2#2", "draining"), node("node-3#3", "gone")], "node-1", false, { type: "last" }],
  [
    "one that drains, as the last but one",
    [ONE, node("node-2#2", "draining")],
    "node-2",
    false,
    { type: "found", node: node("node-2#2", "draining") },
  ],
  ["one that drains, as the last", [node("node-2#2", "draining")], "node-2", false, { type: "found", node: node("node-2#2", "draining") }],
];

for (const [title, nodes, name, allowLast, expected] of CASES) {
  test(`the node to drain: ${title}`, () => assert.deepEqual(nodeToDrain(nodes, name, allowLast), expected));
}
