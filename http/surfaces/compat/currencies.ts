import { currencyDecimals } from "../../../engine/kernel/money.ts";
import { invalidParam } from "./platform-error.ts";

/**
 * Currencies of which the platform and ISO 4217, by which the gateway counts, have different smallest units, or may have: an amount of one would be a hundred
 * times another. They are refused.
 */
const COUNTED_OTHERWISE: ReadonlySet<string> = new Set(["ISK", "MGA", "UGX"]);

const DECIMALS_MAX = 3;

export const CURRENCY_FORM = /^[A-Za-z]{3}$/;

/** The code in upper case, as the engine has it. Throws PlatformError for one that is not taken. */
export function readCurrency(text: string): string {
  const code = text.toUpperCase();
  const decimals = CURRENCY_FORM.test(text) ? currencyDecimals(code) : null;
  if (decimals === null) throw invalidParam("currency", "Invalid currency: must be a three-letter ISO code, such as eur.");
  if (COUNTED_OTHERWISE.has(code) || decimals > DECIMALS_MAX) {
    throw invalidParam(
      "currency",
      `Invalid currency: ${code.toLowerCase()} is not supported here, because its smallest unit is not unambiguous.`,
    );
  }
  return code;
}

/** The platform's networks know two decimals of these: the last digit has to be 0. */
export function requireAmountOf(amount: number, currency: string, param = "amount"): void {
  if (currencyDecimals(currency) === DECIMALS_MAX && amount % 10 !== 0) {
    throw invalidParam(
      param,
      `Invalid integer for ${param}: amounts in ${currency.toLowerCase()} must end in 0.`,
      "parameter_invalid_integer",
    );
  }
}
