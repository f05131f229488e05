import { AMOUNT_MINOR_MAX } from "./limits.ts";

/**
 * Amounts are exact: decimal strings in currency units ("12.34") and integers in minor units
 * (1234), never binary fractions.
 */

/** Returns the number of decimals of a currency, which is two for an unknown one. */
export function decimalsOf(currency: string): number {
  return currencyDecimals(currency) ?? 2;
}

/**
 * Returns 1234 for "12.34" in EUR. Throws RangeError for a text that is not an amount of the
 * currency, or is too large to be counted exactly.
 */
export function toMinorUnits(amount: string, currency: string): number {
  const decimals = decimalsOf(currency);
  const [, whole, fraction = ""] = /^(\d{1,15})(?:\.(\d{1,4}))?$/.exec(amount) ?? [];
  if (whole === undefined || fraction.length > decimals) throw new RangeError(`not an amount in ${currency}`);
  const minor = Number(whole + fraction.padEnd(decimals, "0"));
  if (!Number.isSafeInteger(minor)) throw new RangeError("the amount is too large");
  return minor;
}

/**
 * Returns "12.34" for 1234 in EUR, with all the decimals of the currency. Throws RangeError unless
 * the number is a safe integer of 0 or more.
 */
export function fromMinorUnits(minor: number, currency: string): string {
  if (!Number.isSafeInteger(minor) || minor < 0) throw new RangeError("not an amount in minor units");
  const decimals = decimalsOf(currency);
  if (decimals === 0) return String(minor);
  const digits = String(minor).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/**
 * ISO 4217 currencies (list one, 2026) by their number of decimals, each code with its number.
 * Codes without a minor unit (gold, XXX and similar) are omitted, since amounts do not use them.
 * ANG passed its number to XCG in 2025, but older devices still send ANG.
 */
const CURRENCIES_BY_DECIMALS: readonly [decimals: number, codes: string][] = [
  [0, "BIF108 CLP152 DJF262 GNF324 ISK352 JPY392 KMF174 KRW410 PYG600 RWF646 UGX800 UYI940 VND704 VUV548 XAF950 XOF952 XPF953"],
  [
    2,
    "AED784 AFN971 ALL008 AMD051 ANG AOA973 ARS032 AUD036 AWG533 AZN944 BAM977 BBD052 BDT050 BGN975 BMD060 BND096 BOB068 BOV984 BRL986 BSD044 BTN064 BWP072 BYN933 BZD084 CAD124 CDF976 CHE947 CHF756 CHW948 CNY156 COP170 COU970 CRC188 CUP192 CVE132 CZK203 DKK208 DOP214 DZD012 EGP818 ERN232 ETB230 EUR978 FJD242 FKP238 GBP826 GEL981 GHS936 GIP292 GMD270 GTQ320 GYD328 HKD344 HNL340 HTG332 HUF348 IDR360 ILS376 INR356 IRR364 JMD388 KES404 KGS417 KHR116 KPW408 KYD136 KZT398 LAK418 LBP422 LKR144 LRD430 LSL426 MAD504 MDL498 MGA969 MKD807 MMK104 MNT496 MOP446 MRU929 MUR480 MVR462 MWK454 MXN484 MXV979 MYR458 MZN943 NAD516 NGN566 NIO558 NOK578 NPR524 NZD554 PAB590 PEN604 PGK598 PHP608 PKR586 PLN985 QAR634 RON946 RSD941 RUB643 SAR682 SBD090 SCR690 SDG938 SEK752 SGD702 SHP654 SLE925 SOS706 SRD968 SSP728 STN930 SVC222 SYP760 SZL748 THB764 TJS972 TMT934 TOP776 TRY949 TTD780 TWD901 TZS834 UAH980 USD840 USN997 UYU858 UZS860 VED926 VES928 WST882 XAD396 XCD951 XCG532 YER886 ZAR710 ZMW967 ZWG924",
  ],
  [3, "BHD048 IQD368 JOD400 KWD414 LYD434 OMR512 TND788"],
  [4, "CLF990 UYW927"],
];

const CODE_LETTERS = 3;
const NUMBER_DIGITS = 3;

const CURRENCIES = CURRENCIES_BY_DECIMALS.flatMap(([decimals, codes]) =>
  codes.split(" ").map((entry) => ({ code: entry.slice(0, CODE_LETTERS), number: entry.slice(CODE_LETTERS), decimals })),
);

const DECIMALS: ReadonlyMap<string, number> = new Map(CURRENCIES.map(({ code, decimals }) => [code, decimals]));
/** The currencies whose decimals are not two, with their decimals. */
export const UNUSUAL_DECIMALS: readonly (readonly [decimals: number, codes: readonly string[]])[] = [0, 3, 4].map((decimals) => [
  decimals,
  CURRENCIES.filter((currency) => currency.decimals === decimals).map(({ code }) => code),
]);

const CODES: ReadonlyMap<string, string> = new Map(CURRENCIES.map(({ code, number }) => [number, code]));
const NUMBERS: ReadonlyMap<string, string> = new Map(CURRENCIES.map(({ code, number }) => [code, number]));

/** Returns the decimals of a currency (ISO 4217, upper case), or null for any other text. */
export function currencyDecimals(currency: string): number | null {
  return DECIMALS.get(currency) ?? null;
}

/**
 * Returns the currency for a code in any case or a number ("985", "036", "36"), or null for any
 * other text.
 */
export function currencyOf(text: string): string | null {
  const word = text.trim().toUpperCase();
  const code = /^\d{1,3}$/.test(word) ? CODES.get(word.padStart(NUMBER_DIGITS, "0")) : word;
  return code !== undefined && DECIMALS.has(code) ? code : null;
}

/**
 * Returns the three digits of a currency (ISO 4217, upper case), or null for any other text and for
 * a code whose number has passed to another one.
 */
export function currencyNumberOf(currency: string): string | null {
  return NUMBERS.get(currency) || null;
}

/**
 * Matches plain decimal digits without sign, exponent or separators. Leading zeros indicate a
 * typing error.
 */
const DECIMAL = /^(0|[1-9]\d{0,14})(?:\.(\d{1,15}))?$/;

/** An amount in both forms. */
export interface DecimalAmount {
  /** The amount with exactly the currency's decimals: "12.30", "1200". */
  readonly text: string;
  /** The amount in minor units: 1230. */
  readonly minor: number;
}

/**
 * Reads a decimal amount without binary fractions. Returns an error text if the value is not an
 * amount, is zero or too large, or has more decimals than its currency (trailing zeros do not
 * count).
 */
export function readAmount(given: unknown, currency: string): DecimalAmount | string {
  const decimals = decimalsOf(currency);
  // With up to 15 digits, the shortest decimal of a double is the text that its sender wrote.
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
