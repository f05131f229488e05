import assert from "node:assert/strict";
import { describe } from "node:test";
import { createUsualLoginStore } from "../../engine/access/usual-login-store.ts";
import type { OpenKv } from "./engines.ts";
import { ownWorldTest } from "./own-world.ts";

const DAY_MS = 86_400_000;

/** The contract of the addresses at which accounts usually log in; each engine's test file calls this. */
export function testUsualLoginStore(name: string, open: () => Promise<OpenKv>): void {
  describe(`${name} keeps the contract of usual logins`, () => {
    const test = ownWorldTest(open);

    test("knows a login for thirty days after the last time, in every node", async ({ kv, nowMs, advance }) => {
      const [one, other] = [createUsualLoginStore(kv, nowMs), createUsualLoginStore(kv, nowMs)];
      const at = async (store: typeof one, address: string) => [...(await store.at(address))].sort();
      assert.deepEqual(await at(one, "a"), []);
      await one.remember("a", "till");
      await other.remember("a", "office");
      assert.deepEqual([await at(other, "a"), await at(one, "b")], [["office", "till"], []]);
      advance(20 * DAY_MS);
      await other.remember("a", "till");
      advance(29 * DAY_MS);
      assert.deepEqual(await at(one, "a"), ["till"]);
      advance(2 * DAY_MS);
      assert.deepEqual(await at(one, "a"), []);
    });

    test("is written once a day, also by many at once, and has room for 256 accounts of an address", async ({ kv, nowMs, advance }) => {
      const store = createUsualLoginStore(kv, nowMs);
      await Promise.all(Array.from({ length: 10 }, (_, index) => store.remember("a", `till-${index % 3}`)));
      assert.equal((await store.at("a")).size, 3);
      const version = (await kv.get("usual-login/a"))?.version;
      advance(DAY_MS / 2);
      await store.remember("a", "till-0");
      assert.equal((await kv.get("usual-login/a"))?.version, version);
      advance(DAY_MS);
      await store.remember("a", "till-0");
      assert.notEqual((await kv.get("usual-login/a"))?.version, version);
      advance(1);
      for (let index = 0; index < 255; index += 1) await store.remember("a", `other-${index}`);
      const accounts = await store.at("a");
      assert.deepEqual([accounts.size, accounts.has("till-0"), accounts.has("till-1")], [256, true, false]);
    });
  });
}
