import { currencyDecimals, decimalsOf } from "./money.ts";

/** Makes the form of a number, or has it. */
export type NumberForms = (options: Intl.NumberFormatOptions) => Intl.NumberFormat;

/**
 * An amount with its currency. `minor` is in minor units; how many of them make one the relay says, which reckons by ISO 4217: for some currencies browsers show
 * fewer decimals (HUF, IQD). What a terminal names as a currency and is none stands behind the number as it came; `Intl` would throw.
 */
export function moneyText(minor: number, currency: string, forms: NumberForms): string {
  const decimals = decimalsOf(currency);
  const digits = { useGrouping: "always", minimumFractionDigits: decimals, maximumFractionDigits: decimals } as const;
  const value = minor / 10 ** decimals;
  if (currencyDecimals(currency) === null) return `${forms(digits).format(value)} ${currency}`.trimEnd();
  return forms({ ...digits, style: "currency", currency }).format(value);
}
