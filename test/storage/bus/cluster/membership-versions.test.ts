import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { Redis } from "ioredis";
import { machineTimers } from "../../../../infra/node/boot/machine-timers.ts";
import {
  createMembership,
  LIFETIME_MS,
  type Membership,
  membershipScript,
  type NodeFacts,
} from "../../../../storage/bus/cluster/membership.ts";
import { OWN_NUMBERS, type SchemaNumbers } from "../../../../storage/schemas/agreement.ts";
import { redisMissing, startTestRedis, type TestRedis } from "../../../support/node/redis.ts";
import { eventually } from "../../../support/within.ts";
import { atEnd } from "../../kv/world.ts";

const skip = await redisMissing();
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

const [written = 0] = OWN_NUMBERS["terminal"] ?? [];
/** The next releases: one that reads a new number, and one that writes it. */
const READING: SchemaNumbers = { ...OWN_NUMBERS, terminal: [written, 1, written + 1] };
const WRITING: SchemaNumbers = { ...OWN_NUMBERS, terminal: [written + 1, 1, written + 1] };

interface Member {
  membership: Membership;
  /** The live nodes as they were told, and errors. */
  told: string[];
  /** How often it was said to be a member for another while. */
  granted(): number;
  /** Nothing of it reaches Redis until it wakes. */
  sleep(): void;
  wake(): void;
}

