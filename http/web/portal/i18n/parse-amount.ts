import { decimalsOf } from "../../../../engine/kernel/money.ts";

/** A typed amount in minor units. An unclear one has two readings, and the person chooses. */
export type ParsedAmount =
  | { readonly type: "amount"; readonly minor: number }
  | { readonly type: "unclear"; readonly minors: readonly [grouped: number, decimal: number] }
  | { readonly type: "none" };

/** A longer number would not be counted exactly. */
const WHOLE_DIGITS_MAX = 10;

const GROUP_DIGITS = 3;

/** Thousands with one kind of separator: `12,345`, `1.234.567`. */
const GROUPED = /^[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*$/;

/** Thousands with one kind of separator, and decimals after the other: `1.234,50`. */
const GROUPED_WITH_DECIMALS = /^(?<whole>[1-9]\d{0,2}([.,])\d{3}(?:\2\d{3})*)(?!\2)[.,](?<fraction>\d+)$/;

/**
 * Parses an amount as people type it: `24,00` and `24.00`, `1.234,50` and `1,234.50`. A number such
 * as `12,345` may have a thousands separator or decimals. It is unclear unless the currency has no
 * decimals, or three decimals after `separator`, the decimal separator of the page's language.
 */
export function parseAmount(written: string, currency: string, separator: "," | "."): ParsedAmount {
  const decimals = decimalsOf(currency);
  // People also group with spaces and, in Switzerland, with apostrophes.
  const compact = written.replaceAll(/[\s'’]/g, "");
  const both = GROUPED_WITH_DECIMALS.exec(compact)?.groups;
  if (both !== undefined) return amountOf(withoutSeparators(both["whole"] ?? ""), both["fraction"], decimals);
  const [whole = "", fraction, ...more] = compact.split(/[.,]/);
  if (!GROUPED.test(compact)) return more.length > 0 ? { type: "none" } : amountOf(whole, fraction, decimals);
  const grouped = amountOf(withoutSeparators(compact), undefined, decimals);
  if (more.length > 0 || decimals === 0 || grouped.type !== "amount") return grouped;
  const decimal = Math.round(Number(whole + fraction) * 10 ** (decimals - GROUP_DIGITS));
  const hasLanguageForm = decimals >= GROUP_DIGITS && compact.includes(separator);
  return hasLanguageForm ? { type: "amount", minor: decimal } : { type: "unclear", minors: [grouped.minor, decimal] };
}

/** A separator without digits after it means that the person is still typing. */
function amountOf(whole: string, fraction: string | undefined, decimals: number): ParsedAmount {
  const isWhole = /^\d+$/.test(whole) && whole.length <= WHOLE_DIGITS_MAX;
  const isRight = fraction === undefined || (/^\d+$/.test(fraction) && fraction.length <= decimals);
  return isWhole && isRight ? { type: "amount", minor: Number(whole + (fraction ?? "").padEnd(decimals, "0")) } : { type: "none" };
}

function withoutSeparators(digits: string): string {
  return digits.replaceAll(/[.,]/g, "");
}
