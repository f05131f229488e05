import assert from "node:assert/strict";
import { cp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { CommitTooLate, type Kv, prefixRange } from "../../../engine/kernel/kv.ts";
import { backgroundTimers } from "../../../infra/node/boot/machine-timers.ts";
import type { RedisKv } from "../../../storage/kv/redis.ts";
import type { HistoryLost } from "../../../storage/kv/redis-connection.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { startTcpProxy, type TcpProxy } from "../../support/node/tcp-proxy.ts";
import { eventually, within } from "../../support/within.ts";
import { clientOf, countUp, FAULTS_SHOW_MS, kvOf, put, redisOf, type Written } from "./redis-world.ts";
import { atEnd } from "./world.ts";

const WRITERS = 32;
const unavailable = { name: "StorageUnavailable" };

/** Starts writers, does `faults` under them, ends them, and compares what they know with what is stored. */
async function underLoad(kv: Kv, faults: () => Promise<void>): Promise<Written[]> {
  const stop = { stopped: false };
  const writers = Promise.all(Array.from({ length: WRITERS }, (_, index) => countUp(kv, `w${index}`, stop)));
  const failed = writers.catch(() => undefined);
  await Promise.race([faults(), failed]);
  stop.stopped = true;
  const written = await within("the writers' end", writers);
  for (const { key, known } of written) {
    // The last fault may be noticed only now.
    const [entry, claims] = await eventually(() => Promise.all([kv.get(key), kv.scan({ ...prefixRange(`${key}/`), limit: 10_000 })]));
    assert.equal(Number(entry?.value ?? 0), known, `${key} stands where its writer left it`);
    assert.equal(claims.length, Math.min(known, 10_000), `${key} has all its claims and no other`);
  }
  return written;
}

async function progress(kv: Kv, key: string): Promise<void> {
  const before = Number((await eventually(() => kv.get(key)))?.value ?? 0);
  await eventually(async () => assert.equal(Number((await kv.get(key))?.value ?? 0) > before + 3, true));
}

async function proxyOf(test: TestContext, port: number): Promise<TcpProxy & { url: string }> {
  const proxy = await startTcpProxy(port);
  atEnd(test, () => proxy.stop());
  return { ...proxy, url: `redis://127.0.0.1:${proxy.port}/0` };
}

async function isReady(kv: RedisKv): Promise<void> {
  await eventually(() => assert.equal(kv.available(), true));
}

describe("commits on a Redis", { skip: await redisMissing() }, () => {
  it("are neither lost nor made twice when it is killed with -9 in their midst", async (test) => {
    const redis = await redisOf(test);
    const lost: HistoryLost[] = [];
    const kv = await kvOf(test, { url: redis.url, deadlineMs: FAULTS_SHOW_MS, onHistoryLost: (event) => lost.push(event) });
    const written = await underLoad(kv, async () => {
      for (let round = 0; round < 3; round++) {
        await progress(kv, "w0");
        await redis.process.kill();
        await redis.restart();
        await isReady(kv);
      }
      await progress(kv, "w0");
    });
    assert.ok(written.reduce((sum, { unknown }) => sum + unknown, 0) > 0, "some outcomes were unknown");
    assert.deepEqual(lost, [], "a start under appendfsync always is no lost history");
  });

  it("are neither lost nor made twice when the network is cut again and again", async (test) => {
    const redis = await redisOf(test);
    const proxy = await proxyOf(test, redis.port);
    const kv = await kvOf(test, { url: proxy.url, deadlineMs: FAULTS_SHOW_MS });
    await underLoad(kv, async () => {
      for (let round = 0; round < 8; round++) {
        await progress(kv, "w0");
        proxy.cut();
        await isReady(kv);
      }
    });
  });

  it("that come to a paused Redis are rejected by their deadline and never made afterwards", async (test) => {
    const redis = await redisOf(test);
    const patient = await kvOf(test, { url: redis.url });
    await patient.commit(put("before", "1"));
    const deadlineMs = 400;
    const kv = await kvOf(test, { url: redis.url, deadlineMs });
    redis.process.pause();
    // The first ones are in Redis's sockets when it wakes up, the later ones never leave.
    const early = Array.from({ length: 3 }, (_, index) => assert.rejects(kv.commit(put(`early${index}`, "1")), unavailable));
    await delay(50);
    const later = assert.rejects(kv.commit(put("later", "1")), unavailable);
    const all = Promise.all([...early, later, assert.rejects(kv.get("before"), unavailable)]);
    // By timers of the same process, of which the earlier one is first also where a busy machine made all of them late.
    const late = new Promise((_, reject) => backgroundTimers.set(5 * deadlineMs, () => reject(new Error("not by the deadline"))));
    await Promise.race([all, late]);
    late.catch(() => undefined);
    await eventually(() => assert.equal(kv.available(), false));
    await delay(1_000);
    redis.process.resume();
    await isReady(kv);
    assert.deepEqual(await patient.getMany(["early0", "early1", "early2", "later"]), [null, null, null, null]);
    assert.equal((await patient.get("before"))?.value, "1");
    // Whatever sat in old sockets has been read once they are closed.
    const client = clientOf(test, redis);
    await eventually(async () => {
      const connections = await client.client("LIST");
      assert.equal(String(connections).match(/name=terminal-relay-kv/g)?.length, 2);
    });
    assert.deepEqual(
      (await patient.scan({ from: "", to: "~", limit: 10 })).map(({ key }) => key),
      ["before"],
    );
  });

  it("that Redis comes to later than they are waited for are not made, and told so, while others are", async (test) => {
    const redis = await redisOf(test);
    const kv = await kvOf(test, { url: redis.url });
    await kv.commit(put("before", "1"));
    redis.process.pause();
    const impatient = assert.rejects(kv.commit({ ...put("impatient", "1"), withinMs: 300 }), CommitTooLate);
    const patient = kv.commit(put("patient", "1"));
    const others = kv.commit({ ...put("in time", "1"), withinMs: 20_000 });
    await delay(1_000);
    redis.process.resume();
    await impatient;
    assert.deepEqual([(await patient).type, (await others).type], ["committed", "committed"]);
    assert.deepEqual(
      (await kv.getMany(["impatient", "patient", "in time"])).map((entry) => entry?.value ?? null),
      [null, "1", "1"],
    );
  });

  it("wait for a Redis that is away for a moment, and are refused at once when too many wait", async (test) => {
    const redis = await redisOf(test);
    const proxy = await proxyOf(test, redis.port);
    const kv = await kvOf(test, { url: proxy.url });
    proxy.part();
    await eventually(() => assert.equal(kv.available(), false));
    const waiting = kv.commit(put("patient", "1"));
    const crowd = Promise.allSettled(Array.from({ length: 20_000 }, (_, index) => kv.commit(put(`crowd${index}`, "1"))));
    await assert.rejects(kv.commit(put("one too many", "1")), { ...unavailable, message: /more than 20000 calls wait/ });
    proxy.join();
    assert.equal((await waiting).type, "committed");
    const rejected = (await crowd).filter(({ status }) => status === "rejected");
    assert.equal(rejected.length, 1);
  });
});

describe("a lost history", { skip: await redisMissing() }, () => {
  it("is told, as certain, when the data comes back without an acknowledged commit", async (test) => {
    const redis = await redisOf(test);
    const lost: HistoryLost[] = [];
    const kv = await kvOf(test, { url: redis.url, onHistoryLost: (event) => lost.push(event) });
    await kv.commit(put("a", "1"));
    await redis.process.kill();
    await rm(join(redis.directory, "appendonlydir"), { recursive: true });
    await redis.restart();
    await isReady(kv);
    assert.deepEqual(
      lost.map(({ certain }) => certain),
      [true],
    );
    assert.equal(await kv.get("a"), null);
    assert.equal(lost[0]?.lostVersion, kv.lostVersion());
  });

  it("begins where the data ends that came back, whatever others have committed before it is found", async (test) => {
    const redis = await redisOf(test);
    const proxy = await proxyOf(test, redis.port);
    const kv = await kvOf(test, { url: proxy.url });
    const other = await kvOf(test, { url: redis.url });
    const kept = await other.commit(put("a", "1"));
    const copy = join(redis.directory, "copy");
    await cp(join(redis.directory, "appendonlydir"), copy, { recursive: true });
    await kv.commit(put("b", "1"));
    proxy.part();
    await redis.process.kill();
    await rm(join(redis.directory, "appendonlydir"), { recursive: true });
    await rename(copy, join(redis.directory, "appendonlydir"));
    await redis.restart();
    await isReady(other);
    const since = await eventually(() => other.commit(put("c", "1")));
    proxy.join(redis.port);
    await isReady(kv);
    assert.ok(kept.type === "committed" && since.type === "committed");
    assert.equal(kv.lostVersion(), since.version);
    assert.equal(await kv.lostFrom(), kept.version);
  });

  it("is told when a copy was promoted, and to a store that is opened afterwards too", async (test) => {
    const primary = await redisOf(test, { "repl-diskless-sync-delay": "0" });
    const copy = await redisOf(test, { replicaof: `127.0.0.1 ${primary.port}` });
    const proxy = await proxyOf(test, primary.port);
    const lost: HistoryLost[] = [];
    const kv = await kvOf(test, { url: proxy.url, onHistoryLost: (event) => lost.push(event) });
    const first = await kv.commit(put("a", "1"));
    const copyClient = clientOf(test, copy);
    await eventually(async () => assert.equal(await copyClient.zcard("{relay}:index"), 1));
    proxy.part();
    await primary.process.kill();
    await copyClient.replicaof("NO", "ONE");
    proxy.join(copy.port);
    await isReady(kv);
    assert.deepEqual(
      lost.map(({ certain }) => certain),
      [false],
    );
    const second = await kv.commit(put("a", "2"));
    assert.ok(first.type === "committed" && second.type === "committed" && second.version > first.version);

    // It has been told, so a store opened now has nothing to tell; one that had not been told would have.
    const told: HistoryLost[] = [];
    await kvOf(test, { url: proxy.url, onHistoryLost: (event) => told.push(event) });
    assert.equal(told.length, 0);
    await copyClient.hset("{relay}:entries", "\u{1}history", lost[0]?.before ?? "");
    await kvOf(test, { url: proxy.url, onHistoryLost: (event) => told.push(event) });
    assert.equal(told.length, 1);
  });
});
