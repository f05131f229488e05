import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { atEnd } from "../storage/kv/world.ts";
import { kafkaMissing } from "../support/kafka.ts";
import { assertMatches, member } from "../support/matches.ts";
import { redisMissing } from "../support/redis.ts";
import { connectStomp } from "../support/stomp-terminal.ts";
import { eventually, Inbox } from "../support/within.ts";
import { assertTakenOver, startCluster, watchBusyMachine } from "./cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

const pay = (uuid: string, amount = 1050) => ({ uuid, amount, service: "PAYCC" });

describe("three nodes", { skip: missing }, () => {
  it("are one relay to partners and terminals, whichever they reach", async (test) => {
    const cluster = await startCluster(test, { nodes: 3 });

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
      const waiting = cluster.caller((index + 2) % 3, "partner").get(`/api/v1/${uuid}/uuid?wait=10`);
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

  it("go on when one is killed: what it was home to works elsewhere once its membership has expired", async (test) => {
    const cluster = await startCluster(test, { nodes: 3 });
    const queued = new Map<string, string>();
    for (let index = 0; index < 12; index += 1) {
      const uuid = randomUUID();
      const paid = await cluster.caller(index % 3, "partner").post(`/api/v1/K${index}/pay`, pay(uuid));
      assert.equal(paid.status, 200, paid.text);
      queued.set(`K${index}`, uuid);
    }
    const busy = watchBusyMachine(test, cluster.caller(0, "partner"));
    const killedAt = performance.now();
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
    assertTakenOver(test, killedAt, await busy.stop());
    assert.deepEqual(new Map([...handedOut].sort()), new Map([...queued].sort()));

    // Pays go on at once, and results too.
    const uuid = randomUUID();
    assert.equal((await cluster.caller(0, "partner").post("/api/v1/K0/pay", pay(uuid))).status, 200);
    assert.equal((await cluster.caller(1, "fleet").post("/api/v1/K0/receipt", { uuid, result: "KO" })).status, 200);
    await cluster.start(2);
    assertMatches((await cluster.caller(2, "partner").get(`/api/v1/${uuid}/uuid`)).body, { data: { uuid, status: "KO" } });
  });
});
