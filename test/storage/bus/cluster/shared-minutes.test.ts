import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PART_MS, WINDOW_PARTS } from "../../../../engine/kernel/minute-counts.ts";
import { createSharedMinutes } from "../../../../storage/bus/cluster/shared-minutes.ts";
import { redisMissing } from "../../../support/node/redis.ts";
import { clientOf, redisOf } from "../../kv/redis-world.ts";
import { impatientTimers, patientTimers } from "./limits-of-waits.ts";

describe("calls of a minute at all nodes", { skip: await redisMissing() }, () => {
  it("are admitted up to the limit, whoever asks and however many at once", async (test) => {
    const redis = await redisOf(test);
    const nodes = [0, 1].map(() => createSharedMinutes(clientOf(test, redis), "{m}:", patientTimers));
    const startedAt = performance.now();
    const waits = await Promise.all(Array.from({ length: 60 }, (_, n) => nodes[n % 2]?.take("a", 20)));
    assert.equal(waits.filter((waitMs) => waitMs === 0).length, 20);
    for (const waitMs of waits) assert.ok(waitMs !== undefined && waitMs <= WINDOW_PARTS * PART_MS);
    const again = await nodes[0]?.take("a", 20);
    // Since the first of them was counted: a whole minute, and what is left of the second in which it was.
    const tookMs = performance.now() - startedAt;
    assert.ok(again !== undefined && again >= (WINDOW_PARTS - 1) * PART_MS - tookMs, `${again}, ${tookMs} ms later`);
    assert.equal(await nodes[0]?.take("b", 1), 0);
    assert.equal(await nodes[1]?.take("a", 21), 0);
  });

  it("leave the window with the second that they were counted in, and nothing of them stays", async (test) => {
    const redis = await redisOf(test);
    const client = clientOf(test, redis);
    const minutes = createSharedMinutes(client, "{m}:", patientTimers);
    const startedAt = performance.now();
    const [seconds] = await client.time();
    // As if they had been counted then.
    const part = Number(seconds);
    await client.hset("{m}:minute:a", { [part - 61]: 5, [part - 30]: 2, [part]: 1 });
    const waitMs = await minutes.take("a", 3);
    const tookMs = performance.now() - startedAt;
    // Until the second half a minute ago has left the window.
    const leavesInMs = (WINDOW_PARTS - 30) * PART_MS;
    assert.ok(waitMs > leavesInMs - 2 * PART_MS - tookMs && waitMs <= leavesInMs, `${waitMs}`);
    assert.equal(await client.hget("{m}:minute:a", String(part - 61)), null);
    assert.equal(await minutes.take("a", 4), 0);
    const leftMs = await client.pttl("{m}:minute:a");
    assert.ok(leftMs > 0 && leftMs <= WINDOW_PARTS * PART_MS, `${leftMs}`);
  });

  it("are asked again by their text when Redis has forgotten the script, and end in time when it is away", async (test) => {
    const redis = await redisOf(test);
    const client = clientOf(test, redis);
    const minutes = createSharedMinutes(client, "{m}:", patientTimers);
    await minutes.take("a", 10);
    await client.script("FLUSH");
    assert.equal(await minutes.take("a", 10), 0);
    redis.process.pause();
    const { timers, limitsMs } = impatientTimers();
    await assert.rejects(createSharedMinutes(client, "{m}:", timers).take("a", 10), /did not answer in time/);
    assert.deepEqual(limitsMs, [1_000]);
    redis.process.resume();
  });
});
