import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Kv } from "../../engine/kernel/kv.ts";
import { ATTENTION, type AttentionItem } from "../../engine/payments/attention.ts";
import { newRouteRecord, withOpened, type ZvtRouteRecord } from "../../engine/zvt/route-record.ts";
import type { ZvtRouteStore } from "../../engine/zvt/route-store.ts";
import { ownWorldTest } from "./own-world.ts";

/** A store of its own for one test, empty. */
export interface OpenZvtRouteStore {
  store: ZvtRouteStore;
  kv: Kv;
  /** What is there now, the store takes for older than what it lost. */
  lose(): Promise<void>;
  nowMs(): number;
  close(): Promise<void>;
}

const ATTACHED = { connection: "1", shard: "shard-0", writer: "w1", address: "10.0.0.1" };

function opened(record: ZvtRouteRecord, amountCents: number, atMs: number): ZvtRouteRecord {
  const order = { terminalId: "T1", amountCents, currency: "0978" };
  return withOpened(record, { order, attached: ATTACHED, uuidOf: (seq) => `u${seq}`, atMs });
}

/** The contract of engine/zvt/route-store.ts; each engine's test file calls this. */
export function testZvtRouteStore(name: string, open: () => Promise<OpenZvtRouteStore>): void {
  describe(`${name} keeps the contract of the store of routes`, () => {
    const test = ownWorldTest(open);

    test("keeps a route as it was given, by its id", async ({ store, nowMs }) => {
      const record = opened(newRouteRecord("e1"), 1_000, nowMs());
      assert.equal(await store.load("till-1"), null);
      assert.equal(await store.commit({ routeId: "till-1", record, version: 0 }), true);
      const stored = await store.load("till-1");
      assert.deepEqual([stored?.record, stored?.historyLost], [record, false]);
      assert.equal(await store.load("till"), null);
      assert.deepEqual(await store.all(), [{ routeId: "till-1", record }]);
    });

    test("of a hundred 06-01 that were decided by one version one is stored", async ({ store, nowMs }) => {
      const before = newRouteRecord("e1");
      await store.commit({ routeId: "till-1", record: before, version: 0 });
      const version = (await store.load("till-1"))?.version ?? 0;
      const won = await Promise.all(
        Array.from({ length: 100 }, (_, index) => store.commit({ routeId: "till-1", record: opened(before, index + 1, nowMs()), version })),
      );
      assert.equal(won.filter((one) => one).length, 1);
      assert.equal((await store.load("till-1"))?.record.open?.amountCents, won.indexOf(true) + 1);
      assert.equal(await store.commit({ routeId: "till-1", record: before, version: 0 }), false);
    });

    test("tells operators in the same commit, or not at all, and takes it back the same way", async ({ store, kv, nowMs }) => {
      const record = newRouteRecord("e1");
      const item: AttentionItem = { kind: "zvt_undelivered", terminalId: "T1", uuid: "u1", atMs: nowMs(), detail: "untold", raw: null };
      const items = () => kv.scan({ from: ATTENTION, to: `${ATTENTION}~`, limit: 10 });
      assert.equal(await store.commit({ routeId: "till-1", record, version: 7, attention: [item] }), false);
      assert.deepEqual(await items(), []);
      await store.commit({ routeId: "till-1", record, version: 0, attention: [item] });
      assert.equal((await items()).length, 1);
      const version = (await store.load("till-1"))?.version ?? 0;
      await store.commit({ routeId: "till-1", record, version, settled: [item] });
      assert.deepEqual(await items(), []);
    });

    test("says what was written before the store lost some of its history", async ({ store, lose }) => {
      const record = newRouteRecord("e1");
      await store.commit({ routeId: "till-1", record, version: 0 });
      await lose();
      const stored = await store.load("till-1");
      assert.equal(stored?.historyLost, true);
      await store.commit({ routeId: "till-1", record, version: stored?.version ?? 0 });
      assert.equal((await store.load("till-1"))?.historyLost, false);
    });
  });
}
