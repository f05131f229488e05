import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { Redis } from "ioredis";
import { RelayError } from "../../../../engine/domain/errors.ts";
import type { Address, Bus } from "../../../../engine/ports/bus.ts";
import { type ClusterProtocol, clusterAddress, createClusterBus, streamOf } from "../../../../storage/bus/cluster/cluster-bus.ts";
import { encodeMessages } from "../../../../storage/bus/cluster/envelope.ts";
import { createMembership, type Membership, type NodeFacts } from "../../../../storage/bus/cluster/membership.ts";
import { createStreamWriter, startStreamReader } from "../../../../storage/bus/cluster/stream-reader.ts";
import { createThreadBus } from "../../../../storage/bus/thread-bus.ts";
import { redisMissing, startTestRedis, type TestRedis } from "../../../support/redis.ts";
import { eventually } from "../../../support/within.ts";

interface Echo {
  echo: { question: { text: string; fail?: boolean }; answer: { text: string; from: Address } };
  note: { question: string; answer: undefined };
}

type Wire = Echo & ClusterProtocol;

const PREFIX = "{test}:";
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const missing = await redisMissing();
const options = { skip: missing };
let redis: TestRedis;

before(async () => {
  if (missing === false) redis = await startTestRedis();
});
after(() => redis?.stop());

/** A node with one shard: a thread bus of its own, a stream reader, and the cluster bus on both. */
async function startNode(incarnation: string, shards: Address[], redisNowMs = () => Date.now()) {
  const { port1, port2 } = new MessageChannel();
  const main = createThreadBus<Wire>({
    self: "main",
    shards: ["shard-0"],
    ports: new Map([["shard-0", port1]]),
    clock,
    outstandingMax: 100,
  });
  const threads = createThreadBus<Wire>({
    self: "shard-0",
    shards: ["shard-0"],
    ports: new Map([["main", port2]]),
    clock,
    outstandingMax: 100,
  });
  const [reading, writing] = [new Redis(redis.url), new Redis(redis.url)];
  const notes: string[] = [];
  const errors: unknown[] = [];
  const bus: Bus<Echo> = createClusterBus<Echo>({
    threads,
    incarnation,
    write: createStreamWriter(writing, PREFIX),
    shards: () => shards,
    clock,
    redisNowMs,
    outstandingMax: 100,
    onError: (error) => errors.push(error),
  });
  bus.serve("echo", ({ text, fail }, from) => {
    if (fail === true) throw new RelayError("conflict", "no", { retryAfterSeconds: 3 });
    return { text, from };
  });
  bus.serve("note", (text) => {
    notes.push(text);
    return undefined;
  });
  const reader = startStreamReader({
    redis: reading,
    keyPrefix: PREFIX,
    incarnation,
    deliver: (thread, entryMs, bytes) => main.tell(thread, "cluster.deliver", { entryMs, bytes }),
    failed: (error) => errors.push(error),
  });
  return {
    bus,
    notes,
    errors,
    stop: async () => {
      await reader.stop();
      writing.disconnect();
      threads.close();
      main.close();
    },
  };
}

test("a question to another node is answered, and knows who asked", options, async () => {
  const [a, b] = [await startNode("a#1", []), await startNode("b#1", [])];
  try {
    const answer = await a.bus.ask(clusterAddress("b#1", "shard-0"), "echo", { text: "ciao" }, 2_000);
    assert.deepEqual(answer, { text: "ciao", from: "a#1/shard-0" });
    const own = await a.bus.ask(clusterAddress("a#1", "shard-0"), "echo", { text: "self" }, 2_000);
    assert.equal(own.text, "self");
  } finally {
    await Promise.all([a.stop(), b.stop()]);
  }
});

test("an error crosses with its code, and nothing more", options, async () => {
  const [a, b] = [await startNode("a#2", []), await startNode("b#2", [])];
  try {
    await assert.rejects(a.bus.ask(clusterAddress("b#2", "shard-0"), "echo", { text: "", fail: true }, 2_000), {
      code: "conflict",
      message: "no",
      retryAfterSeconds: 3,
    });
  } finally {
    await Promise.all([a.stop(), b.stop()]);
  }
});

test("a question to a node that is gone ends at its deadline", options, async () => {
  const a = await startNode("a#3", []);
  try {
    await assert.rejects(a.bus.ask(clusterAddress("gone#1", "shard-0"), "echo", { text: "" }, 100), { code: "unavailable" });
  } finally {
    await a.stop();
  }
});

test("what is told in a turn arrives in order", options, async () => {
  const [a, b] = [await startNode("a#4", []), await startNode("b#4", [])];
  try {
    for (let index = 0; index < 100; index += 1) a.bus.tell(clusterAddress("b#4", "shard-0"), "note", String(index));
    await eventually(() => assert.ok(b.notes.length === 100, "the notes to arrive"));
    assert.deepEqual(
      b.notes,
      Array.from({ length: 100 }, (_, index) => String(index)),
    );
  } finally {
    await Promise.all([a.stop(), b.stop()]);
  }
});

test("a question read after its deadline is dropped", options, async () => {
  const writer = new Redis(redis.url);
  const ask = {
    type: "ask",
    from: "x#1/shard-0",
    to: "late#1/shard-0",
    id: 1,
    kind: "echo",
    body: { text: "old" },
    timeoutMs: 50,
  } as const;
  await createStreamWriter(writer, PREFIX)("late#1", "shard-0", encodeMessages([ask]));
  await createStreamWriter(writer, PREFIX)(
    "late#1",
    "shard-0",
    encodeMessages([{ type: "tell", from: "x#1/shard-0", to: "late#1/shard-0", kind: "note", body: "read" }]),
  );
  // A node whose Redis clock is far on: it slept.
  const late = await startNode("late#1", [], () => Date.now() + 60_000);
  try {
    await eventually(() => assert.ok(late.notes.length === 1, "the note after the question"));
    assert.equal(await writer.xlen(streamOf(PREFIX, "x#1")), 0, "nothing is answered");
  } finally {
    writer.disconnect();
    await late.stop();
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

function member(name: string, events: string[], prefix: string): { membership: Membership; redis: Redis } {
  const connection = new Redis(redis.url);
  const self: NodeFacts = { nodeId: name, incarnation: `${name}#1`, shards: 1, startedAtMs: 0 };
  const membership = createMembership({
    redis: connection,
    keyPrefix: prefix,
    self,
    clock,
    changed: (view) => events.push(view.nodes.map((node) => node.nodeId).join(",")),
    looked: () => {},
    lapsed: () => events.push("lapsed"),
    failed: (error) => events.push(String(error)),
  });
  return { membership, redis: connection };
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
  a.redis.disconnect();
  b.redis.disconnect();
});

test("a membership that is not renewed lapses, and its node hears of it when it is back", options, async () => {
  const seen: string[] = [];
  const slept: string[] = [];
  const [a, b] = [member("a", seen, "{sleep}:"), member("b", slept, "{sleep}:")];
  await a.membership.join();
  await b.membership.join();
  await eventually(() => assert.ok(seen.at(-1) === "a,b", "a to see b"));
  // As if b had slept: its entry is past its end.
  await a.redis.zadd("{sleep}:nodes", 1, "b#1");
  await eventually(() => assert.ok(seen.at(-1) === "a", "a to see b lapse"));
  await eventually(() => assert.ok(slept.includes("lapsed"), "b to hear of it"));
  await eventually(() => assert.ok(seen.at(-1) === "a,b", "b to be a member again"));
  await Promise.all([a.membership.leave(), b.membership.leave()]);
  a.redis.disconnect();
  b.redis.disconnect();
});
