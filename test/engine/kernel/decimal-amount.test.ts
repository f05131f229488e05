import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AMOUNT_MINOR_MAX } from "../../../engine/kernel/limits.ts";
import { currencyDecimals, fromMinorUnits, readAmount } from "../../../engine/kernel/money.ts";

const READ: [given: unknown, currency: string, text: string, minor: number][] = [
  [12.34, "EUR", "12.34", 1_234],
  [0.29, "EUR", "0.29", 29],
  [1.1, "EUR", "1.10", 110],
  ["1.100", "EUR", "1.10", 110],
  ["0.01", "EUR", "0.01", 1],
  [1_150, "JPY", "1150", 1_150],
  ["7.000", "JPY", "7", 7],
  ["1.005", "KWD", "1.005", 1_005],
  ["1.0001", "CLF", "1.0001", 10_001],
  ["9999999999.99", "EUR", "9999999999.99", AMOUNT_MINOR_MAX],
];
for (const [given, currency, text, minor] of READ) {
  test(`${JSON.stringify(given)} ${currency} is ${text}`, () => assert.deepEqual(readAmount(given, currency), { text, minor }));
}

for (const [given, currency] of [
  [0, "EUR"],
  ["0.00", "EUR"],
  [-1, "EUR"],
  [1.234, "EUR"],
  [0.1 + 0.2, "EUR"],
  [1.5, "JPY"],
  [1e21, "EUR"],
  [Number.NaN, "EUR"],
  [Number.POSITIVE_INFINITY, "EUR"],
  ["10000000000.00", "EUR"],
  ["01.00", "EUR"],
  ["1.", "EUR"],
  [".5", "EUR"],
  ["1,5", "EUR"],
  ["1 000", "EUR"],
  ["+1", "EUR"],
  ["1e2", "EUR"],
  ["\u0661", "EUR"],
  ["", "EUR"],
  [null, "EUR"],
  [true, "EUR"],
  [["1"], "EUR"],
] as const) {
  test(`${JSON.stringify(given)} ${currency} is no amount`, () => assert.equal(typeof readAmount(given, currency), "string"));
}

test("every amount in minor units is read back from its text, and as a number from its shortest decimal", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: AMOUNT_MINOR_MAX }), fc.constantFrom("EUR", "JPY", "KWD", "CLF"), (minor, currency) => {
      const text = fromMinorUnits(minor, currency);
      assert.deepEqual(readAmount(text, currency), { text, minor });
      assert.deepEqual(readAmount(Number(text), currency), { text, minor });
    }),
  );
});

test("what is no currency has no decimals", () => {
  assert.deepEqual(["EUR", "JPY", "KWD", "CLF", "XYZ", "eur", "", "EURO"].map(currencyDecimals), [2, 0, 3, 4, null, null, null, null]);
});
