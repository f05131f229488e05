import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changedAtMs, changedRows, NOTHING_ELSE, type ObjectRow, objectVersion } from "../../../engine/payments/object-row.ts";
import { objectRowOperations } from "../../../engine/payments/outbox.ts";
import { ranked } from "../../../engine/payments/row-version.ts";
import { outboxKeyOf } from "../../../storage/feed/outbox.ts";

const NOW_MS = 1_790_000_000_000;

function row(changes: Partial<ObjectRow> = {}): ObjectRow {
  return {
    ...NOTHING_ELSE,
    ...{ type: "object", version: NOW_MS, merchantId: "M1", livemode: true, object: "link", id: "pl_1", createdAtMs: NOW_MS },
    ...{ state: "PENDING", amountMinor: 1, currency: "EUR" },
    ...changes,
  };
}

describe("the version of a thing's row", () => {
  it("grows with each change, also within a millisecond and by a clock that goes after", () => {
    let lastMs = changedAtMs(null, NOW_MS);
    assert.equal(lastMs, NOW_MS);
    for (const atMs of [NOW_MS, NOW_MS - 60_000, NOW_MS + 5, NOW_MS + 5, NOW_MS + 4]) {
      const nextMs = changedAtMs(lastMs, atMs);
      assert.ok(nextMs > lastMs && nextMs >= atMs);
      assert.ok(objectVersion(false, nextMs) > objectVersion(false, lastMs));
      lastMs = nextMs;
    }
  });

  it("puts money that has moved above whatever a restored store makes of the thing later", () => {
    const [paidMs, expiredMs] = [NOW_MS, NOW_MS + 400 * 86_400_000];
    assert.ok(objectVersion(true, paidMs) > objectVersion(false, expiredMs));
    assert.ok(objectVersion(true, 2) > objectVersion(false, expiredMs));
    // What has moved none follows the store that there is.
    assert.ok(objectVersion(false, expiredMs) > objectVersion(false, paidMs));
    assert.ok(Number.isSafeInteger(objectVersion(true, 2 ** 42 - 1)));
  });

  it("is left as it is where rows of former releases are ranked, however small", () => {
    for (const version of [1, 2 ** 39, NOW_MS]) assert.equal(ranked(row({ version })).version, version);
  });
});

describe("the rows of a commit", () => {
  it("are those that say something else than before, and of a new thing", () => {
    const [same, changed, fresh] = [row({ id: "a" }), row({ id: "b" }), row({ id: "c" })];
    const after = [{ ...same, version: NOW_MS + 1 }, { ...changed, version: NOW_MS + 1, state: "PAID" }, fresh];
    assert.deepEqual(changedRows([same, changed], after), after.slice(1));
    assert.deepEqual(changedRows([same], []), []);
  });

  it("stand in the outbox under a key of their own for each thing and version, whatever their id is", () => {
    const rows = [row(), row({ object: "charge" }), row({ id: "x".repeat(300) })];
    const keys = [...rows, row({ version: NOW_MS + 1 })].flatMap((one) => objectRowOperations([], [one], NOW_MS)).map(({ key }) => key);
    assert.equal(new Set(keys).size, 4);
    for (const key of keys) assert.equal(outboxKeyOf(key), key);
  });
});
