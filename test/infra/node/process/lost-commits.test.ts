import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Kv, StorageUnavailable } from "../../../../engine/kernel/kv.ts";
import type { Timers } from "../../../../engine/kernel/timers.ts";
import { createAttentionStore } from "../../../../engine/payments/attention-store.ts";
import { createLostCommits, type LossWindow } from "../../../../infra/node/process/lost-commits.ts";
import { createHistoryStore } from "../../../../storage/kv/history-store.ts";
import { MemoryKv } from "../../../engine/kernel/memory-kv.ts";

const NOW_MS = 1_800_000_000_000;
const LOST_FROM_MS = NOW_MS - 90_000;
const LOST_VERSION = (NOW_MS - 5_000) * 1_000;

/** Reports of one node on a store that does not answer the first `failures` times. */
function world(failures = 0) {
  const stored = new MemoryKv();
  let left = failures;
  async function answered<T>(work: () => Promise<T>): Promise<T> {
    if (left === 0) return work();
    left -= 1;
    throw new StorageUnavailable("away");
  }
  const kv: Kv = { ...methodsOf(stored), commit: (commit) => answered(() => stored.commit(commit)) };
  const logged: LossWindow[] = [];
  let due: (() => void)[] = [];
  const timers: Timers = {
    set: (_ms, work) => {
      due.push(work);
      return { clear: () => undefined };
    },
    every: () => assert.fail("nothing is repeated"),
    soon: () => assert.fail("nothing is put off"),
  };
  const lost = createLostCommits({
    kv,
    redis: { versionsPerMs: 1_000, lostFrom: () => answered(async () => LOST_FROM_MS * 1_000) },
    timers,
    nowMs: () => NOW_MS,
    log: { commitsLost: (window) => logged.push(window), storeRestored: (window) => logged.push(window), storeFailed: assert.fail },
  });
  return {
    lost,
    logged,
    kv: stored,
    items: () => createAttentionStore(stored).ofTerminal("store_lost_commits", "", 10),
    /** Lets pass what was started, and the waits for another attempt. */
    settle: async () => {
      for (let round = 0; round < 10; round += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        const works = due;
        due = [];
        for (const work of works) work();
      }
    },
  };
}

function methodsOf(kv: Kv): Kv {
  return {
    get: (key) => kv.get(key),
    getMany: (keys) => kv.getMany(keys),
    scan: (range) => kv.scan(range),
    count: (range) => kv.count(range),
    commit: (commit) => kv.commit(commit),
    close: () => kv.close(),
  };
}

describe("lost commits", () => {
  it("are reported once, whichever connections say so, and are recorded for the next start", async () => {
    const { lost, logged, kv, items, settle } = world();
    for (let connection = 0; connection < 3; connection += 1) lost.noticed({ certain: true, lostVersion: LOST_VERSION });
    await settle();
    assert.equal(lost.count(), 1);
    assert.deepEqual(logged, [{ certain: true, lostFromMs: LOST_FROM_MS, lostUntilMs: NOW_MS }]);
    const [item, ...others] = await items();
    assert.equal(others.length, 0);
    assert.equal(item?.uuid, new Date(LOST_FROM_MS).toISOString());
    assert.match(item?.detail ?? "", /^The store has lost commits .* between \S+Z and \S+Z:/);
    const pending = await createHistoryStore(kv).loss();
    assert.equal(pending?.lostVersion, LOST_FROM_MS * 1_000);
    assert.equal(pending?.acknowledged, false);
  });

  it("are reported as certain by a later connection that knows", async () => {
    const { lost, logged, kv, items, settle } = world();
    const isCertain = async () => (await createHistoryStore(kv).loss())?.certain;
    lost.noticed({ certain: false, lostVersion: LOST_VERSION });
    await settle();
    assert.match((await items())[0]?.detail ?? "", /^The store may have lost/);
    assert.equal(await isCertain(), false);
    lost.noticed({ certain: true, lostVersion: LOST_VERSION });
    lost.noticed({ certain: false, lostVersion: LOST_VERSION });
    await settle();
    assert.deepEqual(
      logged.map(({ certain }) => certain),
      [false, true],
    );
    assert.match((await items())[0]?.detail ?? "", /^The store has lost/);
    assert.equal(await isCertain(), true, "the next start says so, too");
    assert.equal(lost.count(), 1);
  });

  it("are stored as soon as the store answers again, and are counted at once", async () => {
    const { lost, logged, items, settle } = world(3);
    lost.noticed({ certain: true, lostVersion: LOST_VERSION });
    assert.equal(lost.count(), 1);
    await settle();
    assert.equal(logged.length, 1);
    assert.equal((await items()).length, 1);
  });

  it("of a later loss are another item", async () => {
    const { lost, settle } = world();
    lost.noticed({ certain: true, lostVersion: LOST_VERSION });
    lost.noticed({ certain: true, lostVersion: LOST_VERSION + 1 });
    lost.noticed({ certain: true, lostVersion: LOST_VERSION });
    await settle();
    assert.equal(lost.count(), 2);
  });

  it("that a start has found are an item, too", async () => {
    const { lost, logged, items } = world();
    await lost.restored({ certain: true, lostFromMs: LOST_FROM_MS, lostUntilMs: NOW_MS });
    assert.equal(lost.count(), 1);
    assert.equal(logged.length, 1);
    assert.equal((await items()).length, 1);
  });
});
