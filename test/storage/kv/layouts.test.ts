import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClassicLevel } from "classic-level";
import { Redis } from "ioredis";
import type { Commit } from "../../../engine/kernel/kv.ts";
import { SCHEMAS } from "../../../engine/kernel/schemas.ts";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { openRedisKv } from "../../../storage/kv/redis.ts";
import { redisMissing, startTestRedis } from "../../support/node/redis.ts";
import { atEnd, directoryOf } from "./world.ts";

const missing = await redisMissing();

const EXPIRES_AT_MS = 4_102_444_800_000;

const COMMIT: Commit = {
  checks: [],
  operations: [
    { type: "put", key: "lasts", value: "v,1" },
    { type: "put", key: "expires", value: "v 2", expiresAtMs: EXPIRES_AT_MS },
  ],
};

/** Who changes how entries lie gives the layout its next number in engine/kernel/schemas.ts, and reads the one before. */
describe("how entries lie", () => {
  it("in LevelDB is layout 2", async (test) => {
    assert.equal(SCHEMAS.layout.writes, 2);
    const directory = await directoryOf(test);
    const kv = await openEmbeddedKv({ directory, nowMs: Date.now });
    await kv.commit(COMMIT);
    await kv.close();
    const level = new ClassicLevel(directory);
    const entries = await level.iterator().all();
    await level.close();
    const version = entries.find(([key]) => key === "\u{1}version")?.[1] ?? "";
    assert.match(version, /^\d{16,}$/);
    assert.deepEqual(Object.fromEntries(entries), {
      "\u{1}layout": "2",
      "\u{1}version": version,
      [`\u{1}x/000${EXPIRES_AT_MS}/expires`]: "",
      expires: `${version},${EXPIRES_AT_MS},v 2`,
      lasts: `${version},0,v,1`,
    });
  });

  it("in Redis is layout 1", { skip: missing }, async (test) => {
    assert.equal(SCHEMAS.redisLayout.writes, 1);
    const redis = await startTestRedis();
    atEnd(test, () => redis.stop());
    const kv = await openRedisKv({ url: redis.url, refuseProblems: true });
    await kv.commit(COMMIT);
    await kv.close();
    const client = new Redis(redis.url);
    const [entries, index] = [await client.hgetall("{relay}:entries"), await client.zrange("{relay}:index", "0", "-1", "WITHSCORES")];
    client.disconnect();
    const version = entries["\u{1}last"] ?? "";
    assert.match(version, /^\d{16}$/);
    const { expires, lasts, ...own } = entries;
    assert.deepEqual([expires, lasts], [`${version} ${EXPIRES_AT_MS} v 2`, `${version} 0 v,1`]);
    assert.deepEqual(index, ["expires", "0", "lasts", "0"]);
    const names = Object.keys(own).map((name) => name.replace(/w:[0-9a-f]{16}$/, "w:writer"));
    assert.deepEqual(names.sort(), ["\u{1}began", "\u{1}history", "\u{1}last", "\u{1}w:writer"]);
  });
});
