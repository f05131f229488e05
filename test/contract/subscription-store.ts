import assert from "node:assert/strict";
import { describe } from "node:test";
import { type CommitPart, NO_PART } from "../../engine/kernel/commit-part.ts";
import { duePartitionOf } from "../../engine/kernel/due-index-store.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { Stored } from "../../engine/kernel/stored.ts";
import type { PlanRecord } from "../../engine/subscriptions/plan.ts";
import { type PlanStore, planUse } from "../../engine/subscriptions/plan-store.ts";
import type { SubscriptionRecord } from "../../engine/subscriptions/subscription.ts";
import type { SubscriptionPageQuery } from "../../engine/subscriptions/subscription-queries.ts";
import { attempt, charge, idOf, subscription, tokenOf } from "../engine/subscriptions/machine-world.ts";
import type { storeOn } from "../engine/subscriptions/world.ts";
import { ownWorldTest } from "./own-world.ts";

/** Empty stores of one test. */
export interface OpenSubscriptionStore extends ReturnType<typeof storeOn> {
  plans: PlanStore;
  kv: Kv;
  retentionMs: number;
  nowMs(): number;
  advance(ms: number): void;
  close(): Promise<void>;
}

const LIST = { merchantId: "M1", livemode: false };
const ALL: SubscriptionPageQuery = {
  ...{ limit: 100, after: null, fromMs: null, beforeMs: null, state: null, planId: null, customerEmail: null },
};

const planId = (n: number) => `plan_${String(n).padStart(24, "0")}`;

function plan(n: number, changes: Partial<PlanRecord> = {}): PlanRecord {
  const terms = { name: "Gym", amountMinor: 900, currency: "EUR", interval: "WEEK", count: 1, trialDays: 0 } as const;
  return {
    ...{ schema: 1, id: planId(n), merchantId: "M1", partnerId: 1, livemode: false, terms, active: true, used: false },
    ...{ createdAtMs: n, updatedAtMs: n },
    ...changes,
  };
}

function numbered(n: number, createdAtMs: number, changes: Partial<SubscriptionRecord> = {}): SubscriptionRecord {
  return { ...subscription("ACTIVE", { id: idOf(n), token: tokenOf(n), createdAtMs, ...changes }), nextAtMs: changes.nextAtMs ?? null };
}

/**
 * The contract of the stores of subscriptions (engine/subscriptions/workflow.ts) and plans. The
 * test file of each engine calls it.
 */
