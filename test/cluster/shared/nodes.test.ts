import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { LIFETIME_MS } from "../../../storage/bus/cluster/membership.ts";
import { atEnd } from "../../storage/kv/world.ts";
import { assertMatches, member } from "../../support/http/matches.ts";
import { kafkaMissing } from "../../support/node/kafka.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { connectStomp } from "../../support/people/stomp-terminal.ts";
import { eventually, Inbox } from "../../support/within.ts";
import { clusterOfSuite, type TestCluster, watchBusyMachine, watchTakeover } from "../cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

/** A machine that is busy for less leaves a node the time to renew its membership. */
const RENEWS_WITHIN_MS = LIFETIME_MS / 2;

const pay = (uuid: string, amount = 1050) => ({ uuid, amount, service: "PAYCC" });

interface ShownNode {
  nodeId: string;
  state: string;
  report: { terminals: number; commandsQueued: number; stream: { lost: number } } | null;
}

/** The last life of each node. Former lives, of a node that was restarted or lost its membership on a busy machine, are shown as gone for a while. */
async function nodesAt(cluster: TestCluster, node: number): Promise<ShownNode[]> {
  const answer = await cluster.caller(node, "administrator").get("/admin/cluster");
  assert.equal(answer.status, 200, answer.text);
  const nodes = member(member(answer.body, "data"), "nodes");
  assert.ok(Array.isArray(nodes), answer.text);
  const shown: ShownNode[] = nodes;
  const lives = new Map(shown.toSorted((one, other) => rank(one) - rank(other)).map((life) => [life.nodeId, life]));
  return [...lives.values()].toSorted((one, other) => (one.nodeId < other.nodeId ? -1 : 1));
}

const rank = ({ state }: ShownNode): number => ["gone", "draining", "live"].indexOf(state);

const states = (nodes: readonly ShownNode[]) => nodes.map(({ nodeId, state }) => `${nodeId} ${state}`);

async function metricsOf(cluster: TestCluster, node: number): Promise<string> {
  return (await cluster.caller(node, "nobody").get("/metrics")).text;
}

