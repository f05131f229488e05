import assert from "node:assert/strict";
import { describe } from "node:test";
import type { AgentCredentialRecord } from "../../engine/agents/agent-credential.ts";
import type { AgentCredentialStore } from "../../engine/agents/agent-credential-store.ts";
import { duePartitionOf } from "../../engine/kernel/due-index-store.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { credential, idOf } from "../engine/agents/machine-world.ts";
import { ownWorldTest } from "./own-world.ts";

/** A store of its own for one test, empty. */
export interface OpenAgentCredentialStore {
  store: AgentCredentialStore;
  kv: Kv;
  nowMs(): number;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
const LIST = { merchantId: "M1", livemode: false };
const ALL = { limit: 100, after: null, state: null } as const;

/** The contract of engine/agents/agent-credential-store.ts; each engine's test file calls this. */
export function testAgentCredentialStore(name: string, open: () => Promise<OpenAgentCredentialStore>): void {
  describe(`${name} keeps the contract of the store of agents' credentials`, () => {
    const test = ownWorldTest(open);
    const numbered = (n: number, nowMs: number, changes: Partial<AgentCredentialRecord> = {}) =>
      credential({
        id: idOf(n),
        digest: String(n).padStart(64, "0"),
        createdAtMs: nowMs,
        expiresAtMs: nowMs + DAY_MS,
        nextAtMs: nowMs + DAY_MS,
        ...changes,
      });
    const asNew = (record: AgentCredentialRecord) => ({ record, before: null, version: 0, events: [], also: [], atMs: record.createdAtMs });
    const create = async (store: AgentCredentialStore, record: AgentCredentialRecord) =>
      store.create(asNew(record), await store.usable(record));

    test("keeps a credential as it was given, by its id and its token, and refuses its id a second time", async ({ store, nowMs }) => {
      const record = numbered(1, nowMs());
      assert.equal(await store.load(record.id), null);
      const version = await create(store, record);
      assert.deepEqual(await store.load(record.id), { record, version });
      assert.deepEqual(await store.byDigest(record.digest), record);
      assert.equal(await create(store, record), null);
      for (const id of ["", "ac_1", "ac_é", `${record.id}/`, `${record.id}0`]) assert.equal(await store.load(id), null);
      for (const digest of ["", "0".repeat(64), `${record.digest}0`]) assert.equal(await store.byDigest(digest), null);
      assert.deepEqual(await store.pageDue(duePartitionOf(record.id), null, nowMs() + 2 * DAY_MS, 10), [
        { id: record.id, atMs: nowMs() + DAY_MS },
      ]);
    });

    test("of fifty that are made from one list of those that can be used, one is stored", async ({ store, nowMs }) => {
      const usable = await store.usable(LIST);
      const versions = await Promise.all(
        Array.from({ length: 50 }, (_, index) => store.create(asNew(numbered(index + 1, nowMs())), usable)),
      );
      assert.equal(versions.filter((version) => version !== null).length, 1);
      assert.equal((await store.usable(LIST)).ids.length, 1);
      assert.equal((await store.page(LIST, ALL)).items.length, 1);
    });

    test("of fifty steps from one version one is stored, with what goes with it", async ({ store, kv, nowMs }) => {
      const record = numbered(1, nowMs());
      const version = (await create(store, record)) ?? 0;
      const versions = await Promise.all(
        Array.from({ length: 50 }, (_, index) => {
          const reserved = { totalMinor: index + 1, day: "2023-11-14", dayMinor: index + 1, links: 1 };
          const { checks, operations } = store.alongside({
            ...{ record: { ...record, reserved }, before: record, version, events: [], atMs: nowMs() },
            also: [{ type: "put", key: `also/${index}`, value: "1" }],
          });
          return kv.commit({ checks, operations });
        }),
      );
      assert.equal(versions.filter(({ type }) => type === "committed").length, 1);
      const won = (await store.load(record.id))?.record.reserved.totalMinor ?? 0;
      const entries = await kv.scan({ from: "also/", to: "also/~", limit: 100 });
      assert.deepEqual(
        entries.map(({ key }) => key),
        [`also/${won - 1}`],
      );
    });

    test("takes one that has ended out of those that can be used, and its deadline away, and lists it still", async ({ store, nowMs }) => {
      const [one, other] = [numbered(1, nowMs()), numbered(2, nowMs() + 1)];
      const version = (await create(store, one)) ?? 0;
      await create(store, other);
      const elsewhere = numbered(3, nowMs(), { merchantId: "M2" });
      await create(store, elsewhere);
      const revoked = { ...one, state: "REVOKED", nextAtMs: null } as const;
      const change = { record: revoked, before: one, version, events: [], also: [], atMs: nowMs() };
      const ended = await store.commit(change);
      assert.notEqual(ended, null);
      assert.equal(await store.commit(change), null, "another version stands");
      assert.deepEqual((await store.usable(LIST)).ids, [other.id]);
      assert.deepEqual(
        await store.pageDue(duePartitionOf(one.id), null, nowMs() + 2 * DAY_MS, 10).then((due) => due.filter(({ id }) => id === one.id)),
        [],
      );
      const ids = async (state: AgentCredentialRecord["state"] | null) =>
        (await store.page(LIST, { ...ALL, state })).items.map(({ id }) => id);
      assert.deepEqual(await ids(null), [other.id, one.id]);
      assert.deepEqual(await ids("REVOKED"), [one.id]);
      assert.deepEqual(await ids("ACTIVE"), [other.id]);
      // What its links come to after that changes nothing of what can be used.
      const counted = { ...revoked, reserved: { totalMinor: 5, day: null, dayMinor: 0, links: 1 } };
      assert.notEqual(await store.commit({ ...change, record: counted, before: revoked, version: ended ?? 0 }), null);
      assert.deepEqual((await store.usable(LIST)).ids, [other.id]);
    });
  });
}
