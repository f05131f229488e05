import assert from "node:assert/strict";
import { it } from "node:test";
import { createAdministerMerchants, type MerchantFilter } from "../../../engine/partners/administer-merchants.ts";
import type { MerchantRecord } from "../../../engine/partners/merchant.ts";
import { createMerchantStore } from "../../../engine/partners/merchant-store.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock } from "../world.ts";

function merchant(merchantId: string, changes: Partial<MerchantRecord> = {}): MerchantRecord {
  return {
    ...{ schema: 1, merchantId, partnerId: 7, merchantName: `Shop ${merchantId}`, environment: "TEST", active: true },
    ...{ createdAtMs: 1, updatedAtMs: 1, createdBy: "operation", services: {} },
    keys: { publishable: `pk-${merchantId}`, secret: `sk-${merchantId}` },
    ...changes,
  };
}

async function world(records: readonly MerchantRecord[]) {
  const store = createMerchantStore(new MemoryKv());
  for (const record of records) await store.commit({ merchant: { record, version: 0 }, before: null, count: null, secrets: null });
  return createAdministerMerchants({ store, clock: new ManualClock() });
}

it("finds merchants of all partners by a part of the id or name, partner, environment and state", async () => {
  const { search } = await world([
    merchant("CAFE-1", { merchantName: "Caffè Duomo" }),
    merchant("CAFE-2", { partnerId: 8, environment: "LIVE" }),
    merchant("SHOP-1", { active: false }),
  ]);
  const CASES: [filter: MerchantFilter, expected: string[]][] = [
    [{}, ["CAFE-1", "CAFE-2", "SHOP-1"]],
    [{ q: "cafe" }, ["CAFE-1", "CAFE-2"]],
    [{ q: "duomo" }, ["CAFE-1"]],
    [{ partnerId: 8 }, ["CAFE-2"]],
    [{ environment: "TEST" }, ["CAFE-1", "SHOP-1"]],
    [{ active: false }, ["SHOP-1"]],
    [{ q: "cafe", partnerId: 7, active: true }, ["CAFE-1"]],
    [{ q: "none" }, []],
  ];
  for (const [filter, expected] of CASES) {
    const { items, next } = await search(filter, { after: "", limit: 10 });
    assert.deepEqual([items.map(({ merchantId }) => merchantId), next], [expected, null], JSON.stringify(filter));
  }
});

it("continues after each page, also where a page has looked through its limit without a match", async () => {
  const { search } = await world(Array.from({ length: 2_300 }, (_, index) => merchant(`M${String(index).padStart(4, "0")}`)));
  const first = await search({}, { after: "", limit: 2 });
  assert.deepEqual([first.items.map(({ merchantId }) => merchantId), first.next], [["M0000", "M0001"], "M0001"]);
  const none = await search({ q: "M2299" }, { after: "", limit: 2 });
  assert.deepEqual([none.items, none.next], [[], "M1999"]);
  const last = await search({ q: "M2299" }, { after: "M1999", limit: 2 });
  assert.deepEqual([last.items.map(({ merchantId }) => merchantId), last.next], [["M2299"], null]);
});