describe("a node that joins", { skip }, () => {
  let redis: TestRedis;
  let client: Redis;
  let prefixes = 0;

  before(async () => {
    redis = await startTestRedis();
    client = new Redis(redis.url);
  });
  after(async () => {
    client?.disconnect();
    await redis?.stop();
  });

  function member(test: TestContext, prefix: string, nodeId: string, version: string, schemas: SchemaNumbers): Member {
    const connection = new Redis(redis.url);
    const told: string[] = [];
    const self: NodeFacts = { nodeId, incarnation: `${nodeId}#1`, shards: 1, startedAtMs: 0, version, schemas };
    const script = membershipScript(connection, prefix);
    let grants = 0;
    let awake = Promise.resolve();
    let wake = () => undefined;
    const membership = createMembership({
      script: async (...parameters) => {
        await awake;
        return script(...parameters);
      },
      self,
      clock,
      timers: machineTimers,
      changed: ({ nodes }) => told.push(nodes.map((node) => node.nodeId).join(",")),
      looked: () => undefined,
      membershipExpired: async () => undefined,
      granted: () => {
        grants += 1;
      },
      failed: (error) => told.push(String(error)),
    });
    atEnd(test, async () => {
      await membership.leave();
      connection.disconnect();
    });
    return {
      ...{ membership, told, granted: () => grants },
      sleep: () => {
        awake = new Promise((resolve) => {
          wake = () => void resolve();
        });
      },
      wake: () => wake(),
    };
  }

  /** As a node of 0.1.0 does it, for so long. */
  async function joinAsFormer(prefix: string, nodeId: string, lifetimeMs: number): Promise<void> {
    const [seconds] = await client.time();
    const facts = { nodeId, incarnation: `${nodeId}#1`, shards: 1, startedAtMs: 0, version: "0.1.0" };
    await client
      .multi()
      .zadd(`${prefix}nodes`, Number(seconds) * 1_000 + lifetimeMs, facts.incarnation)
      .hset(`${prefix}node-facts`, facts.incarnation, JSON.stringify(facts))
      .exec();
  }

  const nextPrefix = () => `{versions-${++prefixes}}:`;

  it("runs beside one that only reads more, in either order", async (test) => {
    const prefix = nextPrefix();
    const [older, newer] = [member(test, prefix, "older", "0.2.0", OWN_NUMBERS), member(test, prefix, "newer", "0.3.0", READING)];
    for (const { membership } of [older, newer]) {
      await membership.admit();
      await membership.join();
    }
    await eventually(() => assert.equal(older.told.at(-1), "newer,older"));
    await newer.membership.leave();
    await eventually(() => assert.equal(older.told.at(-1), "older"));
    await newer.membership.admit();
    await newer.membership.join();
    await eventually(() => assert.equal(older.told.at(-1), "newer,older"));
  });

  it("runs beside one that reads what it writes already", async (test) => {
    const prefix = nextPrefix();
    const [reading, writing] = [member(test, prefix, "reading", "0.3.0", READING), member(test, prefix, "writing", "0.4.0", WRITING)];
    for (const { membership } of [reading, writing]) {
      await membership.admit();
      await membership.join();
    }
    await eventually(() => assert.equal(reading.told.at(-1), "reading,writing"));
  });

  it("is refused where a live one could not read it, and nobody hears of it", async (test) => {
    const prefix = nextPrefix();
    const [older, newer] = [member(test, prefix, "older", "0.2.0", OWN_NUMBERS), member(test, prefix, "newer", "0.4.0", WRITING)];
    await older.membership.join();
    const sentence =
      /^VersionRefused: this one \(0\.4\.0\) writes terminal in schema \d+, and the node older runs Terminal Relay 0\.2\.0, which reads/;
    await assert.rejects(newer.membership.admit(), sentence);
    assert.deepEqual([older.told, newer.told], [["older"], []]);
    // Who comes at the same time, and was let pass, finds it when it joins.
    await assert.rejects(newer.membership.join(), sentence);
    assert.deepEqual(newer.told, []);
    assert.deepEqual(await client.zrange(`${prefix}members`, "0", "-1"), ["older#1"]);
  });

  it("is refused where it could not read a live one", async (test) => {
    const prefix = nextPrefix();
    const [older, newer] = [member(test, prefix, "older", "0.2.0", OWN_NUMBERS), member(test, prefix, "newer", "0.4.0", WRITING)];
    await newer.membership.join();
    await assert.rejects(
      older.membership.admit(),
      /^VersionRefused: the node newer runs Terminal Relay 0\.4\.0, which writes terminal .*: start 0\.4\.0 here too \(infra\/docs\/upgrading\.md\)$/,
    );
  });

  it("is let in once the one that could not read it has expired", async (test) => {
    const prefix = nextPrefix();
    await joinAsFormer(prefix, "dead", LIFETIME_MS);
    const node = member(test, prefix, "node", "0.2.0", OWN_NUMBERS);
    await assert.rejects(node.membership.join(), /VersionRefused: the node dead runs Terminal Relay 0\.1\.0/);
    assert.equal(await client.exists(`${prefix}members`), 0, "it was no member for any moment");
    const startedAt = performance.now();
    await node.membership.admit();
    assert.ok(performance.now() - startedAt > 1_000, "it did not wait");
    await node.membership.join();
    assert.deepEqual(node.told, ["node"]);
  });

  it("and sleeps while one starts that it could not read stays out when it wakes, until that one has gone", async (test) => {
    const prefix = nextPrefix();
    const [older, newer] = [member(test, prefix, "older", "0.2.0", OWN_NUMBERS), member(test, prefix, "newer", "0.4.0", WRITING)];
    await older.membership.join();
    older.sleep();
    await newer.membership.admit();
    await newer.membership.join();
    const before = older.granted();
    older.wake();
    const refusal =
      /^VersionRefused: the node newer runs Terminal Relay 0\.4\.0, which writes terminal in schema \d+, and this one \(0\.2\.0\) reads/;
    await eventually(() => assert.ok(older.told.filter((text) => refusal.test(text)).length >= 3, older.told.at(-1)));
    assert.equal(older.granted(), before);
    assert.deepEqual(
      (await newer.membership.look()).nodes.map(({ nodeId }) => nodeId),
      ["newer"],
    );
    await newer.membership.leave();
    await eventually(() => assert.ok(older.granted() > before));
  });

  it("shuts out those of 0.1.0 from then on", async (test) => {
    const prefix = nextPrefix();
    await joinAsFormer(prefix, "gone", -1);
    const node = member(test, prefix, "node", "0.2.0", OWN_NUMBERS);
    await node.membership.admit();
    assert.equal(await client.type(`${prefix}nodes`), "zset", "who only looks shuts nobody out");
    await node.membership.join();
    // What its script does first.
    await assert.rejects(client.zrangebyscore(`${prefix}nodes`, "-inf", "+inf"), /WRONGTYPE/);
    assert.match((await client.get(`${prefix}nodes`)) ?? "", /0\.1\.0 cannot run beside it: infra\/docs\/upgrading\.md/);
  });

  it("and its Redis is brought back to a state of before: it is a member again, or says why not", async (test) => {
    const prefix = nextPrefix();
    const node = member(test, prefix, "node", "0.2.0", OWN_NUMBERS);
    await node.membership.join();
    await client.del(`${prefix}nodes`, `${prefix}members`, `${prefix}member-facts`, `${prefix}member-since`);
    await eventually(async () => assert.equal(await client.type(`${prefix}nodes`), "string"));
    await client.del(`${prefix}nodes`);
    await joinAsFormer(prefix, "former", 60_000);
    await eventually(() =>
      assert.ok(node.told.some((line) => /the node former runs Terminal Relay 0\.1\.0, which cannot run beside 0\.2\.0/.test(line))),
    );
  });
});
