import assert from "node:assert/strict";
import { describe } from "node:test";
import { accountUnchanged, createAccountStore } from "../../engine/accounts/account-store.ts";
import { account } from "../engine/accounts/examples.ts";
import type { OpenKv } from "./engines.ts";
import { ownWorldTest } from "./own-world.ts";

/** The contract of the accounts; each engine's test file calls this. */
export function testAccountStore(name: string, open: () => Promise<OpenKv>): void {
  describe(`${name} keeps the contract of accounts`, () => {
    const test = ownWorldTest(open);

    test("finds an account by id and by e-mail address", async ({ kv }) => {
      const store = createAccountStore(kv);
      const created = await store.commit({ account: { record: account(), version: 0 }, before: null });
      assert.equal(created.type, "committed");
      const stored = { record: account(), version: created.type === "committed" ? created.version : 0 };
      assert.deepEqual(await store.load("acc_1"), stored);
      assert.deepEqual(await store.byEmail("anna@example.com"), stored);
      assert.deepEqual(await store.loadMany(["acc_2", "acc_1"]), [null, account()]);
      assert.deepEqual([await store.load("acc_2"), await store.byEmail("bert@example.com"), await store.loadMany([])], [null, null, []]);
    });

    test("gives an e-mail address to one account of a hundred that want it at once", async ({ kv }) => {
      const store = createAccountStore(kv);
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          store.commit({ account: { record: account({ accountId: `acc_${index}` }), version: 0 }, before: null }),
        ),
      );
      const types = outcomes.map(({ type }) => type);
      assert.deepEqual([types.filter((type) => type === "committed").length, types.filter((type) => type === "taken").length], [1, 99]);
      const found = await store.byEmail("anna@example.com");
      assert.equal(types[Number(found?.record.accountId.slice("acc_".length))], "committed");
    });

    test("stores one of a hundred changes of one version", async ({ kv }) => {
      const store = createAccountStore(kv);
      const created = await store.commit({ account: { record: account(), version: 0 }, before: null });
      const version = created.type === "committed" ? created.version : 0;
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          store.commit({ account: { record: account({ updatedAtMs: index }), version }, before: account() }),
        ),
      );
      const won = outcomes.flatMap(({ type }, index) => (type === "committed" ? [index] : []));
      assert.equal(won.length, 1);
      assert.ok(outcomes.every(({ type }) => type === "committed" || type === "stale"));
      assert.equal((await store.load("acc_1"))?.record.updatedAtMs, won[0]);
    });

    test("frees an e-mail address that an account gives up, in the same commit", async ({ kv }) => {
      const store = createAccountStore(kv);
      const created = await store.commit({ account: { record: account(), version: 0 }, before: null });
      const version = created.type === "committed" ? created.version : 0;
      const other = account({ email: "anna@example.org" });
      assert.equal((await store.commit({ account: { record: other, version }, before: account() })).type, "committed");
      assert.equal(await store.byEmail("anna@example.com"), null);
      assert.deepEqual((await store.byEmail("anna@example.org"))?.record, other);
      const next = account({ accountId: "acc_2" });
      assert.equal((await store.commit({ account: { record: next, version: 0 }, before: null })).type, "committed");
    });

    test("stores nothing where a check of another part does not hold", async ({ kv }) => {
      const store = createAccountStore(kv);
      const other = account({ accountId: "acc_2", email: "bert@example.com" });
      const created = await store.commit({ account: { record: other, version: 0 }, before: null });
      const version = created.type === "committed" ? created.version : 0;
      const change = { account: { record: account(), version: 0 }, before: null };
      const stale = accountUnchanged({ record: other, version: version + 1 });
      assert.deepEqual(await store.commit(change, [stale]), { type: "stale" });
      assert.equal(await store.load("acc_1"), null);
      assert.equal((await store.commit(change, [accountUnchanged({ record: other, version })])).type, "committed");
    });
  });
}
