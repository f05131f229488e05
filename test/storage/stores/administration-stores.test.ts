import { after, before, describe } from "node:test";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { openRedisKv } from "../../../storage/kv/redis.ts";
import { testAdministrationStores } from "../../contract/administration-stores.ts";
import { redisMissing, startTestRedis, type TestRedis } from "../../support/redis.ts";
import { ManualTime, temporaryDirectory } from "../kv/world.ts";

testAdministrationStores("the embedded store", async () => {
  const directory = await temporaryDirectory();
  const clock = new ManualTime();
  const kv = await openEmbeddedKv({ directory: directory.path, nowMs: clock.nowMs });
  return {
    kv,
    clock,
    close: async () => {
      await kv.close();
      await directory.remove();
    },
  };
});

describe("on a real Redis", { skip: await redisMissing() }, () => {
  let redis: TestRedis;
  let worlds = 0;
  before(async () => {
    redis = await startTestRedis();
  });
  after(() => redis.stop());

  testAdministrationStores("the Redis store", async () => {
    const clock = new ManualTime();
    const kv = await openRedisKv({ url: redis.url, keyPrefix: `{admin-${worlds++}}:`, refuseProblems: true, nowMs: clock.nowMs });
    return { kv, clock, close: () => kv.close() };
  });
});
