import assert from "node:assert/strict";
import { describe } from "node:test";
import type { AgentCredentialRecord } from "../../engine/agents/agent-credential.ts";
import { credentialByDigest, pageOfCredentials, storeCredential } from "../../engine/agents/agent-credential-queries.ts";
import { duePartitionOf } from "../../engine/kernel/due-index-store.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { CONFLICT } from "../../engine/kernel/retry-on-conflict.ts";
import { credential, idOf } from "../engine/agents/machine-world.ts";
import type { credentialsOn } from "../engine/agents/world.ts";
import { ownWorldTest } from "./own-world.ts";

/** An empty store for one test. */
export interface OpenAgentCredentialStore extends ReturnType<typeof credentialsOn> {
  kv: Kv;
  nowMs(): number;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
const LIST = { merchantId: "M1", livemode: false };
const ALL = { limit: 100, after: null, state: null } as const;

/** The contract of the store of credentials. The test file of each engine calls it. */
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
    const create = async (opened: OpenAgentCredentialStore, record: AgentCredentialRecord) =>
      storeCredential(opened, record, await opened.usable.load(record), null);
    const versionOf = async ({ store }: OpenAgentCredentialStore, { id }: AgentCredentialRecord) => (await store.load(id))?.version ?? 0;

    test("stores a credential by its id and its token, and rejects its id a second time", async (opened) => {
      const { store, nowMs } = opened;
      const record = numbered(1, nowMs());
      assert.equal(await store.load(record.id), null);
      assert.ok(await create(opened, record));
      const version = await versionOf(opened, record);
      assert.deepEqual(await store.load(record.id), { record, version });
      assert.deepEqual((await credentialByDigest(store, record.digest))?.record, record);
      assert.equal(await create(opened, record), false);
      for (const id of ["", "ac_1", "ac_é", `${record.id}/`, `${record.id}0`]) assert.equal(await store.load(id), null);
      for (const digest of ["", "0".repeat(64), `${record.digest}0`]) assert.equal(await credentialByDigest(store, digest), null);
      assert.deepEqual(await store.pageDue(duePartitionOf(record.id), null, nowMs() + 2 * DAY_MS, 10), [
        { id: record.id, atMs: nowMs() + DAY_MS },
      ]);
    });

    test("stores one of fifty credentials that are made from the same list of usable ones", async (opened) => {
      const { store, usable, nowMs } = opened;
      const now = await usable.load(LIST);
      const stored = await Promise.all(
        Array.from({ length: 50 }, (_, index) => storeCredential(opened, numbered(index + 1, nowMs()), now, null)),
      );
      assert.equal(stored.filter((isStored) => isStored).length, 1);
      assert.equal((await usable.load(LIST)).ids.length, 1);
      assert.equal((await pageOfCredentials(store, LIST, ALL)).items.length, 1);
    });

    test("stores one of fifty steps from one version, with what is added to its commit", async (opened) => {
      const { store, kv, nowMs } = opened;
      const record = numbered(1, nowMs());
      await create(opened, record);
      const version = await versionOf(opened, record);
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) => {
          const reserved = { totalMinor: index + 1, day: "2023-11-14", dayMinor: index + 1, links: 1 };
          const part = { checks: [], operations: [{ type: "put" as const, key: `also/${index}`, value: "1" }] };
          return kv.commit(store.part({ record: { ...record, reserved }, before: record, version, part, atMs: nowMs() }));
        }),
      );
      assert.equal(results.filter(({ type }) => type === "committed").length, 1);
      const won = (await store.load(record.id))?.record.reserved.totalMinor ?? 0;
      const entries = await kv.scan({ from: "also/", to: "also/~", limit: 100 });
      assert.deepEqual(
        entries.map(({ key }) => key),
        [`also/${won - 1}`],
      );
    });

    test("removes an ended credential from the usable ones and its deadline, and still lists it", async (opened) => {
      const { store, usable, workflow, nowMs } = opened;
      const [one, other] = [numbered(1, nowMs()), numbered(2, nowMs() + 1)];
      for (const record of [one, other, numbered(3, nowMs(), { merchantId: "M2" })]) await create(opened, record);
      const stored = { record: one, version: await versionOf(opened, one) };
      const revoke = () => workflow.step(stored, { type: "revoke.requested", atMs: nowMs(), by: { type: "key" } }, null);
      assert.equal(await revoke().then((applied) => applied !== CONFLICT && applied.type), "accepted");
      assert.equal(await revoke(), CONFLICT, "another version is stored");
      assert.deepEqual((await usable.load(LIST)).ids, [other.id]);
      const due = await store.pageDue(duePartitionOf(one.id), null, nowMs() + 2 * DAY_MS, 10);
      assert.deepEqual(
        due.filter(({ id }) => id === one.id),
        [],
      );
      const ids = async (state: AgentCredentialRecord["state"] | null) =>
        (await pageOfCredentials(store, LIST, { ...ALL, state })).items.map(({ id }) => id);
      assert.deepEqual(await ids(null), [other.id, one.id]);
      assert.deepEqual(await ids("REVOKED"), [one.id]);
      assert.deepEqual(await ids("ACTIVE"), [other.id]);
      // Later changes of its links do not change the usable ones.
      const event = { type: "link.paid_late", atMs: nowMs(), amountMinor: 5 } as const;
      assert.equal((await workflow.apply(one.id, () => event, null))?.type, "accepted");
      assert.deepEqual((await usable.load(LIST)).ids, [other.id]);
    });
  });
}
