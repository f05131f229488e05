import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Redis } from "ioredis";
import { machineTimers } from "../../infra/node/boot/machine-timers.ts";
import { createMembership, membershipScript } from "../../storage/bus/cluster/membership.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import { openRedisKv } from "../../storage/kv/redis.ts";
import { OWN_NUMBERS, refusalBeside, type SchemaNumbers, VersionRefused } from "../../storage/schemas/agreement.ts";
import { checkSchemaMark, raiseSchemaMark } from "../../storage/schemas/schema-mark.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess } from "../fault/node-process.ts";
import { member, RelayCaller } from "../fault/relay-caller.ts";
import { atEnd } from "../storage/kv/world.ts";
import { redisMissing, startTestRedis, type TestRedis } from "../support/node/redis.ts";

const missing = await redisMissing();

const [written = 0] = OWN_NUMBERS["command"] ?? [];
/** Releases to come: one that reads another number of commands, and one that writes it. */
const READING: SchemaNumbers = { ...OWN_NUMBERS, command: [written, 1, written + 1] };
const WRITING: SchemaNumbers = { ...OWN_NUMBERS, command: [written + 1, 1, written + 1] };

/** What a version has not that knows payment links, and no intents: it would step an intent's link without the intent. */
const OF_INTENTS = ["intent", "webhookEvent", "webhookEndpoint", "webhookHealth", "webhookDelivery", "apiVersion"];
const WITHOUT_INTENTS: SchemaNumbers = {
  ...Object.fromEntries(Object.entries(OWN_NUMBERS).filter(([kind]) => !OF_INTENTS.includes(kind))),
  link: [1, 1, 1],
};

/** What a version has not that knows no portal: it would take commands without saying whose they are, and send no mail that it is home to. */
const OF_PORTAL = ["team", "teamInvitation", "passwordReset", "mail", "portalAccount", "portalSession", "shopsSince"];
const WITHOUT_PORTAL: SchemaNumbers = Object.fromEntries(Object.entries(OWN_NUMBERS).filter(([kind]) => !OF_PORTAL.includes(kind)));

async function startOn(test: TestContext, redis: TestRedis): Promise<NodeProcess> {
  const place = await placeOf(test);
  const environment = {
    ...NO_CLICKHOUSE,
    RELAY_REDIS_URL: redis.url,
    RELAY_KAFKA_BROKERS: "127.0.0.1:1",
    RELAY_SHARDS: "1",
    RELAY_NODE_ID: "node",
    RELAY_PACKAGE_DIR: `${place.dataDirectory}/packages`,
  };
  return startNodeProcess(test, { ...place, environment });
}

async function redisOf(test: TestContext): Promise<TestRedis> {
  const redis = await startTestRedis();
  atEnd(test, () => redis.stop());
  return redis;
}

/** Another version is a member, for as long as the test takes. */
async function joinOther(test: TestContext, redis: TestRedis, schemas: SchemaNumbers, nodeId = "later"): Promise<void> {
  const connection = new Redis(redis.url);
  atEnd(test, async () => connection.disconnect());
  const membership = createMembership({
    script: membershipScript(connection, "{relay}:"),
    self: { nodeId, incarnation: `${nodeId}#1`, shards: 0, startedAtMs: 0, version: "9.0.0", schemas },
    clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
    timers: machineTimers,
    changed: () => undefined,
    looked: () => undefined,
    membershipExpired: async () => undefined,
    granted: () => undefined,
    failed: () => undefined,
  });
  await membership.join();
  atEnd(test, () => membership.leave());
}

/** It ended with one plain sentence. */
async function assertRefused(node: NodeProcess, sentence: RegExp): Promise<void> {
  assert.deepEqual(await node.exited, { code: 1, signal: null }, node.output());
  assert.match(node.output(), sentence);
  assert.ok(!/^ +at /m.test(node.output()), node.output());
}

async function assertServes(test: TestContext, { url }: NodeProcess): Promise<void> {
  const caller = new RelayCaller(url);
  atEnd(test, () => caller.close());
  assert.equal((await caller.pay("T1", "u-1"))?.status, 200);
  assert.equal(member((await caller.poll("T1"))?.body, "uuid"), "u-1");
}

const WRITTEN_LATER =
  /the store holds command in schema \d+, which Terminal Relay 9\.0\.0 wrote, and this version reads 1 to \d+: start 9\.0\.0 or a newer one, or restore a backup of before it/;

describe("a node of this version, after a later one", () => {
  it("refuses a data directory that it could not read", async (test) => {
    const place = await placeOf(test);
    const start = () => startNodeProcess(test, { ...place, environment: { ...NO_CLICKHOUSE, RELAY_SHARDS: "1" } });
    const leave = async (schemas: SchemaNumbers) => {
      const kv = await openEmbeddedKv({ directory: `${place.dataDirectory}/state`, nowMs: Date.now });
      await raiseSchemaMark(kv, "9.0.0", schemas);
      await kv.close();
    };
    await leave(READING);
    const node = start();
    await node.ready();
    await assertServes(test, node);
    await node.kill();
    await leave(WRITING);
    await assertRefused(start(), WRITTEN_LATER);
  });

  it("refuses a Redis that it could not read", { skip: missing }, async (test) => {
    const redis = await redisOf(test);
    const kv = await openRedisKv({ url: redis.url, refuseProblems: true });
    atEnd(test, () => kv.close());
    await raiseSchemaMark(kv, "9.0.0", WRITING);
    await assertRefused(await startOn(test, redis), WRITTEN_LATER);
  });
});

