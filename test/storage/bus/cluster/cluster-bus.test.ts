import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";
import { Redis } from "ioredis";
import type { Address } from "../../../../engine/kernel/bus.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { backgroundTimers, machineTimers } from "../../../../infra/node/boot/machine-timers.ts";
import { type ClusterProtocol, clusterAddress, createClusterBus, streamOf } from "../../../../storage/bus/cluster/cluster-bus.ts";
import { encodeMessages } from "../../../../storage/bus/cluster/envelope.ts";
import {
  createMembership,
  LIFETIME_MS,
  type Membership,
  membershipScript,
  type NodeFacts,
} from "../../../../storage/bus/cluster/membership.ts";
import { connectRedis } from "../../../../storage/bus/cluster/redis-connection.ts";
import { createStreamWriter, startStreamReader } from "../../../../storage/bus/cluster/stream-reader.ts";
import { createThreadBus } from "../../../../storage/bus/thread-bus.ts";
import { OWN_NUMBERS } from "../../../../storage/schemas/agreement.ts";
import { redisMissing, startTestRedis, type TestRedis } from "../../../support/node/redis.ts";
import { startTcpProxy } from "../../../support/node/tcp-proxy.ts";
import { eventually } from "../../../support/within.ts";

interface Echo {
  echo: { request: { text: string; fail?: boolean }; response: { text: string; from: Address } };
  note: { request: string; response: undefined };
}

type Wire = Echo & ClusterProtocol;

/** Longer than a busy machine stands still. */
const PATIENT_MS = 30_000;
/** One that is not answered in this time is asked again. */
const LOST_MS = 2_000;
const PREFIX = "{test}:";
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const missing = await redisMissing();
const options = { skip: missing };
let redis: TestRedis;
const members: { membership: Membership; redis: Redis }[] = [];

before(async () => {
  if (missing === false) redis = await startTestRedis();
});
after(async () => {
  // Also those of a test that failed: nothing goes on after the last one.
  await Promise.all(members.map(({ membership }) => membership.leave()));
  for (const member of members) member.redis.disconnect();
  await redis?.stop();
});

/** A node with one shard: a thread bus of its own, a stream reader, and the cluster bus on both. */
async function startNode(incarnation: string, shards: Address[], redisNowMs = () => Date.now(), url = redis.url) {
  const { port1, port2 } = new MessageChannel();
  const main = createThreadBus<Wire>({
    self: "main",
    shards: ["shard-0"],
    ports: new Map([["shard-0", port1]]),
    clock,
    timers: backgroundTimers,
    outstandingMax: 100,
  });
  const threads = createThreadBus<Wire>({
    self: "shard-0",
    shards: ["shard-0"],
    ports: new Map([["main", port2]]),
    clock,
    timers: backgroundTimers,
    outstandingMax: 100,
  });
  const notes: string[] = [];
  const errors: unknown[] = [];
  const connect = () => connectRedis(url, (error) => errors.push(error));
  const [reading, writing] = [connect(), connect()];
  const bus = createClusterBus<Echo>({
    threads,
    incarnation,
    write: createStreamWriter(writing, PREFIX),
    shards: () => shards,
    clock,
    timers: backgroundTimers,
    redisNowMs,
    outstandingMax: 100,
    onError: (error) => errors.push(error),
  });
  bus.handle("echo", ({ text, fail }, from) => {
    if (fail === true) throw new RelayError("conflict", "no", { retryAfterSeconds: 3 });
    return { text, from };
  });
  bus.handle("note", (text) => {
    notes.push(text);
    return undefined;
  });
  const reader = startStreamReader({
    redis: reading,
    keyPrefix: PREFIX,
    incarnation,
    clock,
    timers: machineTimers,
    redisNowMs,
    deliver: (thread, entryMs, bytes) => main.send(thread, "cluster.deliver", { entryMs, bytes }),
    failed: (error) => errors.push(error),
  });
  return {
    bus,
    notes,
    errors,
    stats: reader.stats,
    stop: async () => {
      await reader.stop();
      writing.disconnect();
      threads.close();
      main.close();
    },
  };
}

