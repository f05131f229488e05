import assert from "node:assert/strict";
import { test } from "node:test";
import { TIME_DIGITS, timeDigits } from "../../../engine/kernel/time-digits.ts";

test("times as digits sort as the times do, also beyond the year 2286 and before 1970", () => {
  const timesMs = [-5, 0, 1, 999_999_999_999, 1_000_000_000_000, 1_764_000_000_000.7, 4_102_444_800_000, 9_999_999_999_999];
  const digits = timesMs.map(timeDigits);
  assert.deepEqual(digits, digits.toSorted());
  assert.ok(digits.every((one) => one.length === TIME_DIGITS));
  for (const farMs of [10_000_000_000_000, 253_402_300_800_000, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
    assert.equal(timeDigits(farMs), "9".repeat(TIME_DIGITS), String(farMs));
  }
});