describe("a node of this version, beside a later one", { skip: missing }, () => {
  it("runs where each reads what the other writes", async (test) => {
    const redis = await redisOf(test);
    await joinOther(test, redis, READING);
    const node = await startOn(test, redis);
    await node.ready();
    await assertServes(test, node);
  });

  it("refuses to start where it could not read it, and writes nothing", async (test) => {
    const redis = await redisOf(test);
    await joinOther(test, redis, WRITING);
    const sentence =
      /the node later runs Terminal Relay 9\.0\.0, which writes command in schema \d+, and this one \(\S+\) reads 1 to \d+: start 9\.0\.0 here too/;
    await assertRefused(await startOn(test, redis), sentence);
    const connection = new Redis(redis.url);
    atEnd(test, async () => connection.disconnect());
    const fields = await connection.hkeys("{relay}:entries");
    assert.deepEqual(
      fields.filter((field) => !field.startsWith("\u{1}")),
      [],
    );
    assert.deepEqual(await connection.zrange("{relay}:members", "0", "-1"), ["later#1"]);
  });
});

describe("a node of this version, and one that knows links and no intents", () => {
  it("are kept apart by each of the kinds by itself", () => {
    const node = { nodeId: "other", version: "9.0.0" };
    const own = { version: "1.0.0", schemas: OWN_NUMBERS };
    for (const kind of OF_INTENTS) {
      const schemas = Object.fromEntries(Object.entries(OWN_NUMBERS).filter(([name]) => name !== kind));
      assert.match(refusalBeside(own, { ...node, schemas }) ?? "", new RegExp(`writes ${kind} in schema 1, .* does not know it`));
    }
    const schemas = { ...OWN_NUMBERS, link: [1, 1, 1] as const };
    assert.match(refusalBeside(own, { ...node, schemas }) ?? "", /writes link in schema 2, .* reads 1/);
  });

  it("do not run beside each other, whichever was first", { skip: missing }, async (test) => {
    const redis = await redisOf(test);
    await joinOther(test, redis, WITHOUT_INTENTS, "first");
    const sentence =
      /writes link in schema 2, and the node first runs Terminal Relay 9\.0\.0, which reads 1: go by way of a version between the two, or stop all nodes of 9\.0\.0/;
    await assertRefused(await startOn(test, redis), sentence);

    const other = await redisOf(test);
    const node = await startOn(test, other);
    await node.ready();
    await assert.rejects(joinOther(test, other, WITHOUT_INTENTS, "second"), VersionRefused);
    await assertServes(test, node);
  });

  it("do not open one store after the other: it stays refused although this one stores no intent", async (test) => {
    const place = await placeOf(test);
    const node = startNodeProcess(test, { ...place, environment: { ...NO_CLICKHOUSE, RELAY_SHARDS: "1" } });
    await node.ready();
    await node.kill();
    const kv = await openEmbeddedKv({ directory: `${place.dataDirectory}/state`, nowMs: Date.now });
    atEnd(test, () => kv.close());
    await assert.rejects(
      checkSchemaMark(kv, WITHOUT_INTENTS),
      /the store holds \w+ in schema \d, which Terminal Relay \S+ wrote, and this version/,
    );
    for (const kind of [...OF_INTENTS, "link"]) {
      const without = { ...OWN_NUMBERS, [kind]: [0, 0, 0] as const };
      await assert.rejects(checkSchemaMark(kv, without), new RegExp(`the store holds ${kind} in schema`));
    }
  });
});

describe("a version without the portal and this one", () => {
  it("may not run together, by each of the kinds alone", () => {
    const own = { version: "1.0.0", schemas: OWN_NUMBERS };
    for (const kind of OF_PORTAL) {
      const schemas = Object.fromEntries(Object.entries(OWN_NUMBERS).filter(([name]) => name !== kind));
      const refusal = refusalBeside(own, { nodeId: "other", version: "9.0.0", schemas });
      assert.match(refusal ?? "", new RegExp(`writes ${kind} in schema 1, .* does not know it`));
    }
  });

  it("do not run beside each other, whichever was first, nor open one store after the other", { skip: missing }, async (test) => {
    const redis = await redisOf(test);
    await joinOther(test, redis, WITHOUT_PORTAL, "first");
    const sentence =
      /writes \w+ in schema 1, and the node first runs Terminal Relay 9\.0\.0, which does not know it: go by way of a version between the two, or stop all nodes of 9\.0\.0/;
    await assertRefused(await startOn(test, redis), sentence);

    const other = await redisOf(test);
    const node = await startOn(test, other);
    await node.ready();
    await assert.rejects(joinOther(test, other, WITHOUT_PORTAL, "second"), VersionRefused);
    await assertServes(test, node);
    await node.kill();
    const kv = await openRedisKv({ url: other.url, refuseProblems: true });
    atEnd(test, () => kv.close());
    const refused = /the store holds \w+ in schema 1, which Terminal Relay \S+ wrote, and this version does not know it/;
    await assert.rejects(checkSchemaMark(kv, WITHOUT_PORTAL), refused);
  });
});
