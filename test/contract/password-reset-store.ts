import assert from "node:assert/strict";
import { describe } from "node:test";
import { RESET_LIFETIME_MS, withoutTokens, withReset } from "../../engine/accounts/password-reset.ts";
import type { PasswordResetStore } from "../../engine/accounts/password-reset-store.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { ownWorldTest } from "./own-world.ts";

/** A store of its own for one test, empty. */
export interface OpenPasswordResetStore {
  store: PasswordResetStore;
  kv: Kv;
  nowMs(): number;
  advance(ms: number): void;
  close(): Promise<void>;
}

/** The contract of engine/accounts/password-reset-store.ts; each engine's test file calls this. */
export function testPasswordResetStore(name: string, open: () => Promise<OpenPasswordResetStore>): void {
  describe(`${name} keeps the contract of the store of password resets`, () => {
    const test = ownWorldTest(open);

    test("finds the resets of an account by each token, until its hour is over", async ({ store, nowMs, advance }) => {
      const none = await store.load("acc_1");
      assert.deepEqual(none, { record: { schema: 1, accountId: "acc_1", asked: [] }, version: 0 });
      const first = withReset(none.record, "t1", nowMs());
      assert.ok(first !== null);
      assert.equal(await store.commit(none, first), true);
      assert.deepEqual((await store.byToken("t1"))?.record, first);
      assert.equal(await store.byToken("t2"), null);
      advance(RESET_LIFETIME_MS / 2);
      const before = await store.load("acc_1");
      const second = withReset(before.record, "t2", nowMs());
      assert.ok(second !== null);
      assert.equal(await store.commit(before, second), true);
      assert.deepEqual((await store.byToken("t1"))?.record, second);
      advance(RESET_LIFETIME_MS / 2);
      assert.equal(await store.byToken("t1"), null);
      assert.deepEqual((await store.byToken("t2"))?.record, second);
      advance(RESET_LIFETIME_MS / 2);
      assert.equal(await store.byToken("t2"), null);
      assert.deepEqual((await store.load("acc_1")).record.asked, []);
    });

    test("forgets tokens that can no longer be used, and not that they were asked for", async ({ store, nowMs }) => {
      const none = await store.load("acc_1");
      await store.commit(none, withReset(none.record, "t1", nowMs()) ?? none.record);
      const before = await store.load("acc_1");
      assert.equal(await store.commit(before, withoutTokens(before.record)), true);
      assert.equal(await store.byToken("t1"), null);
      assert.deepEqual((await store.load("acc_1")).record.asked, [{ atMs: nowMs(), tokenSha256: null }]);
    });

    test("of a hundred changes that were decided by one version one is stored, with what others add", async ({ store, kv, nowMs }) => {
      const none = await store.load("acc_1");
      const won = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          store.commit(
            none,
            { schema: 1, accountId: "acc_1", asked: [{ atMs: nowMs(), tokenSha256: `t${index}` }] },
            { checks: [], operations: [{ type: "put", key: `other/${index}`, value: "1" }] },
          ),
        ),
      );
      assert.equal(won.filter((one) => one).length, 1);
      const written = await kv.scan({ from: "other/", to: "other/~", limit: 100 });
      assert.deepEqual(
        written.map(({ key }) => key),
        [`other/${won.indexOf(true)}`],
      );
      const before = await store.load("acc_1");
      assert.equal(
        await store.commit(before, withoutTokens(before.record), { checks: [{ key: "other/x", version: 7 }], operations: [] }),
        false,
      );
    });
  });
}
