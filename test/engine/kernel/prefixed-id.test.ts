import assert from "node:assert/strict";
import { test } from "node:test";
import { prefixedId } from "../../../engine/kernel/prefixed-id.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";

test("an id has its prefix and 24 small letters or digits, whatever the digest", () => {
  for (const digest of ["0".repeat(64), "f".repeat(64), sha256Hex("a"), sha256Hex("b")]) {
    assert.match(prefixedId("evt_", digest), /^evt_[a-z0-9]{24}$/);
  }
});

test("the same text has the same id, and another text another", () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => prefixedId("pi_", sha256Hex(`operation ${index}`)));
  assert.equal(new Set(ids).size, 1_000);
  assert.deepEqual(
    ids,
    Array.from({ length: 1_000 }, (_, index) => prefixedId("pi_", sha256Hex(`operation ${index}`))),
  );
});
