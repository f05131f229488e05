import { after, before, describe } from "node:test";
import { openRedisKv } from "../../../storage/kv/redis.ts";
import { testKv } from "../../contract/kv.ts";
import { redisMissing, startTestRedis, type TestRedis } from "../../support/redis.ts";
import { ManualTime } from "./world.ts";

describe("the contract on a real Redis", { skip: await redisMissing() }, () => {
  let redis: TestRedis;
  let worlds = 0;
  before(async () => {
    redis = await startTestRedis();
  });
  after(() => redis.stop());

  testKv("the Redis store", async () => {
    const time = new ManualTime();
    const keyPrefix = `{contract-${worlds++}}:`;
    const kv = await openRedisKv({ url: redis.url, keyPrefix, refuseProblems: true, nowMs: time.nowMs });
    return { kv, advance: (ms) => time.advance(ms), nowMs: time.nowMs, close: () => kv.close() };
  });
});
