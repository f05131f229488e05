import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { currencyDecimals } from "../../../../engine/kernel/money.ts";
import { moneyText } from "../../../../engine/kernel/money-text.ts";
import { majorUnits } from "../../../../http/surfaces/merchant/transaction-item.ts";

const CODES = [...readFileSync("engine/kernel/money.ts", "utf8").matchAll(/\b([A-Z]{3})\d{3}\b/g)].map(([, code]) => code ?? "");

const formsOf = (tag: string) => (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(tag, options);

/** Digits, sign and decimal sign of a formatted amount. */
const numberIn = (formatted: string, group: string) => /-?\d[\d.,]*/.exec(formatted)?.[0].replaceAll(group, "");

test("an amount has on a page the figure that it has in the file, in every currency", () => {
  assert.ok(CODES.length > 150 && CODES.every((code) => currencyDecimals(code) !== null));
  for (const [tag, point, group] of [
    ["it-IT", ",", "."],
    ["en-GB", ".", ","],
  ] as const) {
    for (const code of CODES) {
      for (const minor of [0, 5, 123_456_789]) {
        assert.equal(numberIn(moneyText(minor, code, formsOf(tag)), group), majorUnits(minor, code, point), `${minor} ${code}`);
      }
    }
  }
});

test("what a terminal calls a currency and is none is shown as it came", () => {
  assert.equal(moneyText(1_234, "EURO", formsOf("en-GB")), "12.34 EURO");
  assert.equal(moneyText(-1_234, "€", formsOf("en-GB")), "-12.34 €");
  assert.equal(moneyText(5, "", formsOf("en-GB")), "0.05");
});
