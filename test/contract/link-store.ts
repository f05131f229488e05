import assert from "node:assert/strict";
import { describe } from "node:test";
import type { IdempotencyClaim, IdempotencyStore } from "../../engine/idempotency/idempotency-store.ts";
import { type DueEntry, duePartitionOf } from "../../engine/kernel/due-index-store.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { LinkRecord } from "../../engine/links/link.ts";
import { linkRow } from "../../engine/links/link-change.ts";
import { countOpenLinks, type LinkChange, type LinkStore } from "../../engine/links/link-store.ts";
import { link, NOW_MS, unanswered } from "../engine/links/machine-world.ts";
import { ownWorldTest } from "./own-world.ts";

/** Stores of their own for one test, empty. */
export interface OpenLinkStore {
  store: LinkStore;
  claims: IdempotencyStore;
  /** What both are written on. */
  kv: Kv;
  nowMs(): number;
  close(): Promise<void>;
}

const NOTHING = { rows: [], attention: [], settled: [], atMs: NOW_MS } as const;

function created(record: LinkRecord): LinkChange {
  return { ...NOTHING, record, before: null, version: 0 };
}

async function stored(store: LinkStore, record: LinkRecord): Promise<number> {
  const version = await store.commit(created(record));
  assert.notEqual(version, null);
  return version ?? 0;
}

