import assert from "node:assert/strict";
import { describe } from "node:test";
import type { AlertRecord } from "../../engine/alerts/alert.ts";
import { alertSummaries, alertsOfPayment, pageOfAlerts } from "../../engine/alerts/alert-queries.ts";
import { alert } from "../engine/alerts/machine-world.ts";
import { ownWorldTest } from "./own-world.ts";
import { testWorkflowLists } from "./workflow-lists.ts";
import { testWorkflowStore } from "./workflow-store.ts";
import { ALL, DAY_MS, idsOf, LIST, type OpenWorkflowStore, type StoredSubject, stored } from "./workflow-subject.ts";

const ANY = { ...ALL, source: null };

const ALERTS: StoredSubject<AlertRecord> = {
  name: "alert",
  numbered: (n, createdAtMs, changes = {}) =>
    alert("PENDING", {
      ...{ id: `al_${String(n).padStart(24, "0")}`, createdAtMs, updatedAtMs: createdAtMs, respondByMs: createdAtMs + DAY_MS },
      ...changes,
    }),
  ended: (record) => ({ ...record, state: "PREVENTED", nextAtMs: null }),
  page: (store, list, query) => pageOfAlerts(store, list, { ...ANY, ...query }),
  ofPayment: alertsOfPayment,
  summaries: alertSummaries,
};

/** The contract of the store of alerts. The test file of each engine calls it. */
export function testAlertStore(name: string, open: () => Promise<OpenWorkflowStore<AlertRecord>>): void {
  testWorkflowStore(ALERTS, name, open);
  testWorkflowLists(ALERTS, name, open);

  describe(`${name} keeps the contract of the queries of alerts`, () => {
    const test = ownWorldTest(open);

    test("filters by source and currency in both orders", async ({ store, nowMs }) => {
      const [one, two, three] = [1, 2, 3].map((n) => ALERTS.numbered(n, nowMs() + n));
      assert.ok(one !== undefined && two !== undefined && three !== undefined);
      await stored(store, { ...one, source: "RDR" }, nowMs());
      await stored(store, { ...two, source: "RDR", currency: "CHF" }, nowMs());
      await stored(store, three, nowMs());
      const ids = async (query: Partial<Parameters<typeof pageOfAlerts>[2]>) =>
        idsOf((await pageOfAlerts(store, LIST, { ...ANY, ...query })).items);
      assert.deepEqual(
        [await ids({ source: "RDR" }), await ids({ source: "RDR", order: "due" })],
        [
          [two.id, one.id],
          [one.id, two.id],
        ],
      );
      assert.deepEqual([await ids({ currency: "EUR" }), await ids({ source: "RDR", currency: "CHF" })], [[three.id, one.id], [two.id]]);
    });

    test("summarizes an alert with its amount and whether its source withdrew it", async ({ store, nowMs }) => {
      const pending = ALERTS.numbered(1, nowMs());
      const invalid: AlertRecord = { ...pending, state: "DECLINED", end: { by: "invalid", atMs: nowMs(), reason: null } };
      const common = { id: pending.id, receivedAtMs: nowMs(), amountMinor: 1_234, currency: "EUR" };
      const before = await stored(store, pending, nowMs());
      assert.deepEqual(await alertSummaries(store, LIST, 0, 10), [{ ...common, state: "PENDING", wasInvalid: false }]);
      await stored(store, invalid, nowMs(), before);
      assert.deepEqual(await alertSummaries(store, LIST, 0, 10), [{ ...common, state: "DECLINED", wasInvalid: true }]);
    });
  });
}
