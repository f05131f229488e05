import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { machineTimers } from "../../../../infra/node/boot/machine-timers.ts";
import { SharedLogins } from "../../../../storage/bus/cluster/shared-logins.ts";
import { redisMissing } from "../../../support/redis.ts";
import { clientOf, redisOf } from "../../kv/redis-world.ts";

const MINUTE_MS = 60_000;

function attempt(secret: string, ...windows: [key: string, max: number, windowMs?: number][]) {
  return { secret, windows: windows.map(([key, max, windowMs = MINUTE_MS]) => ({ key, max, windowMs })) };
}

describe("wrong passwords of all nodes", { skip: await redisMissing() }, () => {
  it("are counted up to the limit, whoever asks and however many at once, and the fullest window is told", async (test) => {
    const redis = await redisOf(test);
    const nodes = [0, 1].map(() => new SharedLogins(clientOf(test, redis), "{l}:", machineTimers));
    const verdicts = await Promise.all(
      Array.from({ length: 40 }, (_, n) => nodes[n % 2]?.attempt(attempt(`s${n}`, ["a", 10], ["b", 100]))),
    );
    assert.equal(verdicts.filter((verdict) => verdict?.type === "counted").length, 10);
    for (const verdict of verdicts) {
      if (verdict?.type !== "held") continue;
      assert.equal(verdict.window, 0);
      assert.ok(verdict.forMs > 0 && verdict.forMs <= MINUTE_MS, `${verdict.forMs} ms`);
    }
    const [one] = nodes;
    const other = await one?.attempt(attempt("s", ["c", 10], ["b", 10, 5 * MINUTE_MS]));
    assert.ok(other?.type === "held" && other.window === 1 && other.forMs > 4 * MINUTE_MS);
    assert.equal((await one?.attempt(attempt("s", ["c", 1], ["d", 1])))?.type, "counted", "what was held was not counted");
  });

  it("count once each, can be taken back, and become old", async (test) => {
    const redis = await redisOf(test);
    const client = clientOf(test, redis);
    const logins = new SharedLogins(client, "{l}:", machineTimers);
    const lengthMs = 400;
    const one = attempt("s1", ["a", 2, lengthMs]);
    assert.equal((await logins.attempt(one)).type, "counted");
    assert.equal((await logins.attempt(one)).type, "again");
    assert.equal((await logins.attempt(attempt("s2", ["a", 2, lengthMs]))).type, "counted");
    assert.equal((await logins.attempt(one)).type, "again", "also when it is full");
    await logins.takeBack(one);
    assert.equal((await logins.attempt(attempt("s3", ["a", 2, lengthMs]))).type, "counted");
    const held = await logins.attempt(one);
    assert.ok(held.type === "held");
    await delay(held.forMs + 20);
    assert.equal((await logins.attempt(one)).type, "counted");
    await delay(lengthMs + 100);
    assert.deepEqual(await client.keys("*"), [], "nothing is left");
  });

  it("are asked again by their text when Redis has forgotten the script, and end in time when it is away", async (test) => {
    const redis = await redisOf(test);
    const client = clientOf(test, redis);
    const logins = new SharedLogins(client, "{l}:", machineTimers);
    await logins.attempt(attempt("s1", ["a", 10]));
    await client.script("FLUSH");
    assert.equal((await logins.attempt(attempt("s1", ["a", 10]))).type, "again");
    redis.process.pause();
    await assert.rejects(logins.attempt(attempt("s2", ["a", 10])), /did not answer in time/);
    redis.process.resume();
  });
});
