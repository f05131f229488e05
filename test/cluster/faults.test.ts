import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { kafkaMissing } from "../support/node/kafka.ts";
import { redisMissing } from "../support/node/redis.ts";
import { watchTakeover } from "./cluster-world.ts";
import { ANSWER_TIMEOUT_MS, FaultWorld } from "./fault-world.ts";
import { SteadyClients } from "./steady-clients.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

const OUTAGE_MS = 60_000;
/** Longer than a membership lives. */
const CUT_OFF_MS = 12_000;

describe("three nodes under load", { skip: missing }, () => {
  it("keep what they promise through every fault", { timeout: 1_200_000 }, async (test) => {
    const world = await FaultWorld.start(test);
    const { cluster } = world;

    // Kafka, and then ClickHouse, is away for a minute while the nodes go through the rest.
    await cluster.kafka.process.kill();
    const withoutKafkaMs = performance.now();

    await world.fault("kill -9 of a home: its terminals' sessions elsewhere go on with the next home", async (test) => {
      const probe = await world.probe(0, 1);
      const partner = cluster.caller(2, "partner");
      const before = await world.pays(partner, probe.terminalId);
      assert.equal(await probe.next(), before);
      const takeover = watchTakeover(test, cluster.caller(2, "partner"));
      await cluster.nodes[0]?.kill();
      const after = await world.pays(partner, probe.terminalId);
      await until(() => probe.came.includes(after));
      await takeover.assertInTime(ANSWER_TIMEOUT_MS);
      await world.everyTerminalWorks();
      await cluster.start(0);
      assert.deepEqual(probe.came, [before, after]);
    });

    await world.fault("kill -9 of a session's node: the terminal goes on at another", async (test) => {
      const probe = await world.probe(0, 1);
      const partner = cluster.caller(2, "partner");
      const takeover = watchTakeover(test, cluster.caller(2, "partner"));
      await cluster.nodes[1]?.kill();
      // Nobody can say whether the dead node wrote it, so nobody sends it again; its life can be asked.
      const meanwhile = await world.pays(partner, probe.terminalId);
      await probe.moveTo(2);
      const after = await world.pays(partner, probe.terminalId);
      await until(() => probe.came.includes(after));
      await takeover.assertInTime(ANSWER_TIMEOUT_MS);
      assert.equal((await partner.life(meanwhile)).status, 200);
      await world.everyTerminalWorks();
      await cluster.start(1);
      assert.equal(new Set(probe.came).size, probe.came.length);
    });

    await world.fault("SIGSTOP of a home for 20 s, then SIGCONT: it changes nothing and sends nothing twice", async (test) => {
      const [atOther, atStopped] = [await world.probe(0, 1), await world.probe(1, 0)];
      const partner = cluster.caller(2, "partner");
      const takeover = watchTakeover(test, cluster.caller(2, "partner"));
      const stoppedMs = performance.now();
      cluster.nodes[0]?.signal("SIGSTOP");
      try {
        const paid = await world.pays(partner, atOther.terminalId);
        await until(() => atOther.came.includes(paid));
        await takeover.assertInTime(ANSWER_TIMEOUT_MS);
        await world.pays(partner, atStopped.terminalId);
        await delay(Math.max(0, stoppedMs + 20_000 - performance.now()));
      } finally {
        cluster.nodes[0]?.signal("SIGCONT");
      }
      await world.ready(0);
      // The session at the node that slept is void: the terminal is told, and comes back.
      await atStopped.terminal.closes.next();
      await atStopped.moveTo(0);
      const after = await world.pays(partner, atStopped.terminalId);
      await until(() => atStopped.came.includes(after));
      for (const { came } of [atOther, atStopped]) assert.equal(new Set(came).size, came.length);
    });

    await world.fault("Kafka down for a minute: results are stored and listed meanwhile, and reach ClickHouse afterwards", async (test) => {
      await world.assertListsNewResults();
      await delay(Math.max(0, withoutKafkaMs + OUTAGE_MS - performance.now()));
      await cluster.kafka.restart();
      const startedMs = performance.now();
      await world.everythingIsInClickHouse();
      test.diagnostic(`all results were in ClickHouse ${Math.round(performance.now() - startedMs)} ms after Kafka was back`);
    });

    await cluster.clickhouse.kill();
    const withoutClickHouseMs = performance.now();

    await world.fault("streams trimmed and deleted: what was lost with them is made good", async () => {
      const probe = await world.probe(0, 1);
      const partner = cluster.caller(2, "partner");
      const redis = new Redis(cluster.redis.url);
      assert.equal((await redis.keys("{relay}:stream:*")).length > 0, true, "there are no streams");
      try {
        for (let round = 0; round < 40; round += 1) {
          const streams = await redis.keys("{relay}:stream:*");
          for (const stream of streams) await (round % 2 === 0 ? redis.xtrim(stream, "MAXLEN", 0) : redis.del(stream));
          await delay(50);
        }
      } finally {
        redis.disconnect();
      }
      const after = await world.pays(partner, probe.terminalId);
      await until(() => probe.came.includes(after));
    });

    await world.fault("Redis paused for 10 s: nothing is answered 200 that it did not store", async () => {
      cluster.redis.process.pause();
      try {
        await delay(10_000);
      } finally {
        cluster.redis.process.resume();
      }
    });

    await world.fault("Redis killed with -9 under appendfsync always, and started again", async () => {
      await cluster.redis.process.kill();
      await delay(1_000);
      await cluster.redis.restart();
    });

    await world.fault(
      "a node cut off from Redis: it answers 503, the others take over, and what it sends late changes nothing",
      async (test) => {
        const probe = await world.probe(2, 0);
        const takeover = watchTakeover(test, cluster.caller(1, "partner"));
        const cutMs = performance.now();
        cluster.redisProxy.hold();
        try {
          const after = await world.pays(cluster.caller(1, "partner"), probe.terminalId);
          await until(() => probe.came.includes(after));
          await takeover.assertInTime(ANSWER_TIMEOUT_MS);
          const refused = await cluster.caller(2, "partner").pay(probe.terminalId, { uuid: randomUUID() });
          assert.equal(refused.status, 503, refused.text);
          await delay(Math.max(0, cutMs + CUT_OFF_MS - performance.now()));
        } finally {
          cluster.redisProxy.release();
        }
        await world.ready(2);
      },
    );

    await world.fault("ClickHouse down for a minute: only lists are answered 503, and it gets everything afterwards", async (test) => {
      const list = await cluster.caller(0, "partner").get("/api/v1/poll-0/transactions");
      assert.equal(list.status, 503, list.text);
      await delay(Math.max(0, withoutClickHouseMs + OUTAGE_MS - performance.now()));
      await cluster.clickhouse.start();
      const startedMs = performance.now();
      await world.everythingIsInClickHouse();
      test.diagnostic(`all results were in ClickHouse ${Math.round(performance.now() - startedMs)} ms after it was back`);
    });

    await world.fault("drain of each node in turn: clients that ask again after a 503 see no error", async (test) => {
      const clients = new SteadyClients(cluster.balancerUrl, 6);
      try {
        for (const [index, node] of cluster.nodes.entries()) {
          node.signal("SIGTERM");
          assert.deepEqual(await node.exited, { code: 0, signal: null });
          await cluster.start(index);
          await world.ready(index);
        }
      } finally {
        await clients.stop();
      }
      test.diagnostic(`${clients.answered} answers, ${clients.askedAgain} of them 503`);
      assert.deepEqual(clients.errors, []);
    });

    await test.test("in the end every answer and every result is accounted for", (last) => world.finish(last));
  });
});

async function until(holds: () => boolean): Promise<void> {
  for (const startedMs = performance.now(); !holds(); await delay(20)) {
    assert.equal(performance.now() - startedMs < 30_000, true, "the command did not come to the probe");
  }
}
