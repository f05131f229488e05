import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SharedLogins } from "../../../../storage/bus/cluster/shared-logins.ts";
import { redisMissing } from "../../../support/node/redis.ts";
import { eventually } from "../../../support/within.ts";
import { clientOf, redisOf } from "../../kv/redis-world.ts";
import { impatientTimers, patientTimers } from "./limits-of-waits.ts";

const MINUTE_MS = 60_000;
/** So short a window becomes old within a test. */
const SHORT_MS = 400;

function attempt(secret: string, ...windows: [key: string, max: number, windowMs?: number][]) {
  return { secret, windows: windows.map(([key, max, windowMs = MINUTE_MS]) => ({ key, max, windowMs })) };
}

describe("wrong passwords of all nodes", { skip: await redisMissing() }, () => {
  it("are counted up to the limit, whoever asks and however many at once, and the fullest window is told", async (test) => {
    const redis = await redisOf(test);
    const nodes = [0, 1].map(() => new SharedLogins(clientOf(test, redis), "{l}:", patientTimers));
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

  it("count once each, and can be taken back", async (test) => {
    const redis = await redisOf(test);
    const logins = new SharedLogins(clientOf(test, redis), "{l}:", patientTimers);
    const one = attempt("s1", ["a", 2]);
    assert.equal((await logins.attempt(one)).type, "counted");
    assert.equal((await logins.attempt(one)).type, "again");
    assert.equal((await logins.attempt(attempt("s2", ["a", 2]))).type, "counted");
    assert.equal((await logins.attempt(one)).type, "again", "also when it is full");
    await logins.takeBack(one);
    assert.equal((await logins.attempt(attempt("s3", ["a", 2]))).type, "counted");
    assert.equal((await logins.attempt(one)).type, "held");
  });

  it("become old, when it is said of them", async (test) => {
    const redis = await redisOf(test);
    const client = clientOf(test, redis);
    const logins = new SharedLogins(client, "{l}:", patientTimers);
    let tries = 0;
    // Where the machine stands still for that long, the first is old before the second is asked.
    const held = await eventually(async () => {
      tries += 1;
      const full = (secret: string) => logins.attempt(attempt(secret, [`a${tries}`, 1, SHORT_MS]));
      assert.equal((await full("s1")).type, "counted");
      const verdict = await full("s2");
      assert.ok(verdict.type === "held" && verdict.forMs <= SHORT_MS, verdict.type);
      return { forMs: verdict.forMs, full };
    });
    await delay(held.forMs + 20);
    assert.equal((await held.full("s2")).type, "counted");
    await eventually(async () => assert.deepEqual(await client.keys("*"), [], "nothing is left"));
  });

  it("are asked again by their text when Redis has forgotten the script, and end in time when it is away", async (test) => {
    const redis = await redisOf(test);
    const client = clientOf(test, redis);
    const logins = new SharedLogins(client, "{l}:", patientTimers);
    await logins.attempt(attempt("s1", ["a", 10]));
    await client.script("FLUSH");
    assert.equal((await logins.attempt(attempt("s1", ["a", 10]))).type, "again");
    redis.process.pause();
    const { timers, limitsMs } = impatientTimers();
    await assert.rejects(new SharedLogins(client, "{l}:", timers).attempt(attempt("s2", ["a", 10])), /did not answer in time/);
    assert.deepEqual(limitsMs, [1_000]);
    redis.process.resume();
  });
});
