import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { MemoryKv } from "../engine/kernel/memory-kv.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess } from "../fault/node-process.ts";
import { member, RelayCaller } from "../fault/relay-caller.ts";
import { goldenForms } from "../golden/forms.ts";
import { STORED_EXAMPLES } from "../golden/stored-examples.ts";
import { atEnd } from "../storage/kv/world.ts";
import { redisMissing, startTestRedis } from "../support/node/redis.ts";
import { checkOutFormerVersion, type FormerVersion, formerVersionMissing } from "./former-version.ts";

const missing = (await formerVersionMissing()) || (await redisMissing());

/** The former version runs from its sources, which takes as long again. */
const START_MS = 60_000;

let former: FormerVersion;

type Start = (which: "former" | "this", nodeId: string) => Promise<NodeProcess>;

/** Starts nodes of both versions on one Redis. Neither wants Kafka or ClickHouse for what is looked at here. */
async function onOneRedis(test: TestContext): Promise<Start> {
  const redis = await startTestRedis();
  atEnd(test, () => redis.stop());
  const environment = {
    ...NO_CLICKHOUSE,
    RELAY_REDIS_URL: redis.url,
    RELAY_KAFKA_BROKERS: "127.0.0.1:1",
    RELAY_SHARDS: "1",
  };
  return async (which, nodeId) => {
    const place = await placeOf(test);
    const checkout = which === "former" ? { checkout: former.directory } : {};
    return startNodeProcess(test, {
      ...place,
      ...checkout,
      environment: { ...environment, RELAY_NODE_ID: nodeId, RELAY_PACKAGE_DIR: `${place.dataDirectory}/packages` },
    });
  };
}

/** Starts nodes of both versions, one after the other, on one data directory. */
async function onOneDirectory(test: TestContext): Promise<Start> {
  const place = await placeOf(test);
  return async (which) => {
    const checkout = which === "former" ? { checkout: former.directory } : {};
    return startNodeProcess(test, { ...place, ...checkout, environment: { ...NO_CLICKHOUSE, RELAY_SHARDS: "1" } });
  };
}

function callerOf(test: TestContext, { url }: NodeProcess): RelayCaller {
  const caller = new RelayCaller(url);
  atEnd(test, () => caller.close());
  return caller;
}

async function stop(node: NodeProcess): Promise<void> {
  node.signal("SIGTERM");
  assert.deepEqual(await node.exited, { code: 0, signal: null }, node.output());
}

/** It ended by itself, and said `sentence`. */
async function assertRefused(node: NodeProcess, sentence: RegExp): Promise<void> {
  const { code } = await node.exited;
  assert.equal(code, 1, node.output());
  assert.match(node.output(), sentence);
}

/** What an operator can mend is told without a stack. */
function assertPlain(node: NodeProcess): void {
  assert.ok(!/^ +at /m.test(node.output()), node.output());
}

/** T1 has a paid command, one that was sent, and one that waits. */
async function pay(caller: RelayCaller): Promise<void> {
  for (const uuid of ["paid", "sent"]) {
    assert.equal((await caller.pay("T1", uuid))?.status, 200);
    assert.equal(member((await caller.poll("T1"))?.body, "uuid"), uuid);
  }
  assert.equal((await caller.receipt("T1", "paid", "OK"))?.status, 200);
  assert.equal((await caller.pay("T1", "waits"))?.status, 200);
}

/** All of that is there, and goes on. */
async function assertGoesOn(caller: RelayCaller): Promise<void> {
  const state = async (uuid: string) => member((await caller.life(uuid))?.body, "data", "state");
  assert.deepEqual([await state("paid"), await state("sent"), await state("waits")], ["done", "sent", "queued"]);
  for (const uuid of ["paid", "sent", "waits"]) assert.equal((await caller.pay("T1", uuid))?.status, 400, `${uuid} is refused again`);
  assert.equal(member((await caller.poll("T1"))?.body, "uuid"), "waits");
  for (const uuid of ["sent", "waits"]) assert.equal((await caller.receipt("T1", uuid, "OK"))?.status, 200);
  assert.deepEqual([await state("sent"), await state("waits")], ["done", "done"]);
}

/** Payments go their way. */
async function assertServes(caller: RelayCaller, uuid: string): Promise<void> {
  assert.equal((await caller.pay("T1", uuid))?.status, 200);
  assert.equal(member((await caller.poll("T1"))?.body, "uuid"), uuid);
  assert.equal((await caller.receipt("T1", uuid, "OK"))?.status, 200);
  assert.equal(member((await caller.life(uuid))?.body, "data", "state"), "done");
}

