import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { installRedis } from "../../../infra/local/redis.ts";
import type { HistoryLost } from "../../../storage/kv/redis-connection.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { startTestSentinels } from "../../support/node/sentinel.ts";
import { skipReason } from "../../support/node/server-process.ts";
import { installWaitingRedis } from "../../support/node/waiting-redis.ts";
import { eventually } from "../../support/within.ts";
import { clientOf, countUp, kvOf, put } from "./redis-world.ts";

const WRITERS = 4;
const COMMITS_BEFORE_THE_FAULT = 200;
/** Sentinels find a primary dead, agree, and promote; the other replica copies the new primary. */
const FAILED_OVER_MS = 90_000;

describe("Sentinels that fail over", { skip: await redisMissing() }, () => {
  it("are followed to the promoted replica, which is told to have lost what it may not have", async (test) => {
    const { url, servers, primary } = await startTestSentinels(test, { replicas: 1, install: installRedis });
    const losses: HistoryLost[] = [];
    const kv = await kvOf(test, { url, onHistoryLost: (lost) => losses.push(lost) });
    const first = await kv.commit(put("a", "1", 0));
    assert.equal(first.type, "committed");
    const copy = servers[1];
    assert.ok(copy !== undefined);
    // Until then nobody promises that the replica has it.
    const client = clientOf(test, copy);
    await eventually(async () => assert.equal(await client.hexists("{relay}:entries", "a"), 1));
    await servers[0]?.process.kill();
    await eventually(async () => assert.equal((await kv.commit(put("b", "1"))).type, "committed"), FAILED_OVER_MS);
    assert.equal(await primary(), 1);
    assert.equal((await kv.get("a"))?.value, "1");
    assert.equal(losses.length, 1);
    assert.ok(kv.lostVersion() >= (first.type === "committed" ? first.version : Number.POSITIVE_INFINITY));

    // The former primary comes back as one, and is made a replica: nobody writes to it.
    await servers[0]?.restart();
    assert.equal((await kv.commit(put("c", "1"))).type, "committed");
    const former = servers[0];
    assert.ok(former !== undefined);
    const returned = clientOf(test, former);
    await eventually(async () => assert.match(await returned.info("replication"), /^role:slave\r?$/m), FAILED_OVER_MS);
    await eventually(async () => assert.equal(await returned.hexists("{relay}:entries", "c"), 1), FAILED_OVER_MS);
    assert.equal((await kv.commit(put("d", "1"))).type, "committed");
    assert.equal(losses.length, 1);
  });
});

describe("Sentinels that fail over between replicas that are waited for", { skip: skipReason(await installWaitingRedis()) }, () => {
  it("lose nothing that was acknowledged, under load", async (test) => {
    const { url, servers, primary } = await startTestSentinels(test, { replicas: 2, install: installWaitingRedis });
    const losses: HistoryLost[] = [];
    const kv = await kvOf(test, { url, waitReplicas: 1, deadlineMs: 3_000, onHistoryLost: (lost) => losses.push(lost) });
    const stop = { stopped: false };
    const counting = Array.from({ length: WRITERS }, (_, index) => countUp(kv, `w${index}`, stop));
    await eventually(async () => {
      const counts = await Promise.all(
        Array.from({ length: WRITERS }, async (_, index) => Number((await kv.get(`w${index}`))?.value ?? 0)),
      );
      assert.ok(counts.reduce((sum, count) => sum + count, 0) > COMMITS_BEFORE_THE_FAULT);
    });
    await servers[0]?.process.kill();
    // `countUp` fails where an acknowledged step is gone.
    await eventually(async () => assert.equal((await kv.commit(put("after", "1"))).type, "committed"), FAILED_OVER_MS);
    assert.ok((await primary()) > 0);
    stop.stopped = true;
    for (const written of await Promise.all(counting)) assert.equal(Number((await kv.get(written.key))?.value), written.known);
    assert.deepEqual(losses, []);
  });
});