/** Lets what is ready run and reach Redis. */
async function settle(): Promise<void> {
  const probe = new Redis(redis.url);
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  await probe.ping();
  probe.disconnect();
}

test("a request to another node is answered, and knows its requester", options, async () => {
  const [a, b] = [await startNode("a#1", []), await startNode("b#1", [])];
  try {
    const answer = await a.bus.request(clusterAddress("b#1", "shard-0"), "echo", { text: "ciao" }, PATIENT_MS);
    assert.deepEqual(answer, { text: "ciao", from: "a#1/shard-0" });
    const own = await a.bus.request(clusterAddress("a#1", "shard-0"), "echo", { text: "self" }, PATIENT_MS);
    assert.equal(own.text, "self");
  } finally {
    await Promise.all([a.stop(), b.stop()]);
  }
});

test("an error crosses with its code, and nothing more", options, async () => {
  const [a, b] = [await startNode("a#2", []), await startNode("b#2", [])];
  try {
    await assert.rejects(a.bus.request(clusterAddress("b#2", "shard-0"), "echo", { text: "", fail: true }, PATIENT_MS), {
      code: "conflict",
      message: "no",
      retryAfterSeconds: 3,
    });
  } finally {
    await Promise.all([a.stop(), b.stop()]);
  }
});

test("a request to a node that is gone ends at its deadline", options, async () => {
  const a = await startNode("a#3", []);
  try {
    await assert.rejects(a.bus.request(clusterAddress("gone#1", "shard-0"), "echo", { text: "" }, 100), { code: "unavailable" });
  } finally {
    await a.stop();
  }
});

test("a request to a node that leaves ends when it has left", options, async () => {
  const a = await startNode("a#5", []);
  try {
    const asked = a.bus.request(clusterAddress("gone#5", "shard-0"), "echo", { text: "" }, 60_000);
    a.bus.left([clusterAddress("other#5", "shard-0")]);
    a.bus.left([clusterAddress("gone#5", "shard-0")]);
    await assert.rejects(asked, { code: "unavailable", message: /has left/ });
  } finally {
    await a.stop();
  }
});

test("what is told in a turn arrives in order", options, async () => {
  const [a, b] = [await startNode("a#4", []), await startNode("b#4", [])];
  try {
    for (let index = 0; index < 100; index += 1) a.bus.send(clusterAddress("b#4", "shard-0"), "note", String(index));
    await eventually(() => assert.ok(b.notes.length === 100, "the notes to arrive"));
    assert.deepEqual(
      b.notes,
      Array.from({ length: 100 }, (_, index) => String(index)),
    );
  } finally {
    await Promise.all([a.stop(), b.stop()]);
  }
});

test("a request read after its deadline is dropped, also when it was written late", options, async () => {
  const writer = new Redis(redis.url);
  const request = {
    type: "ask",
    from: "x#1/shard-0",
    to: "late#1/shard-0",
    id: 1,
    kind: "echo",
    body: { text: "old" },
    askedAtMs: Date.now(),
    timeoutMs: 50,
  } as const;
  await createStreamWriter(writer, PREFIX)("late#1", "shard-0", encodeMessages([request]));
  // Held up on its way to Redis: the one who asked has given up long ago.
  const heldUp = { ...request, id: 2, askedAtMs: Date.now() - 5_000, timeoutMs: 3_000 };
  const note = { type: "tell", from: "x#1/shard-0", to: "held#1/shard-0", kind: "note", body: "read" } as const;
  await createStreamWriter(writer, PREFIX)("held#1", "shard-0", encodeMessages([heldUp, note]));
  const held = await startNode("held#1", []);
  await createStreamWriter(writer, PREFIX)(
    "late#1",
    "shard-0",
    encodeMessages([{ type: "tell", from: "x#1/shard-0", to: "late#1/shard-0", kind: "note", body: "read" }]),
  );
  // A node whose Redis clock is far on: it slept.
  const late = await startNode("late#1", [], () => Date.now() + 60_000);
  try {
    await eventually(() => assert.ok(late.notes.length === 1, "the note after the request"));
    await eventually(() => assert.ok(held.notes.length === 1, "the note after the request"));
    // A response would have left in the turn after the request.
    await settle();
    assert.equal(await writer.xlen(streamOf(PREFIX, "x#1")), 0, "nothing is answered");
  } finally {
    writer.disconnect();
    await Promise.all([late.stop(), held.stop()]);
  }
});

