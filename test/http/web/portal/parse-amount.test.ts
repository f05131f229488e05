import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAmount } from "../../../../http/web/portal/i18n/parse-amount.ts";

/** A number is the minor units, a pair the two readings of an unclear amount, null no amount. */
type Expected = number | readonly [number, number] | null;

const read = (written: string, currency: string, separator: "," | "."): Expected => {
  const parsed = parseAmount(written, currency, separator);
  return parsed.type === "amount" ? parsed.minor : parsed.type === "unclear" ? parsed.minors : null;
};

test("understands what both languages write alike", () => {
  const same: readonly (readonly [written: string, currency: string, expected: Expected])[] = [
    ["24,00", "EUR", 2_400],
    ["24.00", "EUR", 2_400],
    ["24", "EUR", 2_400],
    ["24,5", "EUR", 2_450],
    [" 24.05 ", "EUR", 2_405],
    ["0,05", "EUR", 5],
    ["1,234.50", "EUR", 123_450],
    ["1.234,50", "EUR", 123_450],
    ["1.234.567", "EUR", 123_456_700],
    ["1,234,567.8", "EUR", 123_456_780],
    ["1 234,50", "EUR", 123_450],
    ["1'234.50", "CHF", 123_450],
    ["1.200", "JPY", 1_200],
    ["1,200", "JPY", 1_200],
    ["1.5", "KWD", 1_500],
  ];
  for (const [written, currency, expected] of same) {
    for (const separator of [",", "."] as const) assert.deepEqual(read(written, currency, separator), expected, `${written} ${currency}`);
  }
});

test("finds two readings in a number with one separator before three digits", () => {
  assert.deepEqual(read("12,345", "EUR", "."), [1_234_500, 1_235]);
  assert.deepEqual(read("12.345", "EUR", ","), [1_234_500, 1_235]);
  assert.deepEqual(read("12.345", "EUR", "."), [1_234_500, 1_235]);
  assert.deepEqual(read("12,345", "KWD", "."), [12_345_000, 12_345]);
  // Three decimals after the decimal separator of the language are what they look like.
  assert.deepEqual(read("12.345", "KWD", "."), 12_345);
  assert.deepEqual(read("12,345", "KWD", ","), 12_345);
});

test("refuses everything else", () => {
  for (const written of ["", "12,", ".5", "1.2.3", "-5", "5 €", "1,23.4,5", "1,2345", "0,345", "1.234.50", "12345678901", "1e3", "１２"]) {
    for (const separator of [",", "."] as const) assert.equal(read(written, "EUR", separator), null, written);
  }
  assert.equal(read("24.00", "JPY", "."), null);
});
