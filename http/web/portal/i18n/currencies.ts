import { currencyDecimals } from "../../../../engine/kernel/money.ts";
import { locale } from "./texts.ts";

/** The currencies that merchants use most. */
const USUAL = ["EUR", "CHF", "GBP", "USD"];

/** Lists every supported currency, the usual ones first, with its name in the person's language. */
export function currencyChoices(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames([locale.value === "it" ? "it-IT" : "en-GB"], { type: "currency" });
  const known = Intl.supportedValuesOf("currency").filter((code) => currencyDecimals(code) !== null && !USUAL.includes(code));
  return [...USUAL, ...known].map((code) => ({ value: code, label: `${code} · ${names.of(code) ?? code}` }));
}
