import { AMOUNT_MINOR_MAX } from "./limits.ts";
import { decimalsOf, fromMinorUnits } from "./money.ts";

/** Plain decimal digits; no sign, no exponent, no separators. Leading zeros are a typing error, not an amount. */
const DECIMAL = /^(0|[1-9]\d{0,14})(?:\.(\d{1,15}))?$/;

/** An amount in both of its forms. */
export interface DecimalAmount {
  /** With just the currency's decimals: "12.30", "1200". */
  readonly text: string;
  /** In minor units: 1230. */
  readonly minor: number;
}

/**
 * Reads a decimal amount without ever computing in binary fractions. Answers what is wrong where it is none, zero, too large, or has more
 * decimals than its currency (zeros at the end do not count).
 */
export function readAmount(given: unknown, currency: string): DecimalAmount | string {
  const decimals = decimalsOf(currency);
  // The shortest decimal that stands for a double is what its sender wrote, up to 15 digits.
  const text = typeof given === "number" ? String(given) : given;
  const match = typeof text === "string" ? DECIMAL.exec(text) : null;
  if (match === null) return 'must be a decimal number such as 12.34 or "12.34"';
  const [, whole = "", fraction = ""] = match;
  const significant = fraction.replace(/0+$/, "");
  if (significant.length > decimals) return decimals === 0 ? "may have no decimals" : `may have at most ${decimals} decimals`;
  const minor = Number(whole + significant.padEnd(decimals, "0"));
  if (minor === 0) return "must be more than zero";
  if (minor > AMOUNT_MINOR_MAX) return `must be at most ${fromMinorUnits(AMOUNT_MINOR_MAX, currency)}`;
  return { text: fromMinorUnits(minor, currency), minor };
}
