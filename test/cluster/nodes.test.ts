import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { kafkaMissing } from "../support/kafka.ts";
import { assertMatches, member } from "../support/matches.ts";
import { redisMissing } from "../support/redis.ts";
import { eventually } from "../support/within.ts";
import { startCluster, type TestCluster } from "./cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

interface ShownNode {
  nodeId: string;
  state: string;
  report: { terminals: number; commandsQueued: number; stream: { lost: number } } | null;
}

async function nodesAt(cluster: TestCluster, node: number): Promise<ShownNode[]> {
  const answer = await cluster.caller(node, "administrator").get("/admin/cluster");
  assert.equal(answer.status, 200, answer.text);
  const nodes = member(member(answer.body, "data"), "nodes");
  assert.ok(Array.isArray(nodes), answer.text);
  return nodes;
}

const states = (nodes: readonly ShownNode[]) => nodes.map(({ nodeId, state }) => `${nodeId} ${state}`);

describe("GET /admin/cluster", { skip: missing }, () => {
  it("shows on every node what each of them has, and which are gone", async (test) => {
    const cluster = await startCluster(test, { nodes: 3 });
    const homes = [0, 0, 0];
    for (let index = 0; index < 30; index += 1) {
      const paid = await cluster.caller(index % 3, "partner").pay(`N${index}`, { uuid: randomUUID() });
      assert.equal(paid.status, 200, paid.text);
      const home = cluster.homeOf(`N${index}`);
      homes[home] = (homes[home] ?? 0) + 1;
    }
    for (const node of [0, 1, 2]) {
      // A home hears a moment later of what was paid elsewhere.
      await eventually(async () => {
        const nodes = await nodesAt(cluster, node);
        assert.deepEqual(states(nodes), ["node-0 live", "node-1 live", "node-2 live"]);
        const reports = nodes.map(({ report }) => [report?.commandsQueued, report?.stream.lost]);
        assert.deepEqual(
          reports,
          homes.map((queued) => [queued, 0]),
        );
      });
    }
    const metrics = await cluster.caller(1, "nobody").get("/metrics");
    for (const line of ["relay_cluster_nodes 3", "relay_cluster_lapses_total 0", "relay_cluster_stream_lost_total 0"]) {
      assert.ok(metrics.text.split("\n").includes(line), `${line} is not in the metrics`);
    }
    assert.match(metrics.text, /^relay_cluster_conflicts_total \d+$/m);

    const taken = cluster.intrude("intruder", 0);
    assert.deepEqual(await taken.exited, { code: 1, signal: null }, taken.output());
    assert.match(taken.output(), /cannot listen on 127/);
    assert.deepEqual(states(await nodesAt(cluster, 1)), ["node-0 live", "node-1 live", "node-2 live"], "it was a member for a while");

    cluster.nodes[2]?.signal("SIGTERM");
    await cluster.nodes[2]?.exited;
    await cluster.nodes[1]?.kill();
    await eventually(async () => {
      const nodes = await nodesAt(cluster, 0);
      assert.deepEqual(states(nodes), ["node-0 live", "node-1 gone", "node-2 gone"]);
      assertMatches(nodes[0], { report: { commandsQueued: 30 } });
      assert.equal(nodes[1]?.report, null);
    });
  });
});

describe("POST /admin/cluster/nodes/{nodeId}/drain", { skip: missing }, () => {
  it("leaves one of two nodes that are asked one right after the other, or at once", async (test) => {
    const cluster = await startCluster(test, { nodes: 2 });
    // Asked of each other, and by those who do not wait.
    const statuses = await Promise.all(
      ["node-0", "node-1"].map(
        async (name, index) => (await cluster.caller(1 - index, "administrator").post(`/admin/cluster/nodes/${name}/drain`, {})).status,
      ),
    );
    assert.deepEqual(statuses.toSorted(), [202, 409]);
    const stays = statuses[0] === 409 ? 0 : 1;
    const [drained, other] = [cluster.nodes[1 - stays], cluster.caller(stays, "administrator")];
    assert.deepEqual(await drained?.exited, { code: 0, signal: null });
    await eventually(async () =>
      assert.deepEqual(states(await nodesAt(cluster, stays)).toSorted(), [`node-${1 - stays} gone`, `node-${stays} live`].toSorted()),
    );
    assert.equal((await other.get("/health/ready")).status, 200);
    assert.equal((await cluster.caller(stays, "partner").pay("L1", { uuid: randomUUID() })).status, 200);
  });

  it("stops the node that is named, on whichever node it is called, and clients of the balancer notice nothing", async (test) => {
    const cluster = await startCluster(test, { nodes: 3 });
    const [administrator, partner] = [cluster.caller(0, "administrator"), cluster.caller("balancer", "partner")];
    const path = (name: string) => `/admin/cluster/nodes/${name}/drain`;
    assert.equal((await administrator.post(path("node-9"), {})).status, 404);
    const drained = cluster.nodes[2];
    assert.ok(drained !== undefined);
    let ended = false;
    void drained.exited.then(() => {
      ended = true;
    });
    const statuses = new Set<number>();
    const paying = (async () => {
      for (let index = 0; !ended; index += 1) statuses.add((await partner.pay(`D${index}`, { uuid: randomUUID() })).status);
    })();
    assertMatches(await administrator.post(path("node-2"), {}), { status: 202, body: { data: { nodeId: "node-2", state: "draining" } } });
    assert.deepEqual(await drained.exited, { code: 0, signal: null }, drained.output());
    await paying;
    // An address has ten payments a second.
    assert.deepEqual(
      [...statuses].filter((status) => status !== 429),
      [200],
    );
    await eventually(async () => assert.deepEqual(states(await nodesAt(cluster, 1)), ["node-0 live", "node-1 live", "node-2 gone"]));
    // Each node hears of it by itself.
    await eventually(async () => assert.equal((await administrator.post(path("node-2"), {})).status, 404));
    // Itself, and then there is one.
    assert.equal((await administrator.post(path("node-0"), {})).status, 202);
    assert.deepEqual(await cluster.nodes[0]?.exited, { code: 0, signal: null });
    const last = cluster.caller(1, "administrator");
    await eventually(async () => assert.equal((await last.post(path("node-1"), {})).status, 409));
    const audited = await last.get("/admin/audit");
    assert.match(audited.text, /"action":"node\.drain"[^}]*"node-0"/);
    assert.match(audited.text, /"action":"node\.drain"[^}]*"node-2"/);
  });
});
