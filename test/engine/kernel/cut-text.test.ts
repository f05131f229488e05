import assert from "node:assert/strict";
import { test } from "node:test";
import { cutText } from "../../../engine/kernel/cut-text.ts";

test("a text is cut to its length, never within a character", () => {
  assert.equal(cutText("abc", 3), "abc");
  assert.equal(cutText("abcd", 3), "abc");
  assert.equal(cutText("ab😀", 4), "ab😀");
  assert.equal(cutText("ab😀", 3), "ab");
  assert.equal(cutText("😀", 1), "");
});
