import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { watchDuplicateNodeIds } from "../../../../infra/node/cluster/duplicate-node-id.ts";
import type { NodeFacts } from "../../../../storage/bus/cluster/membership.ts";

function node(incarnation: string, changes: Partial<NodeFacts> = {}): NodeFacts {
  return { nodeId: "till", incarnation, shards: 1, startedAtMs: 0, version: "1", ...changes };
}

function watched(): { look(atMs: number, nodes: readonly NodeFacts[]): string[] } {
  let nowMs = 0;
  const found: string[] = [];
  const look = watchDuplicateNodeIds({ self: node("till#1"), monotonicMs: () => nowMs, found: (incarnation) => found.push(incarnation) });
  return {
    look: (atMs, nodes) => {
      nowMs = atMs;
      look([node("till#1"), ...nodes]);
      return found.splice(0);
    },
  };
}

describe("a live node of the same name", () => {
  it("is told of once, when it has outlived what a dead one's membership can", () => {
    const { look } = watched();
    assert.deepEqual(look(0, [node("till#2"), node("other#1", { nodeId: "other" })]), []);
    assert.deepEqual(look(7_900, [node("till#2")]), []);
    assert.deepEqual(look(8_000, [node("till#2")]), ["till#2"]);
    assert.deepEqual(look(20_000, [node("till#2")]), []);
  });

  it("is none where it is the node's own earlier life, or on its way out", () => {
    const { look } = watched();
    look(0, [node("till#0"), node("till#2", { draining: true })]);
    assert.deepEqual(look(6_000, [node("till#2", { draining: true })]), []);
    assert.deepEqual(look(20_000, [node("till#0"), node("till#2", { draining: true })]), []);
    assert.deepEqual(look(27_900, [node("till#0")]), []);
    assert.deepEqual(look(28_000, [node("till#0")]), ["till#0"]);
  });
});
