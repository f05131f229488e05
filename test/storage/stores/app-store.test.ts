import { after, before, describe } from "node:test";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import type { Kv } from "../../../storage/kv/kv.ts";
import { openRedisKv } from "../../../storage/kv/redis.ts";
import { createAppStore } from "../../../storage/stores/app-store.ts";
import { type OpenAppStore, testAppStore } from "../../contract/app-store.ts";
import { redisMissing, startTestRedis, type TestRedis } from "../../support/redis.ts";
import { ManualTime, temporaryDirectory } from "../kv/world.ts";

function opened(kv: Kv, time: ManualTime, close: () => Promise<void>): OpenAppStore {
  let writers = 0;
  const another = () => {
    writers += 1;
    return createAppStore({ kv, nowMs: time.nowMs, writer: `w${writers}` });
  };
  return { store: another(), nowMs: time.nowMs, advance: (ms) => time.advance(ms), another, close };
}

testAppStore("the embedded store", async () => {
  const directory = await temporaryDirectory();
  const time = new ManualTime();
  const kv = await openEmbeddedKv({ directory: directory.path, nowMs: time.nowMs });
  return opened(kv, time, async () => {
    await kv.close();
    await directory.remove();
  });
});

describe("on a real Redis", { skip: await redisMissing() }, () => {
  let redis: TestRedis;
  let worlds = 0;
  before(async () => {
    redis = await startTestRedis();
  });
  after(() => redis.stop());

  testAppStore("the Redis store", async () => {
    const time = new ManualTime();
    const keyPrefix = `{apps-${worlds++}}:`;
    const kv = await openRedisKv({ url: redis.url, keyPrefix, refuseProblems: true, nowMs: time.nowMs });
    return opened(kv, time, () => kv.close());
  });
});
