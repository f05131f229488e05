import { currencyDecimals, decimalsOf } from "./money.ts";

/** Returns the number format for these options, perhaps from a cache. */
export type NumberForms = (options: Intl.NumberFormatOptions) => Intl.NumberFormat;

/**
 * Returns an amount with its currency. `minor` is in minor units of ISO 4217, since browsers show
 * fewer decimals for some currencies (HUF, IQD). An unknown currency code is appended as received,
 * because `Intl` would throw.
 */
export function moneyText(minor: number, currency: string, forms: NumberForms): string {
  const decimals = decimalsOf(currency);
  const digits = { useGrouping: "always", minimumFractionDigits: decimals, maximumFractionDigits: decimals } as const;
  const value = minor / 10 ** decimals;
  if (currencyDecimals(currency) === null) return `${forms(digits).format(value)} ${currency}`.trimEnd();
  return forms({ ...digits, style: "currency", currency }).format(value);
}
