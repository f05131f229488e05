import { currencyDecimals } from "./currency.ts";

/**
 * Amounts, exactly: decimal strings in currency units ("12.34") and integers in minor units (1234). No binary float comes near them.
 */

/** Digits behind the decimal point of a currency; two for one that is not known. */
export function decimalsOf(currency: string): number {
  return currencyDecimals(currency) ?? 2;
}

/** "12.34" in EUR is 1234. Throws RangeError for a text that is not an amount of the currency, or is too large to be counted exactly. */
export function toMinorUnits(amount: string, currency: string): number {
  const decimals = decimalsOf(currency);
  const [, whole, fraction = ""] = /^(\d{1,15})(?:\.(\d{1,4}))?$/.exec(amount) ?? [];
  if (whole === undefined || fraction.length > decimals) throw new RangeError(`not an amount in ${currency}`);
  const minor = Number(whole + fraction.padEnd(decimals, "0"));
  if (!Number.isSafeInteger(minor)) throw new RangeError("too large an amount");
  return minor;
}

/** 1234 in EUR is "12.34", with all the decimals of the currency. Throws RangeError for anything but a safe integer of 0 or more. */
export function fromMinorUnits(minor: number, currency: string): string {
  if (!Number.isSafeInteger(minor) || minor < 0) throw new RangeError("not an amount in minor units");
  const decimals = decimalsOf(currency);
  if (decimals === 0) return String(minor);
  const digits = String(minor).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
