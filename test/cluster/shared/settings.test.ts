import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { freePort } from "../../../infra/local/free-port.ts";
import { kafkaMissing } from "../../support/node/kafka.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { eventually } from "../../support/within.ts";
import { clusterOfSuite } from "../cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

const ODD = { RELAY_TERMINAL_SECRET: "an-odd-terminal-secret", RELAY_TIME_ZONE: "Europe/Lisbon" };

describe("a node with other settings", { skip: missing }, () => {
  const cluster = clusterOfSuite({
    nodes: 3,
    environment: { RELAY_LOG_LEVEL: "warn" },
    environmentOf: (node) => (node === 2 ? ODD : {}),
  });

  it("is reported by all nodes, with the names of the variables", async () => {
    const { nodes, caller } = await cluster();
    /** Of each node once: one that loses its membership on a busy machine is reported again when it is back. */
    const reported = (node: number) => {
      const lines = (nodes[node]?.output() ?? "").matchAll(/the settings of node (\S+) differ from this node.s: ([A-Z_, ]+)/g);
      return [...new Set([...lines].map(([, name, variables]) => `${name}: ${variables}`))].sort();
    };
    const names = "RELAY_TERMINAL_SECRET, RELAY_TIME_ZONE";
    await eventually(() => {
      assert.deepEqual(reported(0), [`node-2: ${names}`]);
      assert.deepEqual(reported(1), [`node-2: ${names}`]);
      assert.deepEqual(reported(2), [`node-0: ${names}`, `node-1: ${names}`]);
    });
    for (const node of nodes) assert.ok(!node.output().includes(ODD.RELAY_TERMINAL_SECRET));
    const metrics = await caller(0, "nobody").get("/metrics");
    const offset = Number(/^relay_cluster_clock_offset_seconds (\S+)$/m.exec(metrics.text)?.[1]);
    assert.ok(Math.abs(offset) < 5, metrics.text);
  });

  it("is reported when it has the RELAY_NODE_ID of another live node, by both of them", async (test) => {
    const { nodes, intrude } = await cluster();
    const [, namesake, stranger] = nodes;
    assert.ok(namesake !== undefined && stranger !== undefined);
    const twin = intrude(test, "node-1", await freePort());
    await eventually(() => {
      for (const node of [namesake, twin]) assert.match(node.output(), /another live node has the same RELAY_NODE_ID/);
    });
    assert.doesNotMatch(stranger.output(), /another live node has the same RELAY_NODE_ID/);
  });
});
