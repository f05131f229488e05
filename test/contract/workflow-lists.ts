import assert from "node:assert/strict";
import { describe } from "node:test";
import { type IndexPage, listPrefix, type Place } from "../../engine/kernel/merchant-index-store.ts";
import type { MerchantScope } from "../../engine/kernel/merchant-scope.ts";
import type { Stored } from "../../engine/kernel/stored.ts";
import type { WorkflowStore } from "../../engine/workflow/workflow-store.ts";
import { ownWorldTest } from "./own-world.ts";
import {
  ALL,
  type Answerable,
  type CommonPageQuery,
  idsOf,
  LIST,
  type OpenWorkflowStore,
  type StoredSubject,
  stored,
} from "./workflow-subject.ts";

/** The contract of lists on engine/workflow/workflow-store.ts. The suite of each subject calls this. */
export function testWorkflowLists<R extends Answerable>(
  { name: kind, numbered, ended, page, ofPayment, summaries }: StoredSubject<R>,
  name: string,
  open: () => Promise<OpenWorkflowStore<R>>,
): void {
  describe(`${name} keeps the contract of lists of ${kind}s`, () => {
    const test = ownWorldTest(open);
    const ids = async (store: WorkflowStore<R>, query: Partial<CommonPageQuery<R>>, list: MerchantScope = LIST) =>
      idsOf((await page(store, list, { ...ALL, ...query })).items);

    test("pages through each index with cursors, within one merchant and environment", async ({ store, nowMs }) => {
      // Two records share each millisecond; their ids decide.
      const all = Array.from({ length: 8 }, (_, n) => numbered(n + 1, nowMs() + Math.floor(n / 2)));
      const others = [numbered(20, nowMs(), { merchantId: "M10" }), numbered(21, nowMs(), { livemode: true })];
      for (const record of [...all, ...others]) await stored(store, record, nowMs());
      const oldest = idsOf(all);
      const newest = oldest.toReversed();
      for (const [query, expected] of [
        [{}, newest],
        [{ state: numbered(1, 0).state }, newest],
        [{ order: "due" }, oldest],
      ] as const) {
        for (let limit = 1; limit <= 9; limit += 1) {
          const walked: string[] = [];
          let after: Place | null = null;
          do {
            const { items, next }: IndexPage<R> = await page(store, LIST, { ...ALL, ...query, limit, after });
            assert.ok(items.length > 0 && items.length <= limit);
            walked.push(...idsOf(items));
            after = next;
          } while (after !== null);
          assert.deepEqual(walked, expected, `${JSON.stringify(query)} by ${limit}`);
        }
        const inTime = { ...query, fromMs: nowMs() + 1, beforeMs: nowMs() + 3 };
        assert.deepEqual(await ids(store, inTime), expected.slice(2, 6));
        assert.deepEqual(await ids(store, { ...query, fromMs: nowMs() + 4 }), []);
        assert.deepEqual(await ids(store, query, { ...LIST, livemode: true }), [others[1]?.id]);
      }
      assert.equal(await store.count(listPrefix(`${kind}-of/`, LIST), nowMs() + 1, 100), 6);
      assert.equal(await store.firstAtMs(listPrefix(`${kind}-of/`, LIST), nowMs() + 1), nowMs() + 1);
      assert.equal(await store.firstAtMs(listPrefix(`${kind}-of/`, LIST), nowMs() + 4), null);
    });

    test("finds the records of a payment in both environments, oldest first", async ({ store, nowMs }) => {
      const uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
      const records = [numbered(3, nowMs(), { uuid }), numbered(2, nowMs() + 1, { uuid: uuid.toUpperCase(), livemode: true })];
      const others = [numbered(4, nowMs(), { uuid, merchantId: "M10" }), numbered(5, nowMs(), { uuid: `${uuid}0` })];
      for (const record of [...records, ...others, numbered(6, nowMs(), { uuid: null })]) await stored(store, record, nowMs());
      for (const one of [uuid, uuid.toUpperCase()]) assert.deepEqual(await ofPayment(store, "M1", one), records);
      const prefix = `${kind}-payment/M1/${uuid}/`;
      assert.deepEqual([await store.under(prefix, 1), await store.under(prefix, 1, true)], [records.slice(0, 1), records.slice(1)]);
      for (const one of ["", "pl_2", `${uuid}/`]) assert.deepEqual(await ofPayment(store, "M1", one), []);
    });

    test("sums the newest records up as they are now, without reading them", async ({ store, kv, nowMs }) => {
      const all = Array.from({ length: 4 }, (_, n) => numbered(n + 1, nowMs() + n));
      let first: Stored<R> | null = null;
      for (const record of all.toReversed()) first = await stored(store, record, nowMs());
      assert.ok(first !== null);
      await stored(store, ended(first.record), nowMs(), first);
      await kv.commit({ checks: [], operations: all.map(({ id }) => ({ type: "delete", key: `${kind}/${id}` })) });
      const summed = async (fromMs: number, limit: number) => idsOf(await summaries(store, LIST, fromMs, limit));
      const newest = idsOf(all).toReversed();
      assert.deepEqual(
        [await summed(0, 10), await summed(0, 3), await summed(nowMs() + 2, 10)],
        [newest, newest.slice(0, 3), newest.slice(0, 2)],
      );
      const states = (await summaries(store, LIST, 0, 10)).map(({ state }) => state);
      assert.deepEqual(states, [...all.slice(1).map(({ state }) => state), ended(first.record).state]);
    });
  });
}
