import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Redis } from "ioredis";
import { terminalPassword } from "../../http/auth/terminal-password.ts";
import { clientOf } from "../storage/kv/redis-world.ts";
import { kafkaMissing } from "../support/kafka.ts";
import { basic } from "../support/node.ts";
import { redisMissing } from "../support/redis.ts";
import { eventually } from "../support/within.ts";
import { startCluster, type TestCluster } from "./cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

/** A terminal that logs in by itself; the secret is that of the sandbox. */
const login = (terminalId: string) => ({ authorization: basic(terminalId, terminalPassword("sandbox-terminal-secret", terminalId)) });

async function pollsAt(cluster: TestCluster, node: number, terminalId: string): Promise<number> {
  return (await cluster.caller(node, "nobody").poll(terminalId, login(terminalId))).status;
}

/** Redis's own clock. */
async function nowMsOf(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

describe("a node with other settings", { skip: missing }, () => {
  it("is told of by all, by the names of the variables", async (test) => {
    const odd = { RELAY_TERMINAL_SECRET: "an-odd-terminal-secret", RELAY_TIME_ZONE: "Europe/Lisbon" };
    const cluster = await startCluster(test, {
      nodes: 3,
      environment: { RELAY_LOG_LEVEL: "warn" },
      environmentOf: (node) => (node === 2 ? odd : {}),
    });
    const told = (node: number) =>
      (cluster.nodes[node]?.output() ?? "")
        .split("\n")
        .flatMap((line) => /the settings of node (\S+) differ from this node.s: ([A-Z_, ]+)/.exec(line)?.slice(1, 3).join(": ") ?? []);
    const names = "RELAY_TERMINAL_SECRET, RELAY_TIME_ZONE";
    await eventually(() => {
      assert.deepEqual(told(0), [`node-2: ${names}`]);
      assert.deepEqual(told(1), [`node-2: ${names}`]);
      assert.deepEqual(told(2).sort(), [`node-0: ${names}`, `node-1: ${names}`]);
    });
    for (const node of cluster.nodes) assert.ok(!node.output().includes(odd.RELAY_TERMINAL_SECRET));
    const metrics = await cluster.caller(0, "nobody").get("/metrics");
    const offset = Number(/^relay_cluster_clock_offset_seconds (\S+)$/m.exec(metrics.text)?.[1]);
    assert.ok(Math.abs(offset) < 5, metrics.text);
  });
});

describe("two nodes of one RELAY_NODE_ID", { skip: missing }, () => {
  it("say so", async (test) => {
    const cluster = await startCluster(test, {
      nodes: 2,
      environment: { RELAY_LOG_LEVEL: "warn" },
      environmentOf: () => ({ RELAY_NODE_ID: "till" }),
    });
    await eventually(() => {
      for (const node of cluster.nodes) assert.match(node.output(), /another live node has the same RELAY_NODE_ID/);
    }, 20_000);
  });
});

describe("a login that was withdrawn", { skip: missing }, () => {
  it("is good on no node once that is answered, also on one that slept meanwhile", async (test) => {
    const cluster = await startCluster(test, { nodes: 3 });
    const everywhere = (terminalId: string) => Promise.all([0, 1, 2].map((node) => pollsAt(cluster, node, terminalId)));
    const change = (node: number, what: string) => cluster.caller(node, "administrator").post(`/admin/terminals/${what}`);
    assert.deepEqual(await everywhere("T1"), [204, 204, 204]);

    for (let round = 0; round < 5; round += 1) {
      const changedAt = performance.now();
      assert.equal((await change(round % 3, "T1/deny")).status, 200);
      const tookMs = performance.now() - changedAt;
      assert.deepEqual(await everywhere("T1"), [401, 401, 401]);
      test.diagnostic(`withdrawn everywhere after ${Math.round(tookMs)} ms`);
      assert.equal((await change((round + 1) % 3, "T1/allow")).status, 200);
      assert.deepEqual(await everywhere("T1"), [204, 204, 204]);
    }

    const redis = clientOf(test, cluster.redis);
    const [, , sleeper] = cluster.nodes;
    sleeper?.signal("SIGSTOP");
    const startedAt = performance.now();
    const denied = await change(0, "T2/deny");
    const tookMs = performance.now() - startedAt;
    assert.equal(denied.status, 200, denied.text);
    const members = await redis.zrangebyscore("{relay}:members", `(${await nowMsOf(redis)}`, "+inf");
    assert.deepEqual(
      members.map((incarnation) => incarnation.split("#")[0]).sort(),
      ["node-0", "node-1"],
      "answered when the node that sleeps was still a member",
    );
    test.diagnostic(`withdrawn after ${Math.round(tookMs)} ms, while a node slept`);
    // These wait in the sockets of the node that sleeps: they are the first that it sees when it wakes up.
    const early = Array.from({ length: 10 }, () => pollsAt(cluster, 2, "T2"));
    sleeper?.signal("SIGCONT");
    for (const status of await Promise.all(early)) assert.ok(status === 401 || status === 503, `${status} for a login that was withdrawn`);
    const seen: number[] = [];
    await eventually(async () => {
      seen.push(await pollsAt(cluster, 2, "T2"));
      assert.equal(seen.at(-1), 401);
    });
    assert.ok(!seen.includes(204), `it was good for a while: ${seen.join(" ")}`);
    assert.equal(await pollsAt(cluster, 2, "T1"), 204);
  });
});
