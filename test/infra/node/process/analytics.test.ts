import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import { freePort } from "../../../../infra/local/free-port.ts";
import { readConfig } from "../../../../infra/node/boot/config.ts";
import { createLog } from "../../../../infra/node/observability/log.ts";
import { startAnalytics } from "../../../../infra/node/process/analytics.ts";
import type { Analytics } from "../../../../infra/node/process/analytics-port.ts";
import { MemoryKv } from "../../../engine/kernel/memory-kv.ts";
import { realClock, transactionRow, write } from "../../../storage/feed/feed-world.ts";
import { atEnd } from "../../../storage/kv/world.ts";
import { within } from "../../../support/within.ts";

/** Where ClickHouse cannot be reached. */
async function analyticsOf(test: TestContext, kv: Kv): Promise<Analytics> {
  const clickhouse = { type: "server", url: `http://127.0.0.1:${await freePort()}` } as const;
  const log = createLog("silent", "test", realClock.monotonicMs);
  const analytics = startAnalytics({ config: { ...readConfig({}), clickhouse }, kv, clock: realClock, log });
  analytics.feed();
  atEnd(test, () => analytics.stop());
  return analytics;
}

describe("while ClickHouse has never been reached", () => {
  it("what it does not hold is told", async (test) => {
    const kv = new MemoryKv();
    await write(kv, [transactionRow({ uuid: "a" }), transactionRow({ uuid: "b" })], Date.now() - 60_000);
    const backlog = await (await analyticsOf(test, kv)).backlog();
    assert.equal(backlog?.depth, 2);
    assert.ok(backlog.oldestAgeMs >= 60_000);
  });

  it("that cannot be learned of a store that fails, nor of one that does not answer, which is not waited for", async (test) => {
    const failing = new MemoryKv();
    failing.unreadable = true;
    assert.equal(await (await analyticsOf(test, failing)).backlog(), null);
    const silent = new MemoryKv();
    silent.scan = () => new Promise(() => undefined);
    const analytics = await analyticsOf(test, silent);
    assert.equal(await within("what is said without it", analytics.backlog(), 4_000), null);
  });

  it("many who ask share one look", async (test) => {
    const kv = new MemoryKv();
    const analytics = await analyticsOf(test, kv);
    const before = kv.reads;
    const told = await Promise.all(Array.from({ length: 50 }, () => analytics.backlog()));
    assert.equal(new Set(told).size, 1);
    assert.ok(kv.reads - before <= 2, `the store was asked ${kv.reads - before} times`);
  });
});
