import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SharedWindows } from "../../../../storage/bus/cluster/shared-windows.ts";
import { redisMissing } from "../../../support/node/redis.ts";
import { eventually } from "../../../support/within.ts";
import { clientOf, redisOf } from "../../kv/redis-world.ts";
import { impatientTimers, patientTimers } from "./limits-of-waits.ts";

const ask = (client: string, perSecond: number, noted = 0) => ({ client, perSecond, noted, asks: true });

describe("windows of all nodes", { skip: await redisMissing() }, () => {
  it("admit the limit in a second, whoever asks, and say when there is room", async (test) => {
    const redis = await redisOf(test);
    const [one, other] = [
      new SharedWindows(clientOf(test, redis), "{w}:", patientTimers),
      new SharedWindows(clientOf(test, redis), "{w}:", patientTimers),
    ];
    // Both are connected and Redis has the script: what they ask in one turn comes to Redis at once, however busy the machine is.
    await one.ask(ask("warm", 10));
    await other.ask(ask("warm", 10));
    const before = one.runs + other.runs;
    const uses = await Promise.all(Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? one : other).ask(ask("a", 10))));
    assert.equal(uses.filter(({ admitted }) => admitted).length, 10);
    assert.deepEqual(Math.max(...uses.map(({ count }) => count)), 10);
    const refused = uses.filter(({ admitted }) => !admitted);
    for (const { waitMs } of refused) assert.ok(waitMs > 0 && waitMs <= 1_001, `${waitMs} ms`);
    assert.equal(one.runs + other.runs - before, 2, "what is asked in one turn is asked at once");
    assert.equal((await one.ask(ask("b", 10))).admitted, true, "clients are counted apart");
    const { waitMs } = await one.ask(ask("a", 10));
    await delay(waitMs + 20);
    assert.equal((await other.ask(ask("a", 10))).admitted, true);
  });

  it("count what was admitted without asking, also beyond the limit", async (test) => {
    const redis = await redisOf(test);
    const windows = new SharedWindows(clientOf(test, redis), "{w}:", patientTimers);
    // In one run, within which no second passes.
    const uses = await Promise.all([
      windows.ask({ client: "a", perSecond: 10, noted: 4, asks: false }),
      windows.ask(ask("a", 10, 5)),
      windows.ask(ask("a", 10, 3)),
    ]);
    assert.equal(windows.runs, 1);
    const [noted, use, beyond] = uses;
    assert.deepEqual(noted, { count: 4, admitted: false, waitMs: 0 });
    assert.deepEqual([use.count, use.admitted], [10, true]);
    assert.deepEqual([beyond.count, beyond.admitted], [10, false]);
  });

  it("cost the append-only file nothing", async (test) => {
    const redis = await redisOf(test);
    const client = clientOf(test, redis);
    const windows = new SharedWindows(client, "{w}:", patientTimers);
    const folder = join(redis.directory, "appendonlydir");
    const size = async () => {
      const files = await readdir(folder);
      const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
      return sizes.reduce((sum, bytes) => sum + bytes, 0);
    };
    await client.set("marker", "1");
    const before = await size();
    // They are kept for two seconds: the machine may stand still for longer between the last and the look.
    let tries = 0;
    await eventually(async () => {
      tries += 1;
      for (let round = 0; round < 20; round += 1) await windows.ask(ask(`a${tries}`, 100));
      assert.equal(await client.llen(`{w}:window:a${tries}`), 20, "and yet they are there");
    });
    assert.equal(await size(), before);
  });

  it("are asked again by their text when Redis has forgotten the script, and end in time when it is away", async (test) => {
    const redis = await redisOf(test);
    const client = clientOf(test, redis);
    const windows = new SharedWindows(client, "{w}:", patientTimers);
    await windows.ask(ask("warm", 10));
    await client.script("FLUSH");
    assert.equal((await windows.ask(ask("a", 10))).count, 1);
    redis.process.pause();
    const { timers, limitsMs } = impatientTimers();
    await assert.rejects(new SharedWindows(client, "{w}:", timers).ask(ask("a", 10)), /did not answer in time/);
    assert.deepEqual(limitsMs, [1_000]);
    redis.process.resume();
  });
});
