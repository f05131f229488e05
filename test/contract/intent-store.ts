import assert from "node:assert/strict";
import { describe } from "node:test";
import type { IntentRecord } from "../../engine/intents/intent.ts";
import type { IntentIndexStore } from "../../engine/intents/intent-index-store.ts";
import { NO_PART } from "../../engine/kernel/commit-part.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { Place } from "../../engine/kernel/merchant-index-store.ts";
import type { PageQuery } from "../../engine/kernel/page.ts";
import type { WorkflowStore } from "../../engine/workflow/workflow-store.ts";
import { attempt, intent, refundEntry } from "../engine/intents/machine-world.ts";
import { ownWorldTest } from "./own-world.ts";

/** A store of its own for one test, empty. */
export interface OpenIntentStore {
  store: WorkflowStore<IntentRecord>;
  indexes: IntentIndexStore;
  kv: Kv;
  retentionMs: number;
  nowMs(): number;
  advance(ms: number): void;
  close(): Promise<void>;
}

const idOf = (prefix: string, n: number) => `${prefix}_${String(n).padStart(24, "0")}`;
const LIST = { merchantId: "M1", livemode: false };
const QUERY: PageQuery = { limit: 3, startingAfter: null, endingBefore: null, fromMs: null, beforeMs: null };

/** One with a charge and a refund of the same number. */
function numbered(n: number, createdAtMs: number, changes: Partial<IntentRecord> = {}): IntentRecord {
  const chargeId = idOf("ch", n);
  return intent([attempt(1, "paid", { chargeId, endedAtMs: createdAtMs })], {
    id: idOf("pi", n),
    createdAtMs,
    refunds: [refundEntry({ id: idOf("re", n), chargeId, createdAtMs, told: true })],
    ...changes,
  });
}

