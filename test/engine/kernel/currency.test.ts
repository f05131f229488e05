import assert from "node:assert/strict";
import { test } from "node:test";
import { currencyDecimals, currencyOf } from "../../../engine/kernel/money.ts";

/** Of many regions, with few and many decimals, one of the latest, and numbers that begin with zeros. */
const ROWS: [code: string, number: string, decimals: number][] = [
  ["ALL", "008", 2],
  ["DZD", "012", 2],
  ["AUD", "036", 2],
  ["BHD", "048", 3],
  ["CZK", "203", 2],
  ["DKK", "208", 2],
  ["HUF", "348", 2],
  ["ISK", "352", 0],
  ["JPY", "392", 0],
  ["KWD", "414", 3],
  ["NOK", "578", 2],
  ["CHF", "756", 2],
  ["GBP", "826", 2],
  ["USD", "840", 2],
  ["SLE", "925", 2],
  ["RON", "946", 2],
  ["XOF", "952", 0],
  ["TRY", "949", 2],
  ["EUR", "978", 2],
  ["UAH", "980", 2],
  ["PLN", "985", 2],
  ["BRL", "986", 2],
  ["CLF", "990", 4],
  ["ZWG", "924", 2],
  ["XCG", "532", 2],
];
for (const [code, number, decimals] of ROWS) {
  test(`${code} is ${number} with ${decimals} decimals`, () => {
    assert.deepEqual([currencyOf(code), currencyOf(code.toLowerCase()), currencyOf(number)], [code, code, code]);
    assert.equal(currencyOf(String(Number(number))), code);
    assert.equal(currencyDecimals(code), decimals);
  });
}

for (const text of ["", "EU", "EURO", "0978", "9785", "97 8", "000", "999", "XXX", "XAU", "191", "HRK", "€", "__proto__"]) {
  test(`"${text}" is no currency`, () => assert.equal(currencyOf(text), null));
}

test("every number of three digits means one currency at most, whose letters mean the same", () => {
  const found = Array.from({ length: 1_000 }, (_, number) => currencyOf(String(number))).filter((code) => code !== null);
  assert.equal(new Set(found).size, found.length);
  assert.ok(found.length >= 160, `${found.length} numbers are known`);
  for (const code of found) assert.equal(currencyOf(code), code);
});