describe("three nodes", { skip: missing }, () => {
  const threeNodes = clusterOfSuite({ nodes: 3 });

  it("are one relay to partners and terminals, whichever they reach", async (test) => {
    const cluster = await threeNodes();

    // Terminals of many homes: each pay goes through another node than the terminal's socket.
    for (let index = 0; index < 6; index += 1) {
      const terminalId = `WS${index}`;
      const commands = new Inbox<{ [member: string]: unknown }>(`a command for ${terminalId}`);
      const terminal = await connectStomp(cluster.nodes[index % 3]?.url ?? "", { login: "terminal", passcode: "terminal" });
      atEnd(test, async () => terminal.client.deactivate());
      terminal.client.subscribe(`/topic/terminal/${terminalId}`, (message) => commands.add(JSON.parse(message.body)));
      await eventually(async () => {
        const answer = await cluster.caller((index + 1) % 3, "partner").get(`/api/v1/${terminalId}/connection`);
        assertMatches(answer.body, { data: { connectionStatus: "ONLINE", server: `node-${index % 3}` } });
      });
      const uuid = randomUUID();
      const paid = await cluster.caller((index + 1) % 3, "partner").post(`/api/v1/${terminalId}/pay`, pay(uuid));
      assert.equal(paid.status, 200, paid.text);
      assert.equal((await commands.next())["uuid"], uuid);
      const waiting = cluster.caller((index + 2) % 3, "partner").get(`/api/v1/${uuid}/uuid?wait=30`);
      const posted = await cluster.caller(index % 3, "fleet").post(`/api/v1/${terminalId}/receipt`, { uuid, result: "OK", amount: 1050 });
      assert.equal(posted.status, 200, posted.text);
      assertMatches((await waiting).body, { status: "ok", data: { uuid, status: "OK", amountCents: 1050 } });
      const again = await cluster.caller((index + 2) % 3, "partner").post(`/api/v1/${terminalId}/pay`, pay(uuid));
      assertMatches(again.body, { status: "error", error: "Duplicate payment request - UUID already processed" });
      const listed = await cluster.caller((index + 1) % 3, "partner").get(`/api/v1/${terminalId}/transactions`);
      assertMatches(listed.body, { data: [{ uuid }] });
    }

    // Terminals that poll: the pay comes through one node, the polls through the two others, and one poll gets it.
    for (let index = 0; index < 6; index += 1) {
      const uuid = randomUUID();
      const paid = await cluster.caller(index % 3, "partner").post(`/api/v1/POLL${index}/pay`, pay(uuid));
      assert.equal(paid.status, 200, paid.text);
      const got: unknown[] = [];
      await eventually(async () => {
        const polls = [1, 2, 1, 2].map((step) => cluster.caller((index + step) % 3, "fleet").get(`/api/v1/POLL${index}/get`));
        for (const answer of await Promise.all(polls)) if (answer.status === 200) got.push(member(answer.body, "uuid"));
        assert.deepEqual(got, [uuid]);
      });
      const life = await cluster.caller((index + 2) % 3, "partner").get(`/api/v1/commands/${uuid}`);
      assertMatches(life.body, { data: { state: "sent", channel: "poll", attempt: 1 } });
    }
  });

  it("report the sessions whose sockets they hold, wherever their terminals are at home", async (test) => {
    const cluster = await threeNodes();
    const counts = async () => {
      const metrics = await Promise.all([0, 1, 2].map((node) => metricsOf(cluster, node)));
      return metrics.map((text) => Number(/^relay_sessions (\d+)$/m.exec(text)?.[1]));
    };
    // The simulated terminal of each sandbox.
    await eventually(async () => assert.deepEqual(await counts(), [1, 1, 1]));
    const away = Array.from({ length: 100 }, (_, index) => `HOME${index}`).filter((terminalId) => cluster.homeOf(terminalId) === 1);
    const terminals = await Promise.all(
      away.slice(0, 5).map(async (terminalId) => {
        const terminal = await connectStomp(cluster.nodes[0]?.url ?? "", { login: "terminal", passcode: "terminal" });
        atEnd(test, async () => terminal.client.deactivate());
        terminal.client.subscribe(`/topic/terminal/${terminalId}`, () => undefined);
        await eventually(async () => {
          const { body } = await cluster.caller(1, "partner").get(`/api/v1/${terminalId}/connection`);
          assert.equal(member(body, "data", "connectionStatus"), "ONLINE");
        });
        return terminal;
      }),
    );
    await eventually(async () => assert.deepEqual(await counts(), [6, 1, 1]));
    await terminals[0]?.client.deactivate();
    await eventually(async () => assert.deepEqual(await counts(), [5, 1, 1]));
  });

  it("go on when one is killed: what it was home to works elsewhere once its membership has expired", async (test) => {
    const cluster = await threeNodes();
    const queued = new Map<string, string>();
    for (let index = 0; index < 12; index += 1) {
      const uuid = randomUUID();
      const paid = await cluster.caller(index % 3, "partner").post(`/api/v1/K${index}/pay`, pay(uuid));
      assert.equal(paid.status, 200, paid.text);
      queued.set(`K${index}`, uuid);
    }
    const takeover = watchTakeover(test, cluster.caller(0, "partner"));
    await cluster.nodes[2]?.kill();

    // Every command that was acknowledged is handed out by those that are left, once each.
    const handedOut = new Map<string, string>();
    await eventually(async () => {
      for (const [terminalId] of queued) {
        if (handedOut.has(terminalId)) continue;
        const answer = await cluster.caller(terminalId.length % 2, "fleet").get(`/api/v1/${terminalId}/get`);
        if (answer.status === 200) handedOut.set(terminalId, String(member(answer.body, "uuid")));
      }
      assert.equal(handedOut.size, queued.size);
    });
    await takeover.assertInTime();
    assert.deepEqual(new Map([...handedOut].sort()), new Map([...queued].sort()));

    // Pays go on at once, and results too.
    const uuid = randomUUID();
    assert.equal((await cluster.caller(0, "partner").post("/api/v1/K0/pay", pay(uuid))).status, 200);
    assert.equal((await cluster.caller(1, "fleet").post("/api/v1/K0/receipt", { uuid, result: "KO" })).status, 200);
    await cluster.start(2);
    assertMatches((await cluster.caller(2, "partner").get(`/api/v1/${uuid}/uuid`)).body, { data: { uuid, status: "KO" } });
  });

  it("show in GET /admin/cluster, whichever is asked, what each node has and which nodes are gone", async (test) => {
    const cluster = await threeNodes();
    const lapses = async () => Number(/^relay_cluster_lapses_total (\d+)$/m.exec(await metricsOf(cluster, 1))?.[1]);
    const lapsesBefore = await lapses();
    const busy = watchBusyMachine(test, cluster.caller(1, "partner"));
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
    const metrics = (await metricsOf(cluster, 1)).split("\n");
    for (const line of ["relay_cluster_nodes 3", "relay_cluster_stream_lost_total 0"]) {
      assert.ok(metrics.includes(line), `${line} is not in the metrics`);
    }
    assert.match(metrics.join("\n"), /^relay_cluster_conflicts_total \d+$/m);
    // A node that the machine keeps from renewing its membership loses it.
    const lapsed = (await lapses()) - lapsesBefore;
    assert.ok(lapsed === 0 || (await busy.stop()) > RENEWS_WITHIN_MS, `${lapsed} lapses`);

    const taken = cluster.intrude(test, "intruder", Number(new URL(cluster.nodes[0]?.url ?? "").port));
    assert.deepEqual(await taken.exited, { code: 1, signal: null }, taken.output());
    assert.match(taken.output(), /cannot listen on 127/);
    const known = (await nodesAt(cluster, 1)).map(({ nodeId }) => nodeId);
    assert.deepEqual(known, ["node-0", "node-1", "node-2"], "it was a member for a while");

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

  it("drain the named node unnoticed by clients of the balancer; of the last two, asked at once, one stays", async () => {
    const cluster = await threeNodes();
    const [administrator, partner] = [cluster.caller(0, "administrator"), cluster.caller("balancer", "partner")];
    const path = (name: string) => `/admin/cluster/nodes/${name}/drain`;
    assert.equal((await administrator.post(path("node-9"), {})).status, 404);
    const drained = cluster.nodes[2];
    assert.ok(drained !== undefined);
    let ended = false;
    void drained.exited.then(() => {
      ended = true;
    });
    const paid = new Set<number>();
    const paying = (async () => {
      for (let index = 0; !ended; index += 1) paid.add((await partner.pay(`D${index}`, { uuid: randomUUID() })).status);
    })();
    assertMatches(await administrator.post(path("node-2"), {}), { status: 202, body: { data: { nodeId: "node-2", state: "draining" } } });
    assert.deepEqual(await drained.exited, { code: 0, signal: null }, drained.output());
    await paying;
    // An address has ten payments a second.
    assert.deepEqual(
      [...paid].filter((status) => status !== 429),
      [200],
    );
    await eventually(async () => assert.deepEqual(states(await nodesAt(cluster, 1)), ["node-0 live", "node-1 live", "node-2 gone"]));
    // Each node hears of it by itself.
    await eventually(async () => assert.equal((await administrator.post(path("node-2"), {})).status, 404));
    // Each is asked to drain itself.
    const statuses = await Promise.all(
      [0, 1].map(async (node) => (await cluster.caller(node, "administrator").post(path(`node-${node}`), {})).status),
    );
    assert.deepEqual(statuses.toSorted(), [202, 409]);
    const stays = statuses.indexOf(409);
    assert.deepEqual(await cluster.nodes[1 - stays]?.exited, { code: 0, signal: null });
    const last = cluster.caller(stays, "administrator");
    await eventually(async () => {
      const expected = [`node-${1 - stays} gone`, "node-2 gone", `node-${stays} live`];
      assert.deepEqual(states(await nodesAt(cluster, stays)).toSorted(), expected.toSorted());
    });
    assert.equal((await last.get("/health/ready")).status, 200);
    assert.equal((await last.post(path(`node-${stays}`), {})).status, 409);
    assert.equal((await cluster.caller(stays, "partner").pay("L1", { uuid: randomUUID() })).status, 200);
    const audited = await last.get("/admin/audit");
    assert.match(audited.text, new RegExp(`"action":"node\\.drain"[^}]*"node-${1 - stays}"`));
    assert.match(audited.text, /"action":"node\.drain"[^}]*"node-2"/);
  });
});
