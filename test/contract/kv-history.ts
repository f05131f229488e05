import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { OpenEngine } from "./engines.ts";
import { ownWorldTest } from "./own-world.ts";

/** The contract of storage/kv/history.ts. */
export function testKvHistory(name: string, open: () => Promise<OpenEngine>): void {
  describe(`${name} knows its own past`, () => {
    const test = ownWorldTest(open);
    test("tells how far it is, and when that was", async ({ kv, nowMs }) => {
      assert.deepEqual([await kv.lastVersion(), kv.lostVersion()], [0, 0]);
      const version = await put(kv, "a", "one");
      assert.equal(await kv.lastVersion(), version);
      await kv.commit({ checks: [], operations: [{ type: "delete", key: "a" }] });
      assert.ok((await kv.lastVersion()) > version);
      // Redis goes by its own clock, whatever a test has moved.
      const wallMs = version / kv.versionsPerMs;
      assert.ok(Math.min(Math.abs(wallMs - nowMs()), Math.abs(wallMs - Date.now())) < 60_000, `${wallMs} is no time of now`);
    });

    test("told that it was taken back, remembers until where, and gives no version again that was given since", async ({ kv }) => {
      const copied = await put(kv, "a", "one");
      const since = copied + 86_400_000 * kv.versionsPerMs;
      await kv.lose(copied, since);
      assert.deepEqual([(await kv.lastVersion()) >= copied, kv.lostVersion()], [true, copied]);
      assert.ok((await put(kv, "a", "two")) > since);
      await kv.lose(copied - 1, 0);
      assert.equal(kv.lostVersion(), copied);
      assert.equal((await kv.get("a"))?.value, "two");
      const checked = await kv.commit({ checks: [{ key: "a", version: copied }], operations: [] });
      assert.equal(checked.type, "conflict");
    });
  });
}

async function put(kv: Kv, key: string, value: string): Promise<number> {
  const result = await kv.commit({ checks: [], operations: [{ type: "put", key, value }] });
  assert.ok(result.type === "committed");
  return result.version;
}