/** The contract of the store of intents. The test file of each engine calls it. */
export function testIntentStore(name: string, open: () => Promise<OpenIntentStore>): void {
  describe(`${name} keeps the contract of the intent store`, () => {
    const test = ownWorldTest(open);
    /** Returns the new version; null for a conflict. */
    const commit = async (store: OpenIntentStore["store"], record: IntentRecord, atMs: number, version = 0, part = NO_PART) => {
      const result = await store.commit({ before: version === 0 ? null : record, record, version, part, atMs });
      return result.type === "committed" ? result.version : null;
    };

    test("keeps an intent as it was given, and refuses its id a second time", async ({ store, nowMs }) => {
      const record = numbered(1, nowMs());
      assert.equal(await store.load(record.id), null);
      const version = await commit(store, record, nowMs());
      assert.deepEqual(await store.load(record.id), { record, version });
      assert.equal(await commit(store, record, nowMs()), null);
      for (const id of ["", "pi_1", "pi_é", `${record.id}/`, `${record.id}0`]) assert.equal(await store.load(id), null);
    });

    test("stores one of fifty steps from one version, with what is added to its commit", async ({ store, kv, nowMs }) => {
      const record = numbered(1, nowMs());
      const version = (await commit(store, record, nowMs())) ?? 0;
      const versions = await Promise.all(
        Array.from({ length: 50 }, (_, index) => {
          const operations = [{ type: "put" as const, key: `also/${index}`, value: "1" }];
          return commit(store, { ...record, events: index + 2 }, nowMs(), version, { checks: [], operations });
        }),
      );
      assert.equal(versions.filter((one) => one !== null).length, 1);
      assert.equal((await kv.scan({ from: "also/", to: "also/~", limit: 100 })).length, 1);
    });

    test("finds it by its charges and by the refunds that somebody was told of", async ({ store, indexes, nowMs }) => {
      const record = numbered(1, nowMs());
      const version =
        (await commit(store, { ...record, refunds: [refundEntry({ id: idOf("re", 1), chargeId: idOf("ch", 1) })] }, nowMs())) ?? 0;
      assert.equal((await indexes.ofCharge(idOf("ch", 1)))?.id, record.id);
      assert.equal(await indexes.ofRefund(idOf("re", 1)), null);
      assert.deepEqual((await indexes.pageRefunds(LIST, QUERY, null)).items, []);
      await commit(store, record, nowMs(), version);
      assert.deepEqual(await indexes.ofRefund(idOf("re", 1)), record);
      assert.equal(await indexes.ofCharge(idOf("ch", 2)), null);
    });

    test("lists newest first, in both directions, with whether there are more", async ({ store, indexes, nowMs }) => {
      // Pairs of the same millisecond: their ids decide.
      const all = Array.from({ length: 8 }, (_, index) => numbered(index + 1, nowMs() + Math.floor(index / 2)));
      for (const record of all) await commit(store, record, nowMs());
      await commit(store, numbered(20, nowMs(), { merchantId: "M10" }), nowMs());
      await commit(store, numbered(21, nowMs(), { livemode: true }), nowMs());
      const newest = [...all].reverse();
      const placeOf = ({ id, createdAtMs }: IntentRecord): Place => ({ id, atMs: createdAtMs });
      const ids = (records: readonly IntentRecord[]) => records.map(({ id }) => id);
      for (let limit = 1; limit <= 9; limit += 1) {
        for (let from = -1; from < 8; from += 1) {
          const cursor = newest[from];
          const older = await indexes.page(
            LIST,
            { ...QUERY, limit, startingAfter: cursor?.id ?? null },
            cursor === undefined ? null : placeOf(cursor),
          );
          const expected = newest.slice(from + 1);
          assert.deepEqual(ids(older.items), ids(expected.slice(0, limit)), `${limit} older than ${from}`);
          assert.equal(older.hasMore, expected.length > limit);
          if (cursor === undefined) continue;
          const newer = await indexes.page(LIST, { ...QUERY, limit, endingBefore: cursor.id }, placeOf(cursor));
          const before = newest.slice(0, from);
          assert.deepEqual(ids(newer.items), ids(before.slice(-limit)), `${limit} newer than ${from}`);
          assert.equal(newer.hasMore, before.length > limit);
        }
      }
      const bounded = await indexes.page(LIST, { ...QUERY, limit: 10, fromMs: nowMs() + 1, beforeMs: nowMs() + 3 }, null);
      assert.deepEqual(ids(bounded.items), ids(all.slice(2, 6).reverse()));
      assert.deepEqual((await indexes.page(LIST, { ...QUERY, fromMs: nowMs() + 9, beforeMs: nowMs() }, null)).items, []);
      // Milliseconds after the year 2286 have a digit more than the keys.
      const everything = await indexes.page(LIST, { ...QUERY, limit: 10, beforeMs: 253_402_300_800_000 }, null);
      assert.deepEqual(ids(everything.items), ids(newest));
      assert.deepEqual((await indexes.page(LIST, { ...QUERY, fromMs: 10_000_000_000_000 }, null)).items, []);
      const charges = await indexes.pageCharges(LIST, QUERY, null);
      assert.deepEqual(
        [charges.items.map(({ attempt: one }) => one.chargeId), charges.hasMore],
        [[8, 7, 6].map((n) => idOf("ch", n)), true],
      );
      const refunds = await indexes.pageRefunds(LIST, QUERY, null);
      assert.deepEqual([refunds.items.map(({ refund }) => refund.id), refunds.hasMore], [[8, 7, 6].map((n) => idOf("re", n)), true]);
    });

    test("keeps all of it until the retention after its last change is over", async ({
      store,
      indexes,
      kv,
      retentionMs,
      nowMs,
      advance,
    }) => {
      const record = numbered(1, nowMs());
      const version = (await commit(store, record, nowMs())) ?? 0;
      advance(retentionMs);
      await commit(store, { ...record, events: 2 }, nowMs(), version);
      advance(retentionMs);
      const isThere = async () => [
        await store.load(record.id),
        await indexes.ofCharge(idOf("ch", 1)),
        await indexes.ofRefund(idOf("re", 1)),
        (await indexes.page(LIST, QUERY, null)).items[0],
        (await indexes.pageCharges(LIST, QUERY, null)).items[0],
        (await indexes.pageRefunds(LIST, QUERY, null)).items[0],
      ];
      assert.ok((await isThere()).every((found) => found !== null && found !== undefined));
      advance(30 * 86_400_000);
      assert.ok((await isThere()).every((found) => found === null || found === undefined));
      assert.deepEqual(await kv.scan({ from: "intent", to: "intenu", limit: 10 }), []);
    });
  });
}
