import { formatMoney } from "../i18n/format.ts";

/** Shows an amount of money in digits of equal width. */
export function Amount({ minor, currency, strong }: { minor: number; currency: string; strong?: boolean }) {
  return <span class={`amount${strong === true ? " amount-strong" : ""}`}>{formatMoney(minor, currency)}</span>;
}
