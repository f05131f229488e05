import assert from "node:assert/strict";
import { describe } from "node:test";
import { INVITATION_LIFETIME_MS, type MemberRecord, type TeamRecord } from "../../engine/accounts/team.ts";
import type { TeamStore } from "../../engine/accounts/team-store.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { ownWorldTest } from "./own-world.ts";

/** A store of its own for one test, empty. */
export interface OpenTeamStore {
  store: TeamStore;
  kv: Kv;
  nowMs(): number;
  advance(ms: number): void;
  close(): Promise<void>;
}

function invited(email: string, tokenSha256: string, atMs: number): MemberRecord {
  return {
    ...{ userId: `usr_${email}`, email, role: "ADMIN", state: "INVITED", accountId: null, locale: "it", invitedAtMs: atMs },
    invitation: { tokenSha256, expiresAtMs: atMs + INVITATION_LIFETIME_MS },
    joinedAtMs: null,
  };
}

function teamOf(merchantId: string, members: readonly MemberRecord[], updatedAtMs: number): TeamRecord {
  return { schema: 1, merchantId, members, updatedAtMs };
}

/** The contract of engine/accounts/team-store.ts; each engine's test file calls this. */
export function testTeamStore(name: string, open: () => Promise<OpenTeamStore>): void {
  describe(`${name} keeps the contract of the store of teams`, () => {
    const test = ownWorldTest(open);

    test("keeps a team as it was given, by its merchant", async ({ store, nowMs }) => {
      const team = teamOf("SHOP-1", [invited("a@example.com", "t1", nowMs())], nowMs());
      assert.equal(await store.load("SHOP-1"), null);
      const stored = await store.commit(null, team);
      assert.deepEqual(await store.load("SHOP-1"), stored);
      assert.deepEqual(stored?.record, team);
      assert.equal(await store.load("SHOP-"), null);
      assert.deepEqual(await store.loadMany(["SHOP-2", "SHOP-1"]), [null, stored]);
      assert.deepEqual(await store.loadMany([]), []);
    });

    test("of a hundred changes that were decided by one version one is stored", async ({ store, nowMs }) => {
      for (const before of [null, await store.commit(null, teamOf("SHOP-2", [], nowMs()))]) {
        const merchantId = before?.record.merchantId ?? "SHOP-1";
        const won = await Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            store.commit(before, teamOf(merchantId, [invited(`${index}@example.com`, `t${index}`, nowMs())], nowMs())),
          ),
        );
        assert.equal(won.filter((one) => one !== null).length, 1);
        const winner = won.findIndex((one) => one !== null);
        assert.equal((await store.load(merchantId))?.record.members[0]?.email, `${winner}@example.com`);
        assert.equal((await store.byInvitation(`t${winner}`))?.record.merchantId, merchantId);
        assert.equal(await store.byInvitation(`t${(winner + 1) % 100}`), null);
      }
    });

    test("finds a team by an invitation while it is open", async ({ store, nowMs, advance }) => {
      const [first, second] = [invited("a@example.com", "t1", nowMs()), invited("b@example.com", "t2", nowMs())];
      const stored = await store.commit(null, teamOf("SHOP-1", [first, second], nowMs()));
      assert.deepEqual(await store.byInvitation("t1"), stored);
      // Sent again: another token.
      const again = await store.commit(stored, teamOf("SHOP-1", [invited("a@example.com", "t3", nowMs()), second], nowMs()));
      assert.equal(await store.byInvitation("t1"), null);
      assert.deepEqual(await store.byInvitation("t2"), again);
      assert.deepEqual(await store.byInvitation("t3"), again);
      // Accepted, and withdrawn.
      await store.commit(again, teamOf("SHOP-1", [{ ...second, state: "ACTIVE", invitation: null }], nowMs()));
      assert.equal(await store.byInvitation("t2"), null);
      assert.equal(await store.byInvitation("t3"), null);
      const other = await store.commit(null, teamOf("SHOP-2", [invited("a@example.com", "t4", nowMs())], nowMs()));
      advance(INVITATION_LIFETIME_MS - 1);
      assert.deepEqual(await store.byInvitation("t4"), other);
      advance(1);
      assert.equal(await store.byInvitation("t4"), null);
    });

    test("stores what others add in the same commit, or nothing of both", async ({ store, kv, nowMs }) => {
      const team = teamOf("SHOP-1", [invited("a@example.com", "t1", nowMs())], nowMs());
      const put = { type: "put", key: "other/1", value: "{}" } as const;
      assert.equal(await store.commit(null, team, { checks: [{ key: "other/1", version: 7 }], operations: [put] }), null);
      assert.deepEqual([await store.load("SHOP-1"), await store.byInvitation("t1"), await kv.get("other/1")], [null, null, null]);
      const stored = await store.commit(null, team, { checks: [{ key: "other/1", version: 0 }], operations: [put] });
      assert.equal((await kv.get("other/1"))?.version, stored?.version);
      assert.equal(await store.commit(null, team, { checks: [], operations: [{ type: "delete", key: "other/1" }] }), null);
      assert.notEqual(await kv.get("other/1"), null);
    });
  });
}
