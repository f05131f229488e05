import assert from "node:assert/strict";
import { describe } from "node:test";
import { createAccountStore } from "../../engine/accounts/account-store.ts";
import { SESSIONS_MAX, UNFINISHED_SESSIONS_MAX } from "../../engine/accounts/session.ts";
import { challengeUsed, createSessionStore } from "../../engine/accounts/session-store.ts";
import { account, session } from "../engine/accounts/examples.ts";
import type { OpenKv } from "./engines.ts";
import { ownWorldTest } from "./own-world.ts";

const MINUTE_MS = 60_000;

/** The contract of sessions of the portal; each engine's test file calls this. */
export function testSessionStore(name: string, open: () => Promise<OpenKv>): void {
  describe(`${name} keeps the contract of the portal's sessions`, () => {
    const test = ownWorldTest(open);

    function storeOf({ kv, nowMs }: OpenKv) {
      const store = createSessionStore(kv, nowMs);
      const tokens = async () => (await store.ofAccount("acc_1")).map(({ tokenSha256 }) => tokenSha256);
      const begin = (token: string, change = {}) => store.begin(session(token, nowMs(), change), { replaces: null });
      return { store, tokens, begin };
    }

    test("ends a session that is not used for half an hour, and any after twelve hours", async (world) => {
      const { store, begin, tokens } = storeOf(world);
      assert.equal(await begin("a"), "committed");
      world.advance(29 * MINUTE_MS);
      const found = await store.find("a");
      assert.ok(found !== null);
      const used = await store.replace(found, { ...found.record, lastUsedAtMs: world.nowMs() });
      assert.ok(used !== null);
      world.advance(29 * MINUTE_MS);
      assert.deepEqual([(await store.find("a"))?.record, await tokens()], [used.record, ["a"]]);
      world.advance(2 * MINUTE_MS);
      assert.deepEqual([await store.find("a"), await tokens()], [null, []]);

      await begin("b");
      for (let used = 0; used < 12 * 3; used += 1) {
        const found = await store.find("b");
        assert.ok(found !== null);
        await store.replace(found, { ...found.record, lastUsedAtMs: world.nowMs() });
        world.advance(20 * MINUTE_MS);
      }
      assert.equal(await store.find("b"), null);
    });

    test("puts one session in the place of another, once", async (world) => {
      const { store, begin, tokens } = storeOf(world);
      await begin("a", { stage: "factor" });
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.begin(session(`b${index}`, world.nowMs()), { replaces: "a" })),
      );
      assert.equal(outcomes.filter((outcome) => outcome === "committed").length, 1);
      assert.equal(outcomes.filter((outcome) => outcome === "ended").length, 19);
      assert.equal(await store.find("a"), null);
      assert.equal((await tokens()).length, 1);
    });

    test("keeps the ten latest full sessions of an account, and the three latest unfinished ones beside them", async (world) => {
      const { store, begin, tokens } = storeOf(world);
      for (let index = 0; index < SESSIONS_MAX; index += 1) {
        await begin(`full-${index}`);
        world.advance(1);
      }
      for (let index = 0; index < UNFINISHED_SESSIONS_MAX + 2; index += 1) {
        await begin(`factor-${index}`, { stage: "factor" });
        world.advance(1);
      }
      const before = await tokens();
      assert.deepEqual(before.slice(0, 3), ["factor-4", "factor-3", "factor-2"]);
      assert.equal(before.length, SESSIONS_MAX + UNFINISHED_SESSIONS_MAX);
      assert.equal(await store.find("factor-1"), null);
      await store.begin(session("full-10", world.nowMs()), { replaces: "factor-4" });
      assert.deepEqual([await store.find("full-0"), await store.find("factor-4")], [null, null]);
      assert.ok((await store.find("full-1")) !== null);
    });

    test("keeps the limit also when many begin at once, on two nodes", async (world) => {
      const stores = [storeOf(world).store, storeOf(world).store];
      await Promise.all(
        Array.from({ length: 30 }, async (_, index) => {
          await stores[index % 2]?.begin(session(`s${index}`, world.nowMs()), { replaces: null });
        }),
      );
      assert.equal((await storeOf(world).tokens()).length, SESSIONS_MAX);
      const found = await Promise.all(Array.from({ length: 30 }, (_, index) => storeOf(world).store.find(`s${index}`)));
      assert.equal(found.filter((one) => one !== null).length, SESSIONS_MAX);
    });

    test("ends those that are meant, which then cannot be changed either", async (world) => {
      const { store, begin, tokens } = storeOf(world);
      await begin("a");
      await begin("b", { merchantId: "SHOP-002" });
      const stored = await store.find("b");
      assert.ok(stored !== null);
      assert.equal(await store.end("acc_1", ({ merchantId }) => merchantId === "SHOP-002"), 1);
      assert.deepEqual([await store.find("b"), await tokens()], [null, ["a"]]);
      assert.equal(await store.replace(stored, { ...stored.record, lastUsedAtMs: world.nowMs() }), null);
      assert.equal(await store.find("b"), null);
      assert.equal(await store.end("acc_1", () => false), 0);
    });

    test("ends all of an account in the commit that changes it, also those that begin meanwhile", async (world) => {
      const { store, begin, tokens } = storeOf(world);
      const accounts = createAccountStore(world.kv);
      const change = { account: { record: account(), version: 0 }, before: null };
      await begin("a");
      const stale = await store.endAll("acc_1");
      await begin("b");
      assert.equal((await accounts.commit(change, [stale])).type, "stale");
      assert.equal((await tokens()).length, 2);
      assert.equal((await accounts.commit(change, [await store.endAll("acc_1")])).type, "committed");
      assert.deepEqual([await tokens(), await store.find("a"), await store.find("b")], [[], null, null]);
      assert.equal(await store.begin(session("c", world.nowMs()), { replaces: "b" }), "ended");
    });

    test("takes an answer to a passkey challenge once", async (world) => {
      const { store } = storeOf(world);
      const begin = (token: string) =>
        store.begin(session(token, world.nowMs()), { replaces: null, also: [challengeUsed("digest", world.nowMs() + 5 * MINUTE_MS)] });
      const outcomes = await Promise.all([begin("a"), begin("b")]);
      assert.deepEqual(outcomes.sort(), ["committed", "stale"]);
      assert.equal(await begin("c"), "stale");
    });
  });
}