test("a connection that breaks and comes back at once leaves no node deaf or dumb", options, async () => {
  const proxy = await startTcpProxy(redis.port);
  const [a, b] = [await startNode("a#9", []), await startNode("b#9", [], undefined, `redis://127.0.0.1:${proxy.port}/0`)];
  try {
    const request = (from: typeof a, to: string, timeoutMs = PATIENT_MS) =>
      from.bus.request(clusterAddress(to, "shard-0"), "echo", { text: "ciao" }, timeoutMs);
    for (let cut = 0; cut < 3; cut += 1) {
      assert.equal((await request(a, "b#9")).text, "ciao");
      assert.equal((await request(b, "a#9")).text, "ciao");
      proxy.cut();
      // Requests on their way while it was broken may be lost; later ones are not.
      await eventually(() => request(a, "b#9", LOST_MS));
      await eventually(() => request(b, "a#9", LOST_MS));
    }
  } finally {
    await Promise.all([a.stop(), b.stop()]);
    await proxy.stop();
  }
});

test("entries of another version are passed over", options, async () => {
  const writer = new Redis(redis.url);
  await writer.xadd(streamOf(PREFIX, "v#1"), "*", "s", "shard-0", "b", Buffer.from([0x92, 0x63, 0x90]));
  await createStreamWriter(writer, PREFIX)(
    "v#1",
    "shard-0",
    encodeMessages([{ type: "tell", from: "x/shard-0", to: "v#1/shard-0", kind: "note", body: "after" }]),
  );
  const node = await startNode("v#1", []);
  try {
    await eventually(() => assert.ok(node.notes.length === 1, "the note after it"));
  } finally {
    writer.disconnect();
    await node.stop();
  }
});

test("what was read is removed from the stream, which does not outlive its node for long", options, async () => {
  const writer = new Redis(redis.url);
  const stream = streamOf(PREFIX, "tidy#1");
  const write = createStreamWriter(writer, PREFIX);
  const node = await startNode("tidy#1", []);
  try {
    for (let index = 0; index < 30; index += 1) {
      const tell = { type: "tell", from: "x#1/shard-0", to: "tidy#1/shard-0", kind: "note", body: String(index) } as const;
      await write("tidy#1", "shard-0", encodeMessages([tell]));
    }
    await eventually(() => assert.equal(node.notes.length, 30));
    // The last one stays, so that an empty stream is not removed and begun anew.
    await eventually(async () => assert.equal(await writer.xlen(stream), 1));
    assert.ok((await writer.ttl(stream)) > 60);
    assert.deepEqual([node.stats().waiting, node.stats().lost], [0, 0]);
  } finally {
    writer.disconnect();
    await node.stop();
  }
});

