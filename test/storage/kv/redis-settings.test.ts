import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openRedisKv } from "../../../storage/kv/redis.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { eventually } from "../../support/within.ts";
import { clientOf, kvOf, put, redisOf } from "./redis-world.ts";
import { ManualTime } from "./world.ts";

describe("a Redis that would lose commits", { skip: await redisMissing() }, () => {
  it("is refused with all its reasons, or told and used", async (test) => {
    const redis = await redisOf(test, { appendonly: "no", appendfsync: "everysec", "maxmemory-policy": "allkeys-lru" });
    const problems = [
      "appendonly is no, not yes",
      "appendfsync is everysec, not always",
      "maxmemory-policy is allkeys-lru, not noeviction",
    ];
    await assert.rejects(openRedisKv({ url: redis.url, refuseProblems: true }), { name: "RedisRefused", problems });
    const told: (readonly string[])[] = [];
    const kv = await kvOf(test, { url: redis.url, refuseProblems: false, onProblems: (list) => told.push(list) });
    assert.deepEqual(told, [problems]);
    assert.deepEqual(kv.stats().problems, problems);
    assert.equal((await kv.commit(put("a", "1"))).type, "committed");
  });

  it("is refused from the next connection on, and used again once it is put right", async (test) => {
    const redis = await redisOf(test);
    const told: (readonly string[])[] = [];
    const kv = await kvOf(test, { url: redis.url, onProblems: (list) => told.push(list) });
    const client = clientOf(test, redis);
    await client.config("SET", "appendfsync", "everysec");
    await client.call("CLIENT", ["KILL", "TYPE", "normal", "SKIPME", "yes"]);
    await eventually(() => assert.equal(kv.stats().state, "refused"));
    assert.equal(kv.available(), false);
    await assert.rejects(kv.commit(put("a", "1")), { name: "StorageUnavailable", message: /appendfsync is everysec/ });
    await client.config("SET", "appendfsync", "always");
    await eventually(() => assert.equal(kv.available(), true));
    assert.deepEqual(told, [["appendfsync is everysec, not always"], []]);
    assert.equal((await kv.commit(put("a", "1"))).type, "committed");
  });

  it("is refused when it cannot wait for replicas as configured", async (test) => {
    const redis = await redisOf(test);
    const refusal = openRedisKv({ url: redis.url, refuseProblems: true, waitReplicas: 1 });
    await assert.rejects(refusal, { name: "RedisRefused", message: /0 replica\(s\) are connected, commits wait for 1/ });
  });

  it("that is not there is StorageUnavailable, in the time given", async () => {
    // Where the machine stands still for so long, the time is over before anything is known of the connection.
    await eventually(async () => {
      const opening = openRedisKv({ url: "redis://127.0.0.1:1/0", refuseProblems: true, openTimeoutMs: 200 });
      await assert.rejects(opening, { name: "StorageUnavailable", message: /^Redis did not answer in 200 ms \(.*ECONNREFUSED/ });
    });
  });
});

describe("the Redis store", { skip: await redisMissing() }, () => {
  it("goes on when Redis has forgotten the scripts", async (test) => {
    const redis = await redisOf(test);
    const kv = await kvOf(test, { url: redis.url });
    await kv.commit(put("a", "1"));
    await clientOf(test, redis).script("FLUSH");
    assert.equal((await kv.commit(put("a", "2"))).type, "committed");
    assert.equal((await kv.scan({ from: "a", to: "b", limit: 1 }))[0]?.value, "2");
  });

  it("sends the commits of one turn together, and those that come meanwhile", async (test) => {
    const redis = await redisOf(test);
    const kv = await kvOf(test, { url: redis.url });
    await Promise.all(Array.from({ length: 500 }, (_, index) => kv.commit(put(`k${index}`, "1", 0))));
    assert.ok(kv.stats().batches <= 3, `${kv.stats().batches} round trips`);
    assert.equal((await kv.scan({ from: "k", to: "l", limit: 1_000 })).length, 500);
  });

  it("scans more than a page holds, by number and by size", async (test) => {
    const redis = await redisOf(test, { appendfsync: "no" });
    const kv = await kvOf(test, { url: redis.url, refuseProblems: false });
    const keys = Array.from({ length: 1_500 }, (_, index) => `k${String(index).padStart(5, "0")}`);
    await kv.commit({ checks: [], operations: keys.map((key) => ({ type: "put", key, value: "v".repeat(2_000) })) });
    const forwards = await kv.scan({ from: "k", to: "l", limit: 10_000 });
    assert.deepEqual(
      forwards.map(({ key }) => key),
      keys,
    );
    const backwards = await kv.scan({ from: "k", to: "l", limit: 1_200, reverse: true });
    assert.deepEqual(
      backwards.map(({ key }) => key),
      keys.toReversed().slice(0, 1_200),
    );
  });

  it("makes no part of a commit when Redis is full, and deletes make room", async (test) => {
    const redis = await redisOf(test, { maxmemory: "4mb" });
    const kv = await kvOf(test, { url: redis.url });
    const large = (n: number) => ({ type: "put" as const, key: `k${n}`, value: "v".repeat(300_000) });
    await kv.commit({ checks: [], operations: [large(0), large(1), large(2)] });
    let full = 3;
    while (
      full < 20 &&
      (await kv.commit({ checks: [], operations: [large(full)] }).then(
        () => true,
        () => false,
      ))
    )
      full++;
    const mixed = kv.commit({ checks: [], operations: [{ type: "delete", key: "k0" }, large(full)] });
    await assert.rejects(mixed, { name: "StorageUnavailable" });
    const keys = async () => (await kv.scan({ from: "k", to: "l", limit: 100 })).length;
    assert.equal(await keys(), full);
    const deletes = ["k0", "k1", "k2"].map((key) => ({ type: "delete" as const, key }));
    assert.equal((await kv.commit({ checks: [], operations: deletes })).type, "committed");
    assert.equal((await kv.commit(put("small", "1"))).type, "committed");
    assert.equal(await keys(), full - 3);
  });

  it("keeps apart what has another prefix", async (test) => {
    const redis = await redisOf(test);
    const [one, other] = [
      await kvOf(test, { url: redis.url, keyPrefix: "{one}:" }),
      await kvOf(test, { url: redis.url, keyPrefix: "{other}:" }),
    ];
    await one.commit(put("a", "1"));
    assert.equal(await other.get("a"), null);
  });

  it("goes by Redis's clock for expiry", async (test) => {
    const redis = await redisOf(test);
    const kv = await kvOf(test, { url: redis.url });
    const [seconds] = await clientOf(test, redis).time();
    const nowMs = Number(seconds) * 1_000;
    const expiring = (key: string, expiresAtMs: number) => ({ type: "put" as const, key, value: "1", expiresAtMs });
    await kv.commit({ checks: [], operations: [expiring("past", nowMs), expiring("future", nowMs + 60_000)] });
    assert.deepEqual(
      (await kv.getMany(["past", "future"])).map((entry) => entry?.key ?? null),
      [null, "future"],
    );
    assert.equal((await kv.commit(put("past", "2", 0))).type, "committed");
    assert.deepEqual(await kv.commit(put("future", "2", 0)), { type: "conflict", key: "future" });
  });

  it("sweeps away what has expired, and nothing else", async (test) => {
    const redis = await redisOf(test);
    const time = new ManualTime();
    const kv = await kvOf(test, { url: redis.url, nowMs: time.nowMs });
    const keys = Array.from({ length: 3_000 }, (_, index) => `k${index}`);
    const expiresAtMs = time.nowMs() + 1_000;
    const operations = keys.map((key, index) => ({ type: "put" as const, key, value: "v", ...(index % 3 === 0 ? {} : { expiresAtMs }) }));
    await kv.commit({ checks: [], operations });
    assert.equal(await kv.sweep(), 0);
    time.advance(1_000);
    // The first goes on where the one before ended, up to the end; the second begins again.
    assert.equal((await kv.sweep()) + (await kv.sweep()), 2_000);
    const client = clientOf(test, redis);
    assert.equal(await client.zcard("{relay}:index"), 1_000);
    // And the store's own four fields.
    assert.equal(await client.hlen("{relay}:entries"), 1_004);
    assert.equal((await kv.scan({ from: "k", to: "l", limit: 10_000 })).length, 1_000);
  });
});
