import assert from "node:assert/strict";
import { describe } from "node:test";
import { type CommitPart, NO_PART } from "../../engine/kernel/commit-part.ts";
import { duePartitionOf } from "../../engine/kernel/due-index-store.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { LATE_TASK_MS } from "../../engine/portal-links/link-tasks.ts";
import type { PortalLinkRecord } from "../../engine/portal-links/portal-link.ts";
import type { PortalLinkPageQuery, PortalLinkQueries } from "../../engine/portal-links/portal-link-queries.ts";
import type { WorkflowStore } from "../../engine/workflow/workflow-store.ts";
import { idOf, portalLink, tokenOf } from "../engine/portal-links/machine-world.ts";
import { ownWorldTest } from "./own-world.ts";

/** An empty store for one test. */
export interface OpenPortalLinkStore {
  store: WorkflowStore<PortalLinkRecord>;
  queries: PortalLinkQueries;
  kv: Kv;
  retentionMs: number;
  nowMs(): number;
  advance(ms: number): void;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
const LIST = { merchantId: "M1", livemode: false };
const ALL: PortalLinkPageQuery = {
  limit: 100,
  after: null,
  fromMs: null,
  beforeMs: null,
  state: null,
  customerEmail: null,
  reference: null,
};

function numbered(n: number, createdAtMs: number, changes: Partial<PortalLinkRecord> = {}): PortalLinkRecord {
  return portalLink([], { id: idOf(n), token: tokenOf(n), createdAtMs, ...changes });
}

/** The contract of the store of portal links. The test file of each engine calls it. */
export function testPortalLinkStore(name: string, open: () => Promise<OpenPortalLinkStore>): void {
  describe(`${name} keeps the contract of the store of portal links`, () => {
    const test = ownWorldTest(open);
    /** Returns the new version; null for a conflict. */
    const commit = async (
      store: OpenPortalLinkStore["store"],
      record: PortalLinkRecord,
      atMs: number,
      before: { record: PortalLinkRecord; version: number } | null = null,
      part: CommitPart = NO_PART,
    ) => {
      const result = await store.commit({ record, before: before?.record ?? null, version: before?.version ?? 0, part, atMs });
      return result.type === "committed" ? result.version : null;
    };
    const ids = async (store: PortalLinkQueries, query: Partial<PortalLinkPageQuery> = {}, list = LIST) =>
      (await store.page(list, { ...ALL, ...query })).items.map(({ id }) => id);

    test("stores a link unchanged, finds it by id and token, and rejects its id a second time", async ({ store, queries, nowMs }) => {
      const record = numbered(1, nowMs());
      assert.equal(await store.load(record.id), null);
      const version = await commit(store, record, nowMs());
      assert.deepEqual(await store.load(record.id), { record, version });
      assert.deepEqual(await queries.byToken(record.token), { record, version });
      assert.equal(await commit(store, record, nowMs()), null);
      for (const id of ["", "pl_1", "pl_é", `${record.id}/`, `${record.id}0`]) assert.equal(await store.load(id), null);
      for (const token of ["", tokenOf(2), `${record.token}0`, `${record.token.slice(1)}é`, `${record.token.slice(1)}/`]) {
        assert.equal(await queries.byToken(token), null);
      }
    });

    test("stores one of fifty steps from one version, with what is added to its commit", async ({ store, kv, nowMs }) => {
      const record = numbered(1, nowMs());
      const version = (await commit(store, record, nowMs())) ?? 0;
      const versions = await Promise.all(
        Array.from({ length: 50 }, (_, index) => {
          const operations = [{ type: "put" as const, key: `also/${index}`, value: "1" }];
          return commit(store, { ...record, events: index + 2 }, nowMs(), { record, version }, { checks: [], operations });
        }),
      );
      assert.equal(versions.filter((one) => one !== null).length, 1);
      assert.equal((await kv.scan({ from: "also/", to: "also/~", limit: 100 })).length, 1);
    });

    test("lists the links of one merchant and environment, newest first, page by page", async ({ store, queries, nowMs }) => {
      // Pairs have the same millisecond, so their ids decide the order.
      const all = Array.from({ length: 8 }, (_, index) => numbered(index + 1, nowMs() + Math.floor(index / 2)));
      for (const record of all) await commit(store, record, nowMs());
      await commit(store, numbered(20, nowMs(), { merchantId: "M10" }), nowMs());
      await commit(store, numbered(21, nowMs(), { livemode: true }), nowMs());
      const newest = all.map(({ id }) => id).reverse();
      for (let limit = 1; limit <= 9; limit += 1) {
        const walked: string[] = [];
        let after: PortalLinkPageQuery["after"] = null;
        let pages = 0;
        do {
          const page = await queries.page(LIST, { ...ALL, limit, after });
          assert.ok(page.items.length > 0 && page.items.length <= limit);
          walked.push(...page.items.map(({ id }) => id));
          after = page.next;
          pages += 1;
        } while (after !== null);
        assert.deepEqual(walked, newest, `by ${limit}`);
        assert.equal(pages, Math.ceil(8 / limit), "no page is empty");
      }
      assert.deepEqual(await ids(queries, { fromMs: nowMs() + 1, beforeMs: nowMs() + 3 }), newest.slice(2, 6));
      assert.deepEqual(await ids(queries, { fromMs: nowMs() + 9, beforeMs: nowMs() }), []);
      assert.deepEqual(await ids(queries, { beforeMs: 253_402_300_800_000 }), newest);
      assert.deepEqual(await ids(queries, { fromMs: 10_000_000_000_000 }), []);
      assert.deepEqual(await ids(queries, {}, { ...LIST, livemode: true }), [idOf(21)]);
    });

    test("finds links by current state, customer and reference", async ({ store, queries, nowMs }) => {
      const one = numbered(1, nowMs());
      const other = numbered(2, nowMs() + 1, { order: { ...one.order, customerEmail: "Bob@Example.org", reference: "r-7" } });
      const plain = numbered(3, nowMs() + 2, { order: { ...one.order, customerEmail: null, reference: null } });
      const version = (await commit(store, one, nowMs())) ?? 0;
      for (const record of [other, plain]) await commit(store, record, nowMs());
      assert.deepEqual(await ids(queries, { state: "PENDING" }), [plain.id, other.id, one.id]);
      const paid: PortalLinkRecord = { ...one, state: "PAID", nextAtMs: null };
      await commit(store, paid, nowMs(), { record: one, version });
      assert.deepEqual(await ids(queries, { state: "PENDING" }), [plain.id, other.id]);
      assert.deepEqual(await ids(queries, { state: "PAID" }), [one.id]);
      assert.deepEqual(await ids(queries, { customerEmail: "bob@example.ORG" }), [other.id]);
      assert.deepEqual(await ids(queries, { customerEmail: "bob@example" }), []);
      assert.deepEqual(await ids(queries, { reference: "R-7" }), [one.id]);
      assert.deepEqual(await ids(queries, { reference: "r-7" }), [other.id]);
      assert.deepEqual(await ids(queries, { reference: "R-7", state: "PENDING" }), []);
      assert.deepEqual(await ids(queries, { reference: "R-7" }, { ...LIST, merchantId: "M2" }), []);
    });

    test("reads a few thousand entries for one page, and returns where the next one begins", async ({ store, queries, nowMs }) => {
      const { order } = numbered(1, nowMs());
      const all = Array.from({ length: 2_300 }, (_, n) =>
        numbered(n + 1, nowMs() + n, { state: n === 0 ? "PAID" : "PENDING", order: { ...order, reference: "same" } }),
      );
      for (let at = 0; at < all.length; at += 100)
        await Promise.all(all.slice(at, at + 100).map((record) => commit(store, record, nowMs())));
      const first = await queries.page(LIST, { ...ALL, reference: "same", state: "PAID" });
      assert.deepEqual(first.items, []);
      assert.notEqual(first.next, null);
      const second = await queries.page(LIST, { ...ALL, reference: "same", state: "PAID", after: first.next });
      assert.deepEqual([second.items.map(({ id }) => id), second.next], [[idOf(1)], null]);
    });

    test("stores a deadline in the index while the record has one", async ({ store, nowMs }) => {
      const record = numbered(1, nowMs(), { nextAtMs: nowMs() + 1_000 });
      const version = (await commit(store, record, nowMs())) ?? 0;
      const due = (untilMs: number) => store.pageDue(duePartitionOf(record.id), null, untilMs, 10);
      assert.deepEqual(await due(nowMs() + 1_000), []);
      assert.deepEqual(await due(nowMs() + 1_001), [{ id: record.id, atMs: nowMs() + 1_000 }]);
      await commit(store, { ...record, nextAtMs: null }, nowMs(), { record, version });
      assert.equal(await store.anyDue(), false);
    });

    test("lists the links that their merchant must check, newest first, while that is true", async ({ store, queries, nowMs, advance }) => {
      const paid = (n: number, refund: PortalLinkRecord["attempts"][number]["refund"] = "none") => ({
        ...{ txId: `${idOf(n)}.1`, state: "paid" as const, createdAtMs: nowMs(), url: null, expiresAtMs: nowMs(), endedAtMs: nowMs() },
        ...{ resultCode: null, resultDescription: null, refund },
        paid: { atMs: nowMs(), amountMinor: 1, currency: "EUR", cardLast4: null },
      });
      const shown = async (list = LIST, limit = 10) => (await queries.withTasks(list, limit)).map(({ id }) => id);
      const plain = numbered(1, nowMs(), { state: "PAID", paidAtMs: nowMs(), attempts: [paid(1)] });
      const late = numbered(2, nowMs() + 1, { state: "PAID", late: true, paidAtMs: nowMs(), attempts: [paid(2)] });
      const twice = numbered(3, nowMs() + 2, { state: "PAID", paidAtMs: nowMs(), attempts: [paid(3), paid(3)] });
      for (const record of [plain, late]) await commit(store, record, nowMs());
      const version = (await commit(store, twice, nowMs())) ?? 0;
      await commit(store, { ...late, id: idOf(4), token: tokenOf(4), merchantId: "M10" }, nowMs());
      await commit(store, { ...late, id: idOf(5), token: tokenOf(5), livemode: true }, nowMs());
      assert.deepEqual(await shown(), [twice.id, late.id]);
      assert.deepEqual(await shown(LIST, 1), [twice.id]);
      assert.deepEqual(await shown({ ...LIST, livemode: true }), [idOf(5)]);
      const unknown = { ...twice, attempts: [paid(3, "done"), paid(3, "unknown")] };
      const next = (await commit(store, unknown, nowMs(), { record: twice, version })) ?? 0;
      assert.deepEqual(await shown(), [twice.id, late.id]);
      await commit(store, { ...unknown, attempts: [paid(3, "done"), paid(3)] }, nowMs(), { record: unknown, version: next });
      assert.deepEqual(await shown(), [late.id]);
      // After this time the merchant has decided to keep a late payment.
      advance(LATE_TASK_MS);
      assert.deepEqual(await shown(), []);
    });

    test("stores all entries until the retention after the deadline and the last change ends", async ({
      store,
      queries,
      kv,
      retentionMs,
      nowMs,
      advance,
    }) => {
      const { order } = numbered(1, nowMs());
      const record = numbered(1, nowMs(), { order: { ...order, expiresAtMs: nowMs() + 90 * DAY_MS } });
      const version = (await commit(store, record, nowMs())) ?? 0;
      const isThere = async () => [
        await store.load(record.id),
        await queries.byToken(record.token),
        (await ids(queries))[0],
        (await ids(queries, { state: record.state }))[0],
        (await ids(queries, { customerEmail: order.customerEmail }))[0],
        (await ids(queries, { reference: order.reference }))[0],
      ];
      advance(90 * DAY_MS + retentionMs);
      assert.ok((await isThere()).every((found) => found !== null && found !== undefined));
      await commit(store, { ...record, nextAtMs: null, events: 2 }, nowMs(), { record, version });
      advance(retentionMs);
      assert.ok((await isThere()).every((found) => found !== null && found !== undefined));
      advance(30 * DAY_MS);
      assert.ok((await isThere()).every((found) => found === null || found === undefined));
      assert.deepEqual(await kv.scan({ from: "portal-link", to: "portal-linl", limit: 10 }), []);
    });
  });
}
