import assert from "node:assert/strict";
import { test } from "node:test";
import { readSearchText } from "../../../engine/search/search-text.ts";

/** The amounts of a text in currencies with two decimals. */
const cents = (text: string) =>
  readSearchText(text)
    .amounts.filter(({ decimals }) => decimals === 2)
    .map(({ minor }) => minor);

test("reads amounts with a point or a comma, with groups of thousands and with a currency", () => {
  const read: [text: string, minor: number[]][] = [
    ...(["20.51", "20,51", " 20.51 ", "€20.51", "20,51 €", "EUR 20.51", "20.51 eur"].map((text) => [text, [2_051]]) as [
      string,
      number[],
    ][]),
    ...(["1.234,50", "1,234.50", "1'234.50", "1 234,50", "1234.5"].map((text) => [text, [123_450]]) as [string, number[]][]),
    ["7", [700]],
    ["0.07", [7]],
    // A point or comma before three digits may group thousands.
    ["1.234", [123_400]],
    ["1.200", [120, 120_000]],
    ["1.234.567", [123_456_700]],
  ];
  for (const [text, minor] of read) assert.deepEqual(cents(text), minor, text);
  for (const text of ["", "20.51555", "1.23.45", "12,34,567", "1.234.56", "20.51 or more", "-5", "2051a", "99999999999"])
    assert.deepEqual(cents(text), [], text);
});

test("an amount means other minor units in currencies with other decimals", () => {
  assert.deepEqual(readSearchText("20.5").amounts, [
    { minor: 2_050, decimals: 2 },
    { minor: 20_500, decimals: 3 },
    { minor: 205_000, decimals: 4 },
  ]);
  assert.deepEqual(readSearchText("20").amounts[1], { minor: 20, decimals: 0 });
});

test("reads identifiers of four characters or more, and both meanings of digits", () => {
  assert.equal(readSearchText(" pl_4f0k ").identifier, "pl_4f0k");
  assert.deepEqual([readSearchText("1234").identifier, cents("1234")], ["1234", [123_400]]);
  for (const text of ["abc", "a b c d", "x".repeat(65), "pl_%4f0"]) assert.equal(readSearchText(text).identifier, null, text);
});

test("an e-mail address means nothing else", () => {
  assert.deepEqual(readSearchText(" Ada@Example.com "), {
    text: "Ada@Example.com",
    email: "Ada@Example.com",
    identifier: null,
    amounts: [],
  });
  assert.equal(readSearchText("ada@").email, null);
});
