import { after, before, describe } from "node:test";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { openRedisKv } from "../../../storage/kv/redis.ts";
import { createCallCountStore } from "../../../storage/stores/call-count-store.ts";
import { createMerchantStore } from "../../../storage/stores/merchant-store.ts";
import { testMerchantStore } from "../../contract/merchant-store.ts";
import { redisMissing, startTestRedis, type TestRedis } from "../../support/redis.ts";
import { ManualTime, temporaryDirectory } from "../kv/world.ts";

testMerchantStore("the embedded store", async () => {
  const directory = await temporaryDirectory();
  const kv = await openEmbeddedKv({ directory: directory.path, nowMs: new ManualTime().nowMs });
  return {
    store: createMerchantStore(kv),
    calls: createCallCountStore(kv),
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

  testMerchantStore("the Redis store", async () => {
    const keyPrefix = `{merchants-${worlds++}}:`;
    const kv = await openRedisKv({ url: redis.url, keyPrefix, refuseProblems: true, nowMs: new ManualTime().nowMs });
    return { store: createMerchantStore(kv), calls: createCallCountStore(kv), close: () => kv.close() };
  });
});
