import assert from "node:assert/strict";
import { describe } from "node:test";
import type { CallCountStore } from "../../engine/partners/call-count-store.ts";
import type { MerchantRecord } from "../../engine/partners/merchant.ts";
import type { MerchantChange, MerchantStore } from "../../engine/partners/merchant-store.ts";
import { ownWorldTest } from "./own-world.ts";

/** Stores of their own for one test, empty. */
export interface OpenMerchantStore {
  store: MerchantStore;
  calls: CallCountStore;
  close(): Promise<void>;
}

/** The contract of engine/partners/merchant-store.ts and call-count-store.ts; each engine's test file calls this. */
export function testMerchantStore(name: string, open: () => Promise<OpenMerchantStore>): void {
  describe(`${name} keeps the contract of the merchant store`, () => {
    const test = ownWorldTest(open);

    test("keeps a merchant and its count as they were given, and finds it by each key", async ({ store }) => {
      assert.equal(await store.load("m"), null);
      assert.equal(await store.byKey("pk"), null);
      assert.deepEqual(await store.count(7), { record: { active: 0, stored: 0 }, version: 0 });
      assert.equal(await store.commit(creation(merchant("m"))), "committed");
      assert.deepEqual((await store.load("m"))?.record, merchant("m"));
      assert.deepEqual(await store.byKey("pk-m"), merchant("m"));
      assert.deepEqual(await store.byKey("sk-m"), merchant("m"));
      assert.deepEqual((await store.count(7)).record, { active: 1, stored: 1 });
      assert.deepEqual(await store.count(8), { record: { active: 0, stored: 0 }, version: 0 });
    });

    test("refuses an id that is taken, and a change of what has changed", async ({ store }) => {
      await store.commit(creation(merchant("m")));
      const count = await store.count(7);
      assert.equal(await store.commit(creation(merchant("m", { partnerId: 8 }))), "taken");
      assert.equal(await store.commit({ ...creation(merchant("n")), count: { record: count.record, version: 0 } }), "stale");
      assert.equal(await store.load("n"), null);
      const before = await store.load("m");
      assert.ok(before);
      const change = (merchantName: string): MerchantChange => ({
        merchant: { record: { ...before.record, merchantName }, version: before.version },
        before: before.record,
        count: null,
        secrets: null,
      });
      assert.equal(await store.commit(change("one")), "committed");
      assert.equal(await store.commit(change("other")), "stale");
      assert.equal((await store.load("m"))?.record.merchantName, "one");
      assert.deepEqual((await store.count(7)).record, { active: 1, stored: 1 });
    });

    test("of a hundred creations on one count one is stored", async ({ store }) => {
      const outcomes = await Promise.all(Array.from({ length: 100 }, (_, index) => store.commit(creation(merchant(`m${index}`)))));
      assert.equal(outcomes.filter((outcome) => outcome === "committed").length, 1);
      assert.equal(outcomes.filter((outcome) => outcome === "stale").length, 99);
      assert.equal((await store.page(7, { after: "", limit: 200, status: null })).length, 1);
    });

    test("keys that are replaced find nothing any more", async ({ store }) => {
      await store.commit(creation(merchant("m")));
      const before = await store.load("m");
      assert.ok(before);
      const record = { ...before.record, keys: { publishable: "pk-m", secret: "sk-new" } };
      const secrets = { service: "PAYPAL", sealed: "sealed" } as const;
      await store.commit({ merchant: { record, version: before.version }, before: before.record, count: null, secrets });
      assert.equal(await store.byKey("sk-m"), null);
      assert.deepEqual(await store.byKey("sk-new"), record);
      assert.deepEqual(await store.byKey("pk-m"), record);
      assert.equal(await store.sealedSecrets("m", "PAYPAL"), "sealed");
      assert.equal(await store.sealedSecrets("m", "SHIFT4"), null);
      assert.equal(await store.sealedSecrets("n", "PAYPAL"), null);
    });

    test("pages by id and status, past more than are looked through at once", async ({ store }) => {
      const ids = Array.from({ length: 1_250 }, (_, index) => `m${String(index).padStart(4, "0")}`);
      await store.commit(creation(merchant("other", { partnerId: 70 })));
      for (const id of ids) {
        const count = await store.count(7);
        const record = merchant(id, { active: id >= "m1200" });
        await store.commit({ ...creation(record), count });
      }
      const page = async (after: string, limit: number, status: "ACTIVE" | "INACTIVE" | null) =>
        (await store.page(7, { after, limit, status })).map(({ merchantId }) => merchantId);
      assert.deepEqual(await page("", 2, null), ["m0000", "m0001"]);
      const all = async (after: string) => (await store.all({ after, limit: 2 })).map(({ merchantId }) => merchantId);
      assert.deepEqual(
        [await all(""), await all("m0001")],
        [
          ["m0000", "m0001"],
          ["m0002", "m0003"],
        ],
      );
      assert.deepEqual(await page("m0001", 2, null), ["m0002", "m0003"]);
      assert.deepEqual(await page("", 2, "ACTIVE"), ["m1200", "m1201"]);
      assert.deepEqual(await page("m1248", 5, "ACTIVE"), ["m1249"]);
      assert.deepEqual(await page("m1198", 5, "INACTIVE"), ["m1199"]);
      assert.equal((await page("", 2_000, null)).length, 1_250);
    });

    test("calls that many add at once are all counted", async ({ calls }) => {
      assert.equal(await calls.load(7), 0);
      await Promise.all(Array.from({ length: 40 }, (_, index) => calls.add(7, index)));
      await calls.add(8, 5);
      assert.deepEqual([await calls.load(7), await calls.load(8)], [780, 5]);
    });
  });
}

function merchant(merchantId: string, members: Partial<MerchantRecord> = {}): MerchantRecord {
  return {
    schema: 1,
    merchantId,
    partnerId: 7,
    merchantName: `The merchant ${merchantId}, è`,
    environment: "TEST",
    active: true,
    createdAtMs: 1,
    updatedAtMs: 2,
    createdBy: "operation",
    keys: { publishable: `pk-${merchantId}`, secret: `sk-${merchantId}` },
    services: { PAYPAL: { enabled: true, configuration: { mode: "sandbox", members: { clientId: "c" }, updatedAtMs: 2 } } },
    ...members,
  };
}

/** The first merchant of its partner. */
function creation(record: MerchantRecord): MerchantChange {
  return { merchant: { record, version: 0 }, before: null, count: { record: { active: 1, stored: 1 }, version: 0 }, secrets: null };
}