test("a reader tells how far it is behind, and what was trimmed before it could read it", options, async () => {
  const writer = new Redis(redis.url);
  const stream = streamOf(PREFIX, "behind#1");
  const tell = (body: string) => ({ type: "tell", from: "x#1/shard-0", to: "behind#1/shard-0", kind: "note", body }) as const;
  for (let index = 0; index < 30; index += 1) {
    await writer.xadd(stream, "MAXLEN", "=", 10, "*", "s", "shard-0", "b", Buffer.from(encodeMessages([tell(String(index))])));
  }
  const node = await startNode("behind#1", [], () => Date.now() + 5_000);
  try {
    await eventually(() => assert.equal(node.notes.length, 10));
    assert.deepEqual([node.notes[0], node.notes.at(-1)], ["20", "29"]);
    await eventually(() => assert.equal(node.stats().lost, 20));
    assert.equal(node.stats().waiting, 0);
    assert.ok(node.stats().delayMs >= 5_000, "on Redis's clock");
    // A stream that was removed begins anew, and nothing of it counts as lost.
    await writer.del(stream);
    await createStreamWriter(writer, PREFIX)("behind#1", "shard-0", encodeMessages([tell("anew")]));
    await eventually(() => assert.equal(node.notes.at(-1), "anew"));
    await delay(1_100);
    await createStreamWriter(writer, PREFIX)("behind#1", "shard-0", encodeMessages([tell("last")]));
    await eventually(() => assert.equal(node.notes.at(-1), "last"));
    assert.equal(node.stats().lost, 20);
  } finally {
    writer.disconnect();
    await node.stop();
  }
});

test("a node that drains stays a member until it leaves", options, async () => {
  const seen: string[] = [];
  const [a, b] = [member("a", seen, "{drain}:"), member("b", [], "{drain}:")];
  await a.membership.join();
  await b.membership.join();
  await eventually(() => assert.ok(seen.at(-1) === "a,b", "a to see b"));
  await b.membership.drain();
  await eventually(() => assert.ok(seen.at(-1) === "a,b drains", "a to see b drain"));
  assert.deepEqual(
    (await a.membership.look()).nodes.map(({ nodeId, draining }) => [nodeId, draining === true]),
    [
      ["a", false],
      ["b", true],
    ],
  );
  await b.membership.leave();
  await eventually(() => assert.ok(seen.at(-1) === "a", "a to see b leave"));
  await a.membership.leave();
});

test("of two nodes that drain at once unless they are the last, one stays", options, async () => {
  const seen: string[] = [];
  const [a, b] = [member("a", seen, "{last}:"), member("b", [], "{last}:")];
  await a.membership.join();
  await b.membership.join();
  const drains = await Promise.all([a, b].map(({ membership }) => membership.drainUnlessLast()));
  assert.deepEqual(drains.toSorted(), [false, true]);
  const stays = drains[0] === false ? a : b;
  const live = (await stays.membership.look()).nodes.filter(({ draining }) => draining !== true);
  assert.deepEqual(live.length, 1);
  assert.equal(await stays.membership.drainUnlessLast(), false, "it is still the last");
  await Promise.all([a.membership.leave(), b.membership.leave()]);
});

test("a node that could not ask whether it is the last stays", options, async () => {
  const seen: string[] = [];
  const [a, b] = [member("a", seen, "{away}:"), member("b", [], "{away}:")];
  await a.membership.join();
  await b.membership.join();
  b.redis.disconnect();
  await assert.rejects(b.membership.drainUnlessLast(), /Redis did not answer/);
  await b.redis.connect();
  await eventually(async () =>
    assert.deepEqual(
      (await b.membership.look()).nodes.map(({ draining }) => draining === true),
      [false, false],
    ),
  );
  assert.equal(await b.membership.drainUnlessLast(), true);
  await eventually(() => assert.equal(seen.at(-1), "a,b drains"));
  await Promise.all([a.membership.leave(), b.membership.leave()]);
});

function member(name: string, events: string[], prefix: string, grants: number[] = []): { membership: Membership; redis: Redis } {
  const connection = new Redis(redis.url);
  const self: NodeFacts = { nodeId: name, incarnation: `${name}#1`, shards: 1, startedAtMs: 0, version: "1", schemas: OWN_NUMBERS };
  const membership = createMembership({
    script: membershipScript(connection, prefix),
    self,
    clock,
    timers: machineTimers,
    changed: (view) => events.push(view.nodes.map((node) => (node.draining === true ? `${node.nodeId} drains` : node.nodeId)).join(",")),
    looked: () => {},
    membershipExpired: async () => {
      events.push("expired");
    },
    granted: (untilMs) => grants.push(untilMs),
    failed: (error) => events.push(String(error)),
  });
  const made = { membership, redis: connection };
  members.push(made);
  return made;
}

