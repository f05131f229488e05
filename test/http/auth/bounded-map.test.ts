import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedMap } from "../../../http/auth/bounded-map.ts";

test("forgets the oldest entry for a new one, and none for one that it has", () => {
  const map = new BoundedMap<string, number>(3);
  for (const [index, key] of ["a", "b", "c"].entries()) map.set(key, index);
  map.set("a", 9);
  assert.deepEqual([map.size, map.get("a")], [3, 9]);
  map.set("d", 3);
  map.set("e", 4);
  assert.deepEqual(
    ["a", "b", "c", "d", "e"].map((key) => map.get(key)),
    [undefined, undefined, 2, 3, 4],
  );
});

test("has room again for what was deleted, and is empty when cleared", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.delete("a");
  map.set("c", 3);
  assert.deepEqual([map.size, map.get("b"), map.get("c")], [2, 2, 3]);
  map.clear();
  assert.equal(map.size, 0);
  for (const key of ["d", "e", "f"]) map.set(key, 0);
  assert.deepEqual([map.size, map.get("d")], [2, undefined]);
});