export function testSubscriptionStore(name: string, open: () => Promise<OpenSubscriptionStore>): void {
  describe(`${name} keeps the contract of the store of subscriptions`, () => {
    const test = ownWorldTest(open);
    /** The new version; null for a conflict. */
    const commit = async (
      store: OpenSubscriptionStore["store"],
      record: SubscriptionRecord,
      atMs: number,
      before: { record: SubscriptionRecord; version: number } | null = null,
      part: CommitPart = NO_PART,
    ) => {
      const result = await store.commit({ record, before: before?.record ?? null, version: before?.version ?? 0, part, atMs });
      return result.type === "committed" ? result.version : null;
    };
    const ids = async (store: OpenSubscriptionStore["queries"], query: Partial<SubscriptionPageQuery> = {}, list = LIST) =>
      (await store.page(list, { ...ALL, ...query })).items.map(({ id }) => id);

    test("returns a subscription as it was stored, by its id and its token, and stores one of many transitions from one version", async ({
      store,
      queries,
      nowMs,
    }) => {
      const record = numbered(1, nowMs());
      const version = (await commit(store, record, nowMs())) ?? 0;
      assert.deepEqual(await store.load(record.id), { record, version });
      assert.deepEqual(await queries.byToken(record.token), { record, version });
      assert.equal(await commit(store, record, nowMs()), null);
      for (const id of ["", "sub_1", `${record.id}/`, `${record.id}0`]) assert.equal(await store.load(id), null);
      for (const token of ["", tokenOf(2), `${record.token}0`]) assert.equal(await queries.byToken(token), null);
      const steps = Array.from({ length: 30 }, (_, index) => commit(store, { ...record, events: index + 1 }, nowMs(), { record, version }));
      assert.equal((await Promise.all(steps)).filter((one) => one !== null).length, 1);
    });

    test("creates a subscription only with its plan unchanged, which is used from then on", async ({ store, plans, nowMs }) => {
      await plans.create(plan(1));
      const read = await plans.load(planId(1));
      assert.ok(read !== null);
      const create = (n: number, of: Stored<PlanRecord>) => commit(store, numbered(n, nowMs()), nowMs(), null, planUse(of));
      assert.notEqual(await create(1, read), null);
      assert.equal(await create(2, read), null);
      const used = await plans.load(planId(1));
      assert.ok(used?.record.used === true);
      // Later subscriptions do not wait for each other.
      const many = await Promise.all([3, 4, 5].map((n) => create(n, used)));
      assert.ok(many.every((version) => version !== null));
      assert.equal(await plans.remove(read), false);
      assert.equal(await plans.replace(used, { ...used.record, active: false }), true);
      assert.equal(await create(6, used), null);
    });

    test("lists the plans of one merchant and environment newest first, without removed ones", async ({ plans }) => {
      for (const one of [plan(1), plan(2), plan(3), plan(4, { merchantId: "M10" }), plan(5, { livemode: true })]) {
        assert.equal(await plans.create(one), true);
      }
      assert.equal(await plans.create(plan(1)), false);
      const second = await plans.load(planId(2));
      assert.ok(second !== null && (await plans.remove(second)));
      assert.deepEqual(
        (await plans.all(LIST)).map(({ id }) => id),
        [planId(3), planId(1)],
      );
      assert.equal(await plans.count(LIST), 2);
      for (const id of ["", "plan_1", `${planId(1)}/`]) assert.equal(await plans.load(id), null);
    });

    test("lists newest first, page by page, by current state, by plan and by customer", async ({ store, queries, nowMs }) => {
      const customer = { name: "Bob", email: "Bob@Example.org", locale: "it" } as const;
      const all = Array.from({ length: 6 }, (_, index) =>
        numbered(index + 1, nowMs() + Math.floor(index / 2), index < 2 ? { planId: planId(7), customer } : {}),
      );
      const versions = new Map<string, number>();
      for (const record of all) versions.set(record.id, (await commit(store, record, nowMs())) ?? 0);
      await commit(store, numbered(20, nowMs(), { merchantId: "M10" }), nowMs());
      await commit(store, numbered(21, nowMs(), { livemode: true }), nowMs());
      const newest = all.map(({ id }) => id).reverse();
      for (let limit = 1; limit <= 7; limit += 1) {
        const walked: string[] = [];
        let after: SubscriptionPageQuery["after"] = null;
        do {
          const page = await queries.page(LIST, { ...ALL, limit, after });
          walked.push(...page.items.map(({ id }) => id));
          after = page.next;
        } while (after !== null);
        assert.deepEqual(walked, newest, `by ${limit}`);
      }
      assert.deepEqual(await ids(queries, { fromMs: nowMs() + 1, beforeMs: nowMs() + 2 }), newest.slice(2, 4));
      assert.deepEqual(await ids(queries, { planId: planId(7) }), [idOf(2), idOf(1)]);
      assert.deepEqual(await ids(queries, { customerEmail: "bob@example.ORG" }), [idOf(2), idOf(1)]);
      assert.deepEqual(await ids(queries, { customerEmail: "bob@example.org" }, { ...LIST, merchantId: "M10" }), []);
      const record = numbered(2, nowMs(), { planId: planId(7), customer });
      const paused: SubscriptionRecord = { ...record, state: "PAUSED" };
      await commit(store, paused, nowMs(), { record, version: versions.get(record.id) ?? 0 });
      assert.deepEqual(await ids(queries, { state: "PAUSED" }), [idOf(2)]);
      assert.ok(!(await ids(queries, { state: "ACTIVE" })).includes(idOf(2)));
      assert.deepEqual(await ids(queries, { planId: planId(7), state: "ACTIVE" }), [idOf(1)]);
      assert.equal(await queries.createdSince(LIST, nowMs() + 1, 100), 4);
    });

    test("has its deadline in the index, and its payments by cycle", async ({ store, cycleCharges, nowMs }) => {
      const first = numbered(1, nowMs(), { nextAtMs: nowMs() + 1_000, charge: charge([attempt(1, "done")], { cycle: 9 }) });
      const version = (await commit(store, first, nowMs())) ?? 0;
      const due = (untilMs: number) => store.pageDue(duePartitionOf(first.id), null, untilMs, 10);
      assert.deepEqual(await due(nowMs() + 1_001), [{ id: first.id, atMs: nowMs() + 1_000 }]);
      const second: SubscriptionRecord = { ...first, nextAtMs: null, charge: charge([attempt(1, "asked")], { cycle: 10 }) };
      await commit(store, second, nowMs(), { record: first, version });
      assert.equal(await store.anyDue(), false);
      const cycles = async (before: number | null) => (await cycleCharges.charges(first.id, before, 10)).map(({ cycle }) => cycle);
      assert.deepEqual([await cycles(null), await cycles(10), await cycles(9)], [[10, 9], [9], []]);
      assert.deepEqual((await cycleCharges.charges(first.id, null, 1))[0], second.charge);
      assert.deepEqual(await cycleCharges.charges("x/", null, 1), []);
    });

    test("keeps continuing subscriptions without expiry, and ended ones completely until the retention is over", async ({
      store,
      queries,
      cycleCharges,
      kv,
      retentionMs,
      nowMs,
      advance,
    }) => {
      const record = numbered(1, nowMs(), { charge: charge([attempt(1, "unknown")], { period: { fromMs: nowMs(), untilMs: nowMs() } }) });
      const version = (await commit(store, record, nowMs())) ?? 0;
      const isThere = async () => [
        (await store.load(record.id))?.record.id,
        (await queries.byToken(record.token))?.record.id,
        (await ids(queries))[0],
        (await ids(queries, { planId: record.planId }))[0],
        (await ids(queries, { customerEmail: record.customer.email }))[0],
        (await cycleCharges.charges(record.id, null, 1))[0]?.cycle,
      ];
      advance(10 * retentionMs);
      assert.ok((await isThere()).every((found) => found !== undefined));
      // A payment may still arrive.
      const cancelled: SubscriptionRecord = { ...record, state: "CANCELLED" };
      const next = (await commit(store, cancelled, nowMs(), { record, version })) ?? 0;
      advance(10 * retentionMs);
      assert.ok((await isThere()).every((found) => found !== undefined));
      const ended: SubscriptionRecord = { ...cancelled, charge: charge([attempt(1, "failed")], { period: { fromMs: 0, untilMs: 0 } }) };
      await commit(store, ended, nowMs(), { record: cancelled, version: next });
      advance(retentionMs - 1);
      assert.ok((await isThere()).every((found) => found !== undefined));
      advance(2);
      assert.ok((await isThere()).every((found) => found === undefined));
      assert.deepEqual(await kv.scan({ from: "subscription", to: "subscriptioo", limit: 10 }), []);
    });
  });
}
