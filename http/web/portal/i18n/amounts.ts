import { AMOUNT_MINOR_MAX } from "../../../../engine/kernel/limits.ts";
import { fromMinorUnits } from "../../../../engine/kernel/money.ts";
import { formatMoney } from "./format.ts";
import { type ParsedAmount, parseAmount } from "./parse-amount.ts";
import { locale, text } from "./texts.ts";

/** Reads an amount as a person types it in the language of the page. */
export function readAmount(written: string, currency: string): ParsedAmount {
  return parseAmount(written, currency, decimalSeparator());
}

/** Returns the minor units of a typed amount; null if it is none or unclear. */
export function minorOf(written: string, currency: string): number | null {
  const read = readAmount(written, currency);
  return read.type === "amount" ? read.minor : null;
}

/** Returns what is wrong with a typed amount, which must be more than zero; null for nothing. */
export function amountProblem(written: string, currency: string, exampleMinor = 1_250): string | null {
  const { fields } = text();
  const read = readAmount(written, currency);
  if (read.type === "unclear") return fields.amountUnclear;
  if (read.type === "none" || read.minor > AMOUNT_MINOR_MAX) return fields.amountForm(formatMoney(exampleMinor, currency));
  return read.minor === 0 ? fields.amountZero : null;
}

/** Writes minor units as a person would type them in a field. They are never unclear. */
export function typedAmount(minor: number, currency: string): string {
  return fromMinorUnits(minor, currency).replace(".", decimalSeparator());
}

function decimalSeparator(): "," | "." {
  return locale.value === "it" ? "," : ".";
}
