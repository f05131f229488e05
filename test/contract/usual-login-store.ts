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
      assert.equal(await one.isUsual("a"), false);
      await one.remember("a");
      assert.deepEqual([await other.isUsual("a"), await other.isUsual("b")], [true, false]);
      advance(20 * DAY_MS);
      await other.remember("a");
      advance(29 * DAY_MS);
      assert.equal(await one.isUsual("a"), true);
      advance(2 * DAY_MS);
      assert.equal(await one.isUsual("a"), false);
    });

    test("is written once a day, also by many at once", async ({ kv, nowMs, advance }) => {
      const store = createUsualLoginStore(kv, nowMs);
      await Promise.all(Array.from({ length: 10 }, () => store.remember("a")));
      const version = (await kv.get("usual-login/a"))?.version;
      advance(DAY_MS / 2);
      await store.remember("a");
      assert.equal((await kv.get("usual-login/a"))?.version, version);
      advance(DAY_MS);
      await store.remember("a");
      assert.notEqual((await kv.get("usual-login/a"))?.version, version);
    });
  });
}
