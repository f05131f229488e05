import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decimalsOf, fromMinorUnits, toMinorUnits } from "../../../engine/kernel/money.ts";

const ROWS: [string, string, number][] = [
  ["12.34", "EUR", 1234],
  ["0.01", "EUR", 1],
  ["12", "EUR", 1200],
  ["12.3", "EUR", 1230],
  ["1230", "JPY", 1230],
  ["1.234", "KWD", 1234],
  ["9007199254740.99", "EUR", 900719925474099],
];
for (const [amount, currency, minor] of ROWS) {
  test(`${amount} ${currency} is ${minor}`, () => assert.equal(toMinorUnits(amount, currency), minor));
}

const REFUSED: [string, string][] = [
  ["12.345", "EUR"],
  ["12.3", "JPY"],
  ["1e3", "EUR"],
  ["-1", "EUR"],
  [".5", "EUR"],
  ["1.", "EUR"],
  ["", "EUR"],
  ["1,50", "EUR"],
  ["999999999999999.99", "EUR"],
];
for (const [amount, currency] of REFUSED) {
  test(`refuses "${amount}" ${currency}`, () => assert.throws(() => toMinorUnits(amount, currency), RangeError));
}

test("there and back is the same, in all decimals of the currency", () => {
  fc.assert(
    fc.property(fc.nat({ max: 999_999_999_999 }), fc.constantFrom("EUR", "JPY", "KWD", "CLF"), (minor, currency) => {
      const amount = fromMinorUnits(minor, currency);
      assert.equal(amount.split(".")[1]?.length ?? 0, decimalsOf(currency));
      assert.equal(toMinorUnits(amount, currency), minor);
    }),
  );
});

test("refuses what is no count of minor units", () => {
  for (const minor of [-1, 0.5, Number.NaN, 2 ** 53]) assert.throws(() => fromMinorUnits(minor, "EUR"), RangeError);
});