/** The contract of engine/links/link-store.ts and idempotency-store.ts; each engine's test file calls this. */
export function testLinkStore(name: string, open: () => Promise<OpenLinkStore>): void {
  describe(`${name} keeps the contract of the link store`, () => {
    const test = ownWorldTest(open);

    test("keeps a link as it was given, and refuses its id a second time", async ({ store }) => {
      const record = link("created");
      assert.equal(await store.load("x1"), null);
      const version = await stored(store, record);
      assert.deepEqual(await store.load("x1"), { record, version });
      assert.equal(await store.commit(created(link("created"))), null);
    });

    test("counts the links that can be paid, and neither those that have ended nor those whose time is over", async ({ store, kv }) => {
      const orders = ["x1", "x2", "x3"].map((txId, index) => ({ txId, expiresAtMs: NOW_MS + (index + 1) * 60_000 }));
      const [first, second] = await Promise.all(
        orders.map(async (order) => {
          const before = link("waiting", { order });
          return { before, version: await stored(store, before) };
        }),
      );
      assert.ok(first !== undefined && second !== undefined);
      assert.equal(await countOpenLinks(kv, NOW_MS), 3);
      assert.equal(await countOpenLinks(kv, NOW_MS + 60_000), 2, "the first one's time is over");
      const failed: LinkRecord = { ...second.before, state: "failed", nextAtMs: NOW_MS + 5_000 };
      await store.commit({ ...NOTHING, record: failed, before: second.before, version: second.version });
      assert.equal(await countOpenLinks(kv, NOW_MS), 2, "a failed link that the relay still checks cannot be paid");
      await stored(store, link("success", { order: { txId: "x4", expiresAtMs: NOW_MS + 60_000 } }));
      assert.equal(await countOpenLinks(kv, NOW_MS), 2);
    });

    test("of fifty steps from one version one is stored", async ({ store }) => {
      const before = link("created");
      const version = await stored(store, before);
      const steps = Array.from({ length: 50 }, (_, index) =>
        store.commit({ ...NOTHING, record: { ...before, inits: index + 2 }, before, version }),
      );
      const versions = (await Promise.all(steps)).filter((outcome) => outcome !== null);
      assert.equal(versions.length, 1);
      assert.equal((await store.load("x1"))?.version, versions[0]);
    });

    test("the id of a capture, reversal or refund is one payment's, also when two want it at once", async ({ store }) => {
      const [one, other] = [link("success"), link("success", { order: { txId: "x2" } })];
      const versions = [await stored(store, one), await stored(store, other)];
      const wanted = (record: LinkRecord, version = 0) =>
        store.commit({ ...NOTHING, record: { ...record, followUps: [unanswered()] }, before: record, version });
      const outcomes = await Promise.allSettled([wanted(one, versions[0]), wanted(other, versions[1])]);
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
      const loser = outcomes[0]?.status === "rejected" ? 0 : 1;
      await assert.rejects(wanted(loser === 0 ? one : other, versions[loser]), { code: "duplicate" });
      assert.deepEqual((await store.load(loser === 0 ? "x1" : "x2"))?.record, loser === 0 ? one : other);
      assert.equal(await wanted(loser === 0 ? other : one, versions[1 - loser]), null, "stale, and no duplicate of itself");
    });

    test("finds it by the gateway's names, within its account", async ({ store }) => {
      const record = link("success");
      await stored(store, record);
      assert.deepEqual((await store.findByPaymentId(1, "g1"))?.record, record);
      assert.deepEqual((await store.findByTranId(1, "m1"))?.record, record);
      for (const [partnerId, id] of [
        [2, "g1"],
        [null, "g1"],
        [1, "g2"],
        [1, ""],
        [1, "é\n"],
        [1, "x".repeat(1_000)],
      ] as const) {
        assert.equal(await store.findByPaymentId(partnerId, id), null);
      }
      assert.equal(await store.load("é\n"), null);
    });

    test("a link is due at its latest deadline only, and never when it has none", async ({ store }) => {
      const before = link("waiting", { nextAtMs: 1_000 });
      assert.equal(await store.anyDue(), false);
      let version = await stored(store, before);
      assert.equal(await store.anyDue(), true);
      const partition = duePartitionOf("x1");
      const due = (untilMs: number) => store.pageDue(partition, null, untilMs, 10);
      assert.deepEqual(await due(1_000), [], "the end is not included");
      assert.deepEqual(await due(1_001), [{ id: "x1", atMs: 1_000 }]);
      const moved = { ...before, nextAtMs: 2_000 };
      version = (await store.commit({ ...NOTHING, record: moved, before, version })) ?? 0;
      assert.deepEqual(await due(2_000), []);
      assert.deepEqual(await due(Number.MAX_SAFE_INTEGER), [{ id: "x1", atMs: 2_000 }]);
      const ended = link("success");
      await store.commit({ ...NOTHING, record: ended, before: moved, version });
      assert.deepEqual(await due(Number.MAX_SAFE_INTEGER), []);
      assert.equal(await store.anyDue(), false);
    });

    test("pages what is due of a partition in order, each once", async ({ store }) => {
      const ids = Array.from({ length: 2_000 }, (_, index) => `p${index}`).filter((txId) => duePartitionOf(txId) === 3);
      for (const [index, txId] of ids.entries()) {
        await stored(store, link("waiting", { order: { txId }, paymentId: `g-${txId}`, nextAtMs: 10_000 + (index % 7) }));
      }
      assert.ok(ids.length > 10, "too few for several pages");
      const found: DueEntry[] = [];
      for (;;) {
        const page = await store.pageDue(3, found.at(-1) ?? null, 20_000, 4);
        found.push(...page);
        if (page.length < 4) break;
      }
      assert.deepEqual(found.map(({ id }) => id).sort(), [...ids].sort());
      assert.deepEqual(
        found.map(({ atMs }) => atMs),
        found.map(({ atMs }) => atMs).sort((one, other) => one - other),
      );
    });

    test("rows and attention go with the step, or not at all", async ({ store, kv }) => {
      const before = link("watching");
      const version = await stored(store, before);
      const record = link("success");
      const row = linkRow(record);
      assert.ok(row !== null);
      const item = { kind: "link_late" as const, terminalId: "T1", uuid: "x1", atMs: NOW_MS, detail: "late", raw: null };
      const change: LinkChange = { ...NOTHING, record, before, version: version + 1, rows: [row], attention: [item] };
      const entries = (prefix: string) => kv.scan({ from: prefix, to: `${prefix}\u007f`, limit: 10 });
      assert.equal(await store.commit(change), null);
      assert.deepEqual([(await entries("o/")).length, (await entries("a/")).length], [0, 0]);
      const second = await store.commit({ ...change, version });
      assert.ok(second !== null);
      assert.deepEqual([(await entries("o/")).length, (await entries("a/")).length], [1, 1]);
      const text = (await entries("o/")).map(({ value }) => value).join();
      for (const personal of ["Lovelace", "ada@example.org"]) assert.equal(text.includes(personal), false, "personal data in the outbox");
      await store.commit({ ...NOTHING, record, before: record, version: second, settled: [item] });
      assert.equal((await entries("a/")).length, 0);
    });

    test("an idempotency claim is kept under its version", async ({ claims, nowMs }) => {
      const claim: IdempotencyClaim = { schema: 1, fingerprint: "f", operationId: "o", createdAtMs: nowMs(), state: { type: "open" } };
      assert.equal(await claims.load("s"), null);
      const version = await claims.save("s", claim, 0);
      assert.ok(version !== null);
      assert.equal(await claims.save("s", claim, 0), null);
      assert.deepEqual(await claims.load("s"), { record: claim, version });
      assert.notEqual(await claims.save("s", { ...claim, state: { type: "answered", text: "a", sealed: false } }, version), null);
    });
  });
}
