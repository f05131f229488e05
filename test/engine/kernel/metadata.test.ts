import assert from "node:assert/strict";
import { test } from "node:test";
import { changedMetadata, hasTooManyKeys, METADATA_KEYS_MAX } from "../../../engine/kernel/metadata.ts";

test("metadata changes key by key, and is cleared as a whole", () => {
  const before = { a: "1", b: "2" };
  assert.deepEqual(changedMetadata(before, undefined), before);
  assert.deepEqual(changedMetadata(before, { a: null, c: "3" }), { b: "2", c: "3" });
  assert.deepEqual(changedMetadata(before, "clear"), {});
  assert.deepEqual(before, { a: "1", b: "2" });
});

test("the limit is of the result, not of the change", () => {
  const full = Object.fromEntries(Array.from({ length: METADATA_KEYS_MAX }, (_, i) => [`k${i}`, "1"]));
  assert.equal(hasTooManyKeys(changedMetadata(full, { k1: "2" })), false);
  assert.equal(hasTooManyKeys(changedMetadata(full, { "one more": "1" })), true);
  assert.equal(hasTooManyKeys(changedMetadata(full, { "one more": "1", k1: null })), false);
});
