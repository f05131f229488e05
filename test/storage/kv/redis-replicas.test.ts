import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { openRedisKv } from "../../../storage/kv/redis.ts";
import type { TestRedis } from "../../support/node/redis.ts";
import { skipReason } from "../../support/node/server-process.ts";
import { installWaitingRedis } from "../../support/node/waiting-redis.ts";
import { eventually } from "../../support/within.ts";
import { clientOf, countUp, FAULTS_SHOW_MS, kvOf, put, redisOf } from "./redis-world.ts";

const WRITERS = 4;
const COMMITS_BEFORE_THE_FAULT = 200;
const REPLICA_WAIT_MS = 1_000;

/** A primary and a copy of it, connected. */
async function pairOf(test: TestContext): Promise<{ primary: TestRedis; copy: TestRedis }> {
  const primary = await redisOf(test, {}, installWaitingRedis);
  const copy = await redisOf(test, { replicaof: `127.0.0.1 ${primary.port}` }, installWaitingRedis);
  const client = clientOf(test, copy);
  await eventually(async () => assert.match(await client.info("replication"), /^master_link_status:up\r?$/m));
  // A replica that has just copied everything rewrites its file, and tells of nothing on disk until that is done.
  const writer = clientOf(test, primary);
  await eventually(async () => {
    await writer.set("waited-for", "1");
    assert.deepEqual(await writer.call("waitaof", 1, 1, REPLICA_WAIT_MS), [1, 1]);
  });
  return { primary, copy };
}

describe("a Redis with a replica for failover", { skip: skipReason(await installWaitingRedis()) }, () => {
  it("acknowledges a commit once the replica has it on disk", async (test) => {
    const { primary, copy } = await pairOf(test);
    const kv = await kvOf(test, { url: primary.url, waitReplicas: 1 });
    const impatient = await kvOf(test, { url: primary.url, waitReplicas: 1, deadlineMs: FAULTS_SHOW_MS });
    assert.equal((await kv.commit(put("a", "1", 0))).type, "committed");
    process.kill(copy.process.pid, "SIGSTOP");
    try {
      await assert.rejects(impatient.commit(put("b", "1", 0)), { name: "StorageUnavailable" });
    } finally {
      process.kill(copy.process.pid, "SIGCONT");
    }
    // What became of it is told by the store, as for every commit whose answer did not come.
    await eventually(async () => assert.equal((await kv.get("b"))?.value, "1"));
    await eventually(async () => assert.equal((await kv.commit(put("c", "1"))).type, "committed"));
  });

  it("has every acknowledged commit after the primary is killed under load and the replica promoted", async (test) => {
    const { primary, copy } = await pairOf(test);
    const kv = await kvOf(test, { url: primary.url, waitReplicas: 1, deadlineMs: FAULTS_SHOW_MS });
    const stop = { stopped: false };
    const acknowledged = new Map<string, number>();
    const writers = Array.from({ length: WRITERS }, async (_, index) => {
      const key = `w${index}`;
      let version = 0;
      for (let count = 1; !stop.stopped; count += 1) {
        const result = await kv.commit(put(key, String(count), version)).catch(() => null);
        if (result?.type === "committed") {
          version = result.version;
          acknowledged.set(key, count);
        } else {
          // Not answered in time, by a busy machine or a dead primary: whether it is stored is asked before the next.
          version = (await kv.get(key).catch(() => null))?.version ?? version;
        }
      }
    });
    await eventually(
      () => assert.equal([...acknowledged.values()].reduce((sum, count) => sum + count, 0) > COMMITS_BEFORE_THE_FAULT, true),
      30_000,
    );
    await primary.process.kill();
    stop.stopped = true;
    await Promise.all(writers);
    await clientOf(test, copy).replicaof("NO", "ONE");
    const promoted = await eventually(() => openRedisKv({ url: copy.url, refuseProblems: true }));
    try {
      for (const [key, count] of acknowledged)
        assert.equal(Number((await promoted.get(key))?.value) >= count, true, `${key} stands below ${count}`);
    } finally {
      await promoted.close();
    }
  });

  it("takes commits again when a lost replica is back", async (test) => {
    const { primary, copy } = await pairOf(test);
    const kv = await kvOf(test, { url: primary.url, waitReplicas: 1, deadlineMs: FAULTS_SHOW_MS });
    const stop = { stopped: false };
    const counting = countUp(kv, "a", stop);
    await copy.process.kill();
    await eventually(async () => assert.equal((await kv.commit(put("x", "1")).catch(() => null)) === null, true));
    await copy.restart();
    await eventually(async () => assert.equal((await kv.commit(put("x", "2"))).type, "committed"));
    stop.stopped = true;
    const written = await counting;
    assert.equal(Number((await kv.get("a"))?.value ?? 0), written.known);
  });
});