test("nodes see each other join and leave", options, async () => {
  const [seenByA, seenByB]: [string[], string[]] = [[], []];
  const [a, b] = [member("a", seenByA, "{join}:"), member("b", seenByB, "{join}:")];
  await a.membership.join();
  await b.membership.join();
  assert.deepEqual(seenByB, ["a,b"]);
  await eventually(() => assert.ok(seenByA.at(-1) === "a,b", "a to see b"));
  await b.membership.leave();
  await eventually(() => assert.ok(seenByA.at(-1) === "a", "a to see b leave"));
  await a.membership.leave();
});

test("a node hears of its expiry, also when a renewal that was held up on its way has made it a member again", options, async () => {
  const seen: string[] = [];
  const slept: string[] = [];
  const [a, b] = [member("a", seen, "{late}:"), member("b", slept, "{late}:")];
  await a.membership.join();
  await b.membership.join();
  await eventually(() => assert.ok(seen.at(-1) === "a,b", "a to see b"));
  // In one transaction, so that nobody sees b away: its membership ends, and its own late renewal begins another.
  const script = readFileSync(new URL("../../../../storage/bus/cluster/membership.lua", import.meta.url), "utf8");
  const facts = (await a.redis.hget("{late}:member-facts", "b#1")) ?? "";
  const keys = ["members", "member-facts", "member-since", "nodes", "node-facts"].map((name) => `{late}:${name}`);
  await a.redis
    .multi()
    .zadd("{late}:members", 1, "b#1")
    .eval(script, keys.length, ...keys, "b#1", facts, LIFETIME_MS)
    .exec();
  await eventually(() => assert.ok(slept.includes("expired"), "b to hear of it"));
  assert.deepEqual(new Set(seen), new Set(["a", "a,b"]));
  await Promise.all([a.membership.leave(), b.membership.leave()]);
});

test("a membership that nobody renews, as a restored Redis has it, is no node that lives", options, async () => {
  const [a, b] = [member("a", [], "{others}:"), member("b", [], "{others}:")];
  assert.equal(await b.membership.othersLive(), false, "none was there ever");
  // Of nodes that are gone: an end within the lifetime, and one that Redis's clock will not reach.
  const script = membershipScript(b.redis, "{others}:");
  for (const lifetimeMs of [LIFETIME_MS / 3, 10 * LIFETIME_MS]) {
    await script("gone#1", JSON.stringify({ nodeId: "gone" }), lifetimeMs);
    assert.equal(await b.membership.othersLive(), false, "nobody renews it");
  }
  await script("gone#1", "", 0);
  await a.membership.join();
  assert.equal(await b.membership.othersLive(), true, "a renews its own");
  await a.membership.leave();
});

test("a membership that is not renewed expires, and its node hears of it when it is back", options, async () => {
  const seen: string[] = [];
  const slept: string[] = [];
  const grants: number[] = [];
  const [a, b] = [member("a", seen, "{sleep}:"), member("b", slept, "{sleep}:", grants)];
  await a.membership.join();
  await b.membership.join();
  assert.equal(grants.length, 1);
  assert.ok((grants[0] ?? 0) <= performance.now() + LIFETIME_MS, "a lease never outlives the membership");
  await eventually(() => assert.ok(seen.at(-1) === "a,b", "a to see b"));
  // As if b had slept: its entry is past its end. On one connection, so that a looks before b renews it.
  const [, without] = await Promise.all([a.redis.zadd("{sleep}:members", 1, "b#1"), a.membership.look()]);
  assert.deepEqual(
    without.nodes.map(({ nodeId }) => nodeId),
    ["a"],
    "a sees b expire",
  );
  await eventually(() => assert.ok(slept.includes("expired"), "b to hear of it"));
  await eventually(() => assert.ok(seen.at(-1) === "a,b", "b to be a member again"));
  await Promise.all([a.membership.leave(), b.membership.leave()]);
});