describe("a node of the former version and one of this", { skip: missing }, () => {
  before(async () => {
    former = await checkOutFormerVersion();
  });
  after(() => former.remove());

  it("do not run beside each other: this one refuses to start while the former runs", async (test) => {
    const start = await onOneRedis(test);
    const old = await start("former", "old");
    await old.ready();
    const caller = callerOf(test, old);
    await pay(caller);

    const refused = await start("this", "new");
    await assertRefused(
      refused,
      new RegExp(`the node old runs Terminal Relay ${former.version}, .*: stop all nodes of ${former.version}, then start this one`),
    );
    assertPlain(refused);
    await assertGoesOn(caller);
    await assertServes(caller, "later");

    // It left the store as it was, too.
    await stop(old);
    const again = await start("former", "old-again");
    await again.ready();
    await assertServes(callerOf(test, again), "after-a-restart");
  });

  it("do not run beside each other: the former refuses to start while this one runs, and after it", async (test) => {
    const start = await onOneRedis(test);
    const old = await start("former", "old");
    await old.ready();
    await pay(callerOf(test, old));
    await old.kill();

    // As soon as one that died is a member no more.
    const node = await start("this", "new");
    await node.ready();
    const caller = callerOf(test, node);
    await assertGoesOn(caller);

    const told =
      /Terminal Relay \S+ has written to this store: start that version or a newer one, or restore a backup from before that version, infra\/docs\/upgrading\.md/;
    await assertRefused(await start("former", "old"), told);
    await assertServes(caller, "later");
    await stop(node);
    await assertRefused(await start("former", "old"), told);
    const again = await start("this", "new");
    await again.ready();
    await assertServes(callerOf(test, again), "after-a-restart");
  });

  it("do not run beside each other: a former one that slept while this one started serves nobody when it wakes", {
    timeout: 4 * START_MS,
  }, async (test) => {
    const start = await onOneRedis(test);
    const old = await start("former", "old");
    await old.ready();
    const asleep = callerOf(test, old);
    await pay(asleep);
    old.signal("SIGSTOP");
    const node = await start("this", "new");
    await node.ready();
    old.signal("SIGCONT");
    // Its lease ran out while it slept, and it is let in no more to get another one.
    for (const endMs = performance.now() + 10_000; performance.now() < endMs; await delay(50)) {
      const answer = await asleep.poll("T1");
      assert.equal(answer?.status, 503, answer?.text);
    }
    await assertGoesOn(callerOf(test, node));
  });

  it("do not run beside each other where they are started at once: one of them is refused", async (test) => {
    const start = await onOneRedis(test);
    const nodes = await Promise.all([start("former", "old"), start("this", "new")]);
    const started = await Promise.allSettled(nodes.map((node) => node.ready()));
    const [ready, refused] = started[0]?.status === "fulfilled" ? nodes : nodes.toReversed();
    assert.deepEqual(started.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    assert.ok(ready !== undefined && refused !== undefined);
    test.diagnostic(`refused: ${refused.output().trim().split("\n").at(0)}`);
    assert.equal((await refused.exited).code, 1);
    await assertServes(callerOf(test, ready), "later");
  });

  it("keep links apart: the former takes no step of one that this one has written, which may be an attempt at an intent", async () => {
    // Without the members that it does not know, and without what belongs to the step, it would leave the intent behind and owe nothing back.
    const { createLinkStore } = await import(`${former.directory}/storage/stores/link-store.ts`);
    const kv = new MemoryKv();
    const links = createLinkStore({ kv, retentionMs: 1, writer: "former" });
    const golden = goldenForms("stored-forms.json");
    const operations = Object.entries(Object(golden.written("link", 1))).map(([key, value]) => ({
      ...{ type: "put" as const, key },
      value: String(value),
    }));
    await kv.commit({ checks: [], operations });
    assert.equal(member(await links.load("link-1"), "record", "state"), "success", "its own it reads");
    const now = new MemoryKv();
    await STORED_EXAMPLES.link.write(now);
    await assert.rejects(createLinkStore({ kv: now, retentionMs: 1, writer: "former" }).load("link-1"), (error) => {
      // Its store says no more of what it could not read than that it could not.
      assert.ok(error instanceof Error);
      assert.match(`${error.message} ${error.cause}`, /a link has schema 2, which this version cannot read/);
      return true;
    });
  });

  it("open one data directory one after the other: this one reads it, and the former refuses it from then on", async (test) => {
    const start = await onOneDirectory(test);
    const old = await start("former", "old");
    await old.ready();
    await pay(callerOf(test, old));
    await stop(old);

    const node = await start("this", "new");
    await node.ready();
    await assertGoesOn(callerOf(test, node));
    await stop(node);

    const refused = await start("former", "old");
    await assertRefused(refused, /has layout 2, this version reads layout 1: start the version that wrote it, or restore a backup/);
    assertPlain(refused);
    const again = await start("this", "new");
    await again.ready();
    await assertServes(callerOf(test, again), "after-a-restart");
  });
});
