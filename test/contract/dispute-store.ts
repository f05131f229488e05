import assert from "node:assert/strict";
import { describe } from "node:test";
import { DISPUTES_OF_PAYMENT_MAX, type DisputeRecord } from "../../engine/disputes/dispute.ts";
import { createDisputeHoldStore, createHoldGuard } from "../../engine/disputes/dispute-hold-store.ts";
import { disputeSummaries, disputesOfCase, disputesOfPayment, pageOfDisputes } from "../../engine/disputes/dispute-queries.ts";
import type { DisputeEvent } from "../../engine/disputes/events.ts";
import type { DisputeWorkflow } from "../../engine/disputes/workflow.ts";
import { type Kv, prefixRange } from "../../engine/kernel/kv.ts";
import { dispute } from "../engine/disputes/machine-world.ts";
import { ownWorldTest } from "./own-world.ts";
import { testWorkflowLists } from "./workflow-lists.ts";
import { testWorkflowStore } from "./workflow-store.ts";
import { ALL, DAY_MS, idsOf, LIST, type OpenWorkflowStore, type StoredSubject, stored } from "./workflow-subject.ts";

export interface OpenDisputeStore extends OpenWorkflowStore<DisputeRecord> {
  /** Steps disputes on the same store, with the guard that blocks refunds. */
  workflow: DisputeWorkflow;
}

const ANY = { ...ALL, dueBeforeMs: null, stage: null, category: null, terminalId: null };
const UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const PAYMENT = { merchantId: "M1", uuid: UUID };

const DISPUTES: StoredSubject<DisputeRecord> = {
  name: "dispute",
  numbered: (n, createdAtMs, changes = {}) =>
    dispute("OPEN", {
      ...{ id: `dp_${String(n).padStart(24, "0")}`, createdAtMs, updatedAtMs: createdAtMs, respondByMs: createdAtMs + DAY_MS },
      ...{ reminders: [], ...changes },
    }),
  ended: (record) => ({ ...record, state: "EXPIRED", nextAtMs: null }),
  page: (store, list, query) => pageOfDisputes(store, list, { ...ANY, ...query }),
  ofPayment: disputesOfPayment,
  summaries: disputeSummaries,
};

