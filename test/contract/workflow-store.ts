import assert from "node:assert/strict";
import { describe } from "node:test";
import { type CommitPart, NO_PART } from "../../engine/kernel/commit-part.ts";
import { duePartitionOf } from "../../engine/kernel/due-index-store.ts";
import { type Kv, prefixRange } from "../../engine/kernel/kv.ts";
import type { WorkflowStore } from "../../engine/workflow/workflow-store.ts";
import { ownWorldTest } from "./own-world.ts";
import {
  ALL,
  type Answerable,
  type CommonPageQuery,
  DAY_MS,
  idsOf,
  LIST,
  type OpenWorkflowStore,
  type StoredSubject,
  stored,
} from "./workflow-subject.ts";

/** The contract of engine/workflow/workflow-store.ts. The suite of each subject calls this. */
export function testWorkflowStore<R extends Answerable>(
  { name: kind, numbered, ended, page }: StoredSubject<R>,
  name: string,
  open: () => Promise<OpenWorkflowStore<R>>,
): void {
  describe(`${name} keeps the contract of the store of workflows, with ${kind}s`, () => {
    const test = ownWorldTest(open);
    const ids = async (store: WorkflowStore<R>, query: Partial<CommonPageQuery<R>>) =>
      idsOf((await page(store, LIST, { ...ALL, ...query })).items);
    /** The entries of all indexes. */
    const indexed = (kv: Kv) => kv.scan({ ...prefixRange(`${kind}-`), limit: 1_000 });

    test("creates a record once and looks up no id of another form", async ({ store, kv, nowMs }) => {
      const record = numbered(1, nowMs());
      assert.equal(await store.load(record.id), null);
      const created = await stored(store, record, nowMs());
      assert.deepEqual(await store.load(record.id), created);
      const again = await store.commit({ before: null, version: 0, record, atMs: nowMs(), part: NO_PART });
      assert.deepEqual(again, { type: "conflict", key: `${kind}/${record.id}` });
      const entry = await kv.get(`${kind}/${record.id}`);
      for (const id of [record.id.slice(0, -1), `${record.id}0`, `${record.id}/`, record.id.toUpperCase(), `other/${record.id}`]) {
        await kv.commit({ checks: [], operations: [{ type: "put", key: `${kind}/${id}`, value: entry?.value ?? "" }] });
        assert.equal(await store.load(id), null);
      }
    });

    test("stores one of fifty steps from one version, with its deadline and its other operations", async ({ store, kv, nowMs }) => {
      const before = await stored(store, numbered(1, nowMs()), nowMs());
      const { id } = before.record;
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, n) => {
          const part: CommitPart = { checks: [], operations: [{ type: "put", key: `other/${n}`, value: "1" }] };
          const record = { ...before.record, events: n, nextAtMs: nowMs() + n };
          return store.commit({ before: before.record, version: before.version, record, atMs: nowMs(), part });
        }),
      );
      const conflicts = results.filter(({ type }) => type === "conflict");
      assert.deepEqual(conflicts, Array(49).fill({ type: "conflict", key: `${kind}/${id}` }));
      const n = (await store.load(id))?.record.events ?? 0;
      assert.equal(results[n]?.type, "committed");
      assert.deepEqual(
        (await kv.scan({ ...prefixRange("other/"), limit: 100 })).map(({ key }) => key),
        [`other/${n}`],
      );
      assert.deepEqual(await store.pageDue(duePartitionOf(id), null, nowMs() + DAY_MS + 1, 10), [{ id, atMs: nowMs() + n }]);
    });

    test("stores nothing while a check of another part does not hold", async ({ store, kv, nowMs }) => {
      const part: CommitPart = { checks: [{ key: "other/1", version: 1 }], operations: [{ type: "put", key: "other/2", value: "1" }] };
      const result = await store.commit({ before: null, version: 0, record: numbered(1, nowMs()), atMs: nowMs(), part });
      assert.deepEqual(result, { type: "conflict", key: "other/1" });
      assert.deepEqual(await kv.scan({ from: " ", to: "~", limit: 10 }), []);
    });

    test("keeps no index entry of a previous state", async ({ store, kv, nowMs }) => {
      const first = numbered(1, nowMs());
      const before = await stored(store, first, nowMs());
      assert.deepEqual([await ids(store, { state: first.state }), await ids(store, { order: "due" })], [[first.id], [first.id]]);
      await stored(store, ended(first), nowMs(), before);
      const entriesAfterStep = await indexed(kv);
      // A record that was created in this state has the same entries.
      const { id } = numbered(2, nowMs());
      await stored(store, ended(numbered(2, nowMs())), nowMs());
      const created = (await indexed(kv)).filter(({ key }) => key.endsWith(id));
      assert.deepEqual(
        entriesAfterStep.map(({ key, value }) => ({ key: key.replace(first.id, id), value: value.replace(first.id, id) })),
        created.map(({ key, value }) => ({ key, value })),
      );
      assert.deepEqual([await ids(store, { state: first.state }), await ids(store, { order: "due" })], [[], []]);
      assert.deepEqual(await ids(store, { state: ended(first).state }), [id, first.id]);
    });

    test("moves the deadline of a record, and removes it", async ({ store, nowMs }) => {
      const due = (untilMs: number) => store.pageDue(duePartitionOf(record.id), null, untilMs, 10);
      const record = { ...numbered(1, nowMs()), nextAtMs: nowMs() + 5 };
      const first = await stored(store, record, nowMs());
      assert.deepEqual([await due(nowMs() + 5), await due(nowMs() + 6)], [[], [{ id: record.id, atMs: nowMs() + 5 }]]);
      const moved = await stored(store, { ...record, nextAtMs: nowMs() + 9 }, nowMs(), first);
      assert.deepEqual(await due(nowMs() + 10), [{ id: record.id, atMs: nowMs() + 9 }]);
      await stored(store, { ...record, nextAtMs: null }, nowMs(), moved);
      assert.equal(await store.anyDue(), false);
    });

    test("stores a record and its index entries until the same time, which each step renews", async (world) => {
      const { store, kv, retentionMs, nowMs, advance } = world;
      const record = ended(numbered(1, nowMs(), { respondByMs: nowMs() + 90 * DAY_MS }));
      const first = await stored(store, record, nowMs());
      const found = async () => (await kv.scan({ ...prefixRange(kind), limit: 100 })).length;
      const all = await found();
      assert.ok(all > 3);
      advance(90 * DAY_MS + retentionMs - 1);
      assert.equal(await found(), all);
      await stored(store, { ...record, events: 2 }, nowMs(), first);
      advance(retentionMs - 1);
      assert.equal(await found(), all);
      advance(1);
      assert.equal(await found(), 0);
    });
  });
}
