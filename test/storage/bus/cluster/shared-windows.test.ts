import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { machineTimers } from "../../../../infra/node/boot/machine-timers.ts";
import { SharedWindows } from "../../../../storage/bus/cluster/shared-windows.ts";
import { redisMissing } from "../../../support/redis.ts";
import { clientOf, redisOf } from "../../kv/redis-world.ts";

const ask = (client: string, perSecond: number, noted = 0) => ({ client, perSecond, noted, asks: true });

describe("windows of all nodes", { skip: await redisMissing() }, () => {
  it("admit the limit in a second, whoever asks, and say when there is room", async (test) => {
    const redis = await redisOf(test);
    const [one, other] = [
      new SharedWindows(clientOf(test, redis), "{w}:", machineTimers),
      new SharedWindows(clientOf(test, redis), "{w}:", machineTimers),
    ];
    const uses = await Promise.all(Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? one : other).ask(ask("a", 10))));
    assert.equal(uses.filter(({ admitted }) => admitted).length, 10);
    assert.deepEqual(Math.max(...uses.map(({ count }) => count)), 10);
    const refused = uses.filter(({ admitted }) => !admitted);
    for (const { waitMs } of refused) assert.ok(waitMs > 0 && waitMs <= 1_001, `${waitMs} ms`);
    assert.ok(one.runs + other.runs <= 4, "what is asked in one turn is asked at once");
    assert.equal((await one.ask(ask("b", 10))).admitted, true, "clients are counted apart");
    const { waitMs } = await one.ask(ask("a", 10));
    await delay(waitMs + 20);
    assert.equal((await other.ask(ask("a", 10))).admitted, true);
  });

  it("count what was admitted without asking, also beyond the limit", async (test) => {
    const redis = await redisOf(test);
    const windows = new SharedWindows(clientOf(test, redis), "{w}:", machineTimers);
    assert.deepEqual(await windows.ask({ client: "a", perSecond: 10, noted: 4, asks: false }), { count: 4, admitted: false, waitMs: 0 });
    const use = await windows.ask(ask("a", 10, 5));
    assert.deepEqual([use.count, use.admitted], [10, true]);
    const beyond = await windows.ask(ask("a", 10, 3));
    assert.deepEqual([beyond.count, beyond.admitted], [10, false]);
  });

  it("cost the append-only file nothing", async (test) => {
    const redis = await redisOf(test);
    const client = clientOf(test, redis);
    const windows = new SharedWindows(client, "{w}:", machineTimers);
    const folder = join(redis.directory, "appendonlydir");
    const size = async () => {
      const files = await readdir(folder);
      const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
      return sizes.reduce((sum, bytes) => sum + bytes, 0);
    };
    await client.set("marker", "1");
    const before = await size();
    for (let round = 0; round < 20; round += 1) await windows.ask(ask("a", 100));
    assert.equal(await size(), before);
    assert.equal(await client.llen("{w}:window:a"), 20, "and yet they are there");
  });

  it("are asked again by their text when Redis has forgotten the script, and end in time when it is away", async (test) => {
    const redis = await redisOf(test);
    const client = clientOf(test, redis);
    const windows = new SharedWindows(client, "{w}:", machineTimers);
    await windows.ask(ask("a", 10));
    await client.script("FLUSH");
    assert.equal((await windows.ask(ask("a", 10))).count, 2);
    redis.process.pause();
    const startedAt = performance.now();
    await assert.rejects(windows.ask(ask("a", 10)), /did not answer in time/);
    assert.ok(performance.now() - startedAt < 3_000, "in time");
    redis.process.resume();
  });
});