/** The contract of the store of disputes and their guard. The test file of each engine calls it. */
export function testDisputeStore(name: string, open: () => Promise<OpenDisputeStore>): void {
  testWorkflowStore(DISPUTES, name, open);
  testWorkflowLists(DISPUTES, name, open);

  describe(`${name} keeps the contract of the queries of disputes`, () => {
    const test = ownWorldTest(open);

    test("filters by the data of the network's case and by deadline", async ({ store, nowMs }) => {
      const [one, two, three] = [1, 2, 3].map((n) => DISPUTES.numbered(n, nowMs() + n));
      assert.ok(one !== undefined && two !== undefined && three !== undefined);
      await stored(store, { ...one, stage: "INQUIRY", category: "OTHER" }, nowMs());
      await stored(store, { ...two, terminalId: "TML2", currency: "CHF", networkCaseId: "C-2" }, nowMs());
      await stored(store, DISPUTES.ended(three), nowMs());
      const ids = async (query: Partial<Parameters<typeof pageOfDisputes>[2]>) =>
        idsOf((await pageOfDisputes(store, LIST, { ...ANY, ...query })).items);
      assert.deepEqual([await ids({ stage: "INQUIRY" }), await ids({ category: "OTHER" })], [[one.id], [one.id]]);
      assert.deepEqual([await ids({ terminalId: "TML2" }), await ids({ currency: "CHF" })], [[two.id], [two.id]]);
      assert.deepEqual(await ids({ order: "due", dueBeforeMs: two.respondByMs }), [one.id]);
      assert.deepEqual(idsOf(await disputesOfCase(store, LIST, "C-1")), [one.id, three.id]);
      for (const caseId of ["C", "C-2/", ""]) assert.deepEqual(await disputesOfCase(store, LIST, caseId), []);
      assert.deepEqual(await disputesOfCase(store, { ...LIST, livemode: true }, "C-2"), []);
    });

    test("summarizes a dispute with its amount, its deadline and whether an alert preceded it", async ({ store, nowMs }) => {
      const record = { ...DISPUTES.numbered(1, nowMs()), alertId: "al_1" };
      await stored(store, record, nowMs());
      const { id, respondByMs } = record;
      assert.deepEqual(await disputeSummaries(store, LIST, 0, 10), [
        { id, receivedAtMs: nowMs(), state: "OPEN", amountMinor: 1_234, currency: "EUR", respondByMs, hasAlert: true },
      ]);
    });
  });

  describe(`${name} keeps the contract of the guard of disputes`, () => {
    const test = ownWorldTest(open);
    const create = (workflow: DisputeWorkflow, record: DisputeRecord) =>
      workflow.create({ record, effects: [] }, { type: "case.received", atMs: record.createdAtMs }, null);
    const of = (n: number, { nowMs }: OpenDisputeStore, uuid: string | null = UUID) => DISPUTES.numbered(n, nowMs(), { uuid });
    const isBlocked = (kv: Kv, uuid = UUID) => createDisputeHoldStore(kv).isUnderDispute({ ...PAYMENT, uuid });
    /** Returns the keys of a record and of its entries. */
    const keysOf = async (kv: Kv, id: string) =>
      (await kv.scan({ from: " ", to: "~", limit: 10_000 })).map(({ key }) => key).filter((key) => key.includes(id));

    test("blocks refunds of a payment until each of its disputes is won", async (world) => {
      const { kv, workflow, nowMs } = world;
      const [one, two] = [of(1, world), of(2, world, UUID.toUpperCase())];
      await create(workflow, of(3, world, null));
      assert.equal(await isBlocked(kv), false);
      for (const record of [one, two]) assert.equal((await create(workflow, record)).type, "accepted");
      const blocked = [await isBlocked(kv), await isBlocked(kv, UUID.toUpperCase()), await isBlocked(kv, "pl_1.1")];
      assert.deepEqual(blocked, [true, true, false]);
      assert.equal(await createDisputeHoldStore(kv).isUnderDispute({ merchantId: "M10", uuid: UUID }), false);
      const stepAll = async (event: DisputeEvent) => {
        const blockedAfter = [];
        for (const { id } of [one, two]) {
          assert.equal((await workflow.apply(id, () => event, null))?.type, "accepted");
          blockedAfter.push(await isBlocked(kv));
        }
        return blockedAfter;
      };
      assert.deepEqual(await stepAll({ type: "verdict.received", atMs: nowMs(), result: "WON" }), [true, false]);
      assert.deepEqual(await kv.scan({ ...prefixRange("dispute-hold/"), limit: 10 }), []);
      const asked = { type: "evidence.requested", atMs: nowMs(), respondByMs: nowMs() + DAY_MS, stage: null } as const;
      assert.deepEqual(await stepAll(asked), [true, true]);
    });

    test("rejects a new dispute of a payment that has the maximum", async (world) => {
      const { kv, workflow } = world;
      for (let n = 1; n <= DISPUTES_OF_PAYMENT_MAX; n += 1) await create(workflow, of(n, world));
      const tooMany = of(DISPUTES_OF_PAYMENT_MAX + 1, world);
      assert.deepEqual(await create(workflow, tooMany), { type: "guarded", refused: "too_many" });
      assert.deepEqual(await keysOf(kv, tooMany.id), []);
      const first = await workflow.apply(of(1, world).id, () => ({ type: "verdict.received", atMs: world.nowMs(), result: "WON" }), null);
      assert.equal(first?.type, "accepted");
      assert.equal((await create(workflow, tooMany)).type, "accepted");
    });

    test("rejects a dispute while another one of the payment is stored", async (world) => {
      const { kv, store, nowMs } = world;
      const guard = createHoldGuard(kv, () => nowMs() + DAY_MS);
      const commits = await Promise.all(
        [1, 2].map(async (n) => {
          const transition = { before: null, record: of(n, world), atMs: nowMs() };
          const part = await guard.read(transition);
          assert.ok("checks" in part);
          return { ...transition, version: 0, part };
        }),
      );
      const { checks } = await createDisputeHoldStore(kv).check(PAYMENT);
      const results = [];
      for (const commit of commits) results.push(await store.commit(commit));
      assert.deepEqual([results[0]?.type, results[1]], ["committed", { type: "conflict", key: `dispute-hold/M1/${UUID}` }]);
      assert.deepEqual(await keysOf(kv, of(2, world).id), []);
      // A refund that was checked earlier does not begin either.
      assert.equal((await kv.commit({ checks, operations: [{ type: "put", key: "refund", value: "1" }] })).type, "conflict");
    });

    test("blocks refunds for each of twenty parallel disputes", async (world) => {
      const { kv, workflow } = world;
      const records = Array.from({ length: 20 }, (_, n) => of(n + 1, world));
      const outcomes = await Promise.all(records.map((record) => create(workflow, record)));
      assert.ok(outcomes.every(({ type }) => type === "accepted" || type === "conflict"));
      const accepted = records.filter((_, n) => outcomes[n]?.type === "accepted");
      assert.ok(accepted.length > 0);
      const entry = await kv.get(`dispute-hold/M1/${UUID}`);
      assert.deepEqual(JSON.parse(entry?.value ?? "").disputes.toSorted(), idsOf(accepted));
      for (const { id } of records) assert.equal((await keysOf(kv, id)).length > 0, idsOf(accepted).includes(id));
    });
  });
}
