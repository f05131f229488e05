import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RETENTION_MS } from "../disputes/world.ts";
import { ID, NEW_MS, open } from "./world.ts";

describe("the store of a workflow", () => {
  it("finds a record by its current value in an exact index", async () => {
    const { kv, workflow, created, apply } = open();
    const exact = async (slot: string) => (await workflow.store.exact(`parcel-slot/${slot}`))?.record.note;
    await created({ slot: "a" });
    assert.deepEqual([await exact("a"), await exact("b")], ["", undefined]);
    await apply({ slot: "b", note: "moved" });
    assert.deepEqual([await exact("a"), await exact("b"), kv.keys("parcel-slot/")], [undefined, "moved", ["parcel-slot/b"]]);
    await apply({ slot: null });
    assert.deepEqual(kv.keys("parcel-slot/"), []);
  });

  it("writes unchanged index entries again only if the workflow renews them", async () => {
    for (const renews of [true, false]) {
      const { kv, created, apply } = open({ renewIndexes: () => renews });
      await created({ slot: "a" });
      const keys = [...kv.keys("parcel-of/"), ...kv.keys("parcel-state/"), "parcel-slot/a"];
      const versions = async () => (await kv.getMany(keys)).map((entry) => entry?.version);
      const before = await versions();
      await apply({ nextAtMs: NEW_MS + 1 });
      assert.equal(new Set([...before, ...(await versions())]).size, renews ? 2 : 1);
    }
  });

  it("writes new and changed index entries, even if the workflow does not renew them", async () => {
    const { kv, workflow, created, apply } = open({ renewIndexes: () => false });
    await created({ slot: "a" });
    await apply({ slot: "b", state: "SENT", note: "moved" });
    assert.deepEqual(kv.keys("parcel-s"), ["parcel-slot/b", `parcel-state/SENT/${ID}`]);
    assert.deepEqual(
      (await workflow.store.entries("parcel-of/M1/", 0, 10)).map(({ value }) => value),
      ["moved"],
    );
  });

  it("passes the expiry of the record to the workflow's own entries in each commit", async () => {
    const { kv, clock, created, apply } = open();
    await created();
    clock.advance(5);
    await apply({});
    assert.equal((await kv.get(`parcel-own/${ID}`))?.value, `${NEW_MS + 5 + RETENTION_MS}`);
  });
});
